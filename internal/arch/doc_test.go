package arch

import (
	"bytes"
	"go/ast"
	"go/doc"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxDocLines is the largest number of lines that go doc may print for a stable package, so that a reader sees it at
// once.
const maxDocLines = 60

// TestDocLength checks that the overview of each stable package is short.
func TestDocLength(t *testing.T) {
	for _, pkg := range stable {
		cmd := exec.Command("go", "doc", "./"+pkg)
		cmd.Dir = filepath.Join("..", "..")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go doc ./%s: %v", pkg, err)
		}

		if lines := bytes.Count(out, []byte("\n")); lines > maxDocLines {
			t.Errorf("go doc ./%s prints %d lines, more than %d", pkg, lines, maxDocLines)
		}
	}
}

// noOutput are the stable packages whose examples cannot print output that a test compares, each with the reason.
var noOutput = map[string]string{
	"": "Main ends the process",
}

// TestExamples checks that each stable package opens with a package comment and has an example whose output is
// compared.
func TestExamples(t *testing.T) {
	files := load(t)
	for _, pkg := range stable {
		var tests []*ast.File
		opens := false
		for _, f := range files {
			switch {
			case f.pkg != pkg:
			case f.test:
				tests = append(tests, f.ast)
			default:
				opens = opens || f.ast.Doc.Text() != ""
			}
		}

		examples := doc.Examples(tests...)
		compared := slices.ContainsFunc(examples, func(x *doc.Example) bool { return x.Output != "" })
		switch reason, excepted := noOutput[pkg]; {
		case !opens:
			t.Errorf("package %q has no package comment", pkg)
		case len(examples) == 0:
			t.Errorf("package %q has no example", pkg)
		case !compared && reason == "":
			t.Errorf("package %q has no example with an Output comment", pkg)
		case compared && excepted:
			t.Errorf("package %q has an example with an Output comment: delete it from noOutput", pkg)
		}
	}
}

// TestPublicTypes checks that the exported API of a stable package leads to no type of an internal package, which
// callers in other modules could not name.
func TestPublicTypes(t *testing.T) {
	files := load(t)
	for _, f := range files {
		if f.test || !slices.Contains(stable, f.pkg) {
			continue
		}
		for _, wrong := range internalTypes(f) {
			t.Error(wrong)
		}
	}
	for _, r := range reachable(files) {
		if strings.HasPrefix(r.pkg, "internal/") {
			t.Errorf("%s leads from the API of a stable package to %s: %s", r.by, r.pkg, r.text)
		}
	}
}

// TestInternalTypes checks that internalTypes finds types of internal packages, whatever the file calls the package.
func TestInternalTypes(t *testing.T) {
	f, err := parse("lab/a.go", []byte(`package lab
import ("github.com/brewput/brewput/internal/host"; st "github.com/brewput/brewput/internal/stat"; "time")
type A struct { Machine host.Machine; hidden host.Machine; Since time.Time }
type B = st.Comparison
func F(a A, m map[string]*st.Comparison) {}
func g(host.Machine) {}
func (A) ghost() { host.Read() }`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"lab/a.go: type A struct, Machine host.Machine uses a type of internal/host",
		"lab/a.go: type B = st.Comparison uses a type of internal/stat",
		"lab/a.go: func F(a A, m map[string]*st.Comparison) uses a type of internal/stat",
	}
	if got := internalTypes(f); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// internalTypes returns the exported declarations of a file that use a type of an internal package.
func internalTypes(f *file) (wrong []string) {
	for _, declaration := range exported(f) {
		for name, imp := range f.names {
			folder, ok := own(imp)
			if !ok || !strings.HasPrefix(folder, "internal/") {
				continue
			}
			if regexp.MustCompile(`\b` + name + `\.`).MatchString(declaration) {
				wrong = append(wrong, f.path+": "+declaration+" uses a type of "+folder)
			}
		}
	}
	return wrong
}
