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
	"slices"
	"strconv"
	"strings"
	"testing"
)

// file is a Go source file of the module.
type file struct {
	path string // from the module's root, with slashes
	pkg  string // folder, "" for the root
	test bool
	ast  *ast.File
	set  *token.FileSet
	text []byte
}

func (f *file) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", f.path, f.set.Position(n.Pos()).Line)
}

// load parses every Go file of the module, other modules and test data left out.
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
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, p, text, parser.ParseComments)
		if err != nil {
			return err
		}
		pkg := path.Dir(rel)
		if pkg == "." {
			pkg = ""
		}
		files = append(files, &file{rel, pkg, strings.HasSuffix(p, "_test.go"), parsed, set, text})
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

func imports(f *file) []string {
	var list []string
	for _, spec := range f.ast.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		list = append(list, name)
	}
	return list
}

func TestDependencies(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range load(t) {
		allowed, known := mayImport[f.pkg]
		if !known {
			t.Errorf("%s: the package %q is not in the policy: add it to mayImport with what it may import", f.path, f.pkg)
			continue
		}
		seen[f.pkg] = true
		if f.test {
			continue
		}
		for _, imp := range imports(f) {
			own, ok := strings.CutPrefix(imp+"/", module+"/")
			own = strings.TrimSuffix(own, "/")
			if ok && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s; %q may import only %q", f.path, imp, f.pkg, allowed)
			}
			if pure[f.pkg] && slices.Contains(impureImports, imp) {
				t.Errorf("%s imports %s, but %q is pure", f.path, imp, f.pkg)
			}
		}
	}
	for pkg := range mayImport {
		if !seen[pkg] {
			t.Errorf("the policy names %q, which does not exist", pkg)
		}
	}
}

// calls visits every call of the form name.Name.
func calls(f *file, visit func(call string, n ast.Node)) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				visit(x.Name+"."+s.Sel.Name, n)
			}
		}
		return true
	})
}

func TestPurePackages(t *testing.T) {
	for _, f := range load(t) {
		if f.test || !pure[f.pkg] {
			continue
		}
		calls(f, func(call string, n ast.Node) {
			if slices.Contains(impureCalls, call) {
				t.Errorf("%s: %s in %q, which is pure", f.at(n), call, f.pkg)
			}
		})
	}
}

func TestOnlyTheEdgePrints(t *testing.T) {
	for _, f := range load(t) {
		if f.test || prints[f.pkg] {
			continue
		}
		calls(f, func(call string, n ast.Node) {
			switch call {
			case "fmt.Print", "fmt.Println", "fmt.Printf", "os.Stdout", "os.Stderr", "log.Print", "log.Printf", "log.Println":
				t.Errorf("%s: %s; only the command prints", f.at(n), call)
			}
		})
	}
}

// TestCatalogueUsesOnlyEnv keeps designs runnable in both worlds.
func TestCatalogueUsesOnlyEnv(t *testing.T) {
	for _, f := range load(t) {
		if f.test || !strings.HasPrefix(f.path, "catalog/") {
			continue
		}
		for _, imp := range imports(f) {
			if imp == "sync" || imp == "sync/atomic" || imp == "runtime" || strings.HasPrefix(imp, "math/rand") {
				t.Errorf("%s imports %s; a design gets these from env", f.path, imp)
			}
		}
		for _, decl := range f.ast.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.VAR && !packageVariables[f.path] {
				t.Errorf("%s: a package-level variable; two trials would share it", f.at(g))
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.GoStmt, *ast.ChanType, *ast.SelectStmt, *ast.SendStmt:
				t.Errorf("%s: a native %T; a design gets its concurrency from env", f.at(n), n)
			}
			return true
		})
		calls(f, func(call string, n ast.Node) {
			if call == "time.Now" || call == "time.Sleep" || call == "time.After" || call == "time.Since" {
				t.Errorf("%s: %s; a design gets its time from env", f.at(n), call)
			}
		})
	}
}

func TestHouseRules(t *testing.T) {
	for _, f := range load(t) {
		if n := strings.Count(string(f.text), "\n"); n > maxFileLines && !f.test {
			t.Errorf("%s has %d lines, more than %d: is it still one room?", f.path, n, maxFileLines)
		}
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if fn.Name.Name == "init" && fn.Recv == nil {
				t.Errorf("%s: an init function; say plainly what happens when", f.at(fn))
			}
			lines := f.set.Position(fn.End()).Line - f.set.Position(fn.Pos()).Line + 1
			if lines > maxFunctionLines && !f.test {
				t.Errorf("%s: %s has %d lines, more than %d", f.at(fn), fn.Name.Name, lines, maxFunctionLines)
			}
		}
	}
}
