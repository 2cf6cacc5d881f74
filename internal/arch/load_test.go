package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// file is a Go source file of the module.
type file struct {
	path  string // from the module's root, with slashes
	pkg   string // folder, "" for the root
	test  bool
	ast   *ast.File
	set   *token.FileSet
	text  []byte
	lines int
	names map[string]string // import paths by the names that the file uses for them
}

// at returns the position of a node.
func (f *file) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", f.path, f.set.Position(n.Pos()).Line)
}

// imports returns the import paths of the file.
func (f *file) imports() []string {
	var list []string
	for _, spec := range f.ast.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		list = append(list, name)
	}
	return list
}

// parse parses a file. Its name is the path from the module's root, with slashes.
func parse(name string, text []byte) (*file, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &file{
		path: name, pkg: strings.TrimPrefix(path.Dir(name), "."), test: strings.HasSuffix(name, "_test.go"),
		ast: parsed, set: set, text: text, lines: strings.Count(string(text), "\n"), names: map[string]string{},
	}
	for i, imp := range f.imports() {
		f.names[importName(parsed.Imports[i], imp)] = imp
	}
	return f, nil
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// importName returns the name that a file uses for an import: its alias, or else the last element of the path that is
// no version. No rule uses a package whose name differs from that.
func importName(spec *ast.ImportSpec, imp string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	if majorVersion.MatchString(path.Base(imp)) {
		imp = path.Dir(imp)
	}
	return path.Base(imp)
}

// load parses every Go file of the module, for all platforms. It skips other modules and test data.
func load(t *testing.T) []*file {
	t.Helper()
	root := filepath.Join("..", "..")
	var files []*file
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if d.Name() == "testdata" || rel != "." && strings.HasPrefix(d.Name(), ".") || rel == "brewput-runs" {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil && rel != "." {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		f, err := parse(rel, text)
		if err != nil {
			return err
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("only %d files found", len(files))
	}
	return files
}
