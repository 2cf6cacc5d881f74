package arch

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updateAPI = flag.Bool("update", false, "write the exported API of the stable packages into testdata/api")

// stable are the packages whose exported API is a contract with other programs.
var stable = []string{"", "env", "plan", "workload", "lab", "result", "explain", "labtest", "model", "sim",
	"timeline", "catalog"}

// TestAPI checks that the exported API of each stable package is the stored one. To change the API, run this test with
// -args -update and review the difference.
func TestAPI(t *testing.T) {
	files := load(t)
	for _, pkg := range stable {
		t.Run(pkg, func(t *testing.T) {
			var list []string
			for _, f := range files {
				if f.pkg == pkg && !f.test {
					list = append(list, exported(f)...)
				}
			}
			slices.Sort(list)
			got := strings.Join(slices.Compact(list), "\n") + "\n"
			path := filepath.Join("testdata", "api", strings.ReplaceAll(pkg, "/", "-")+".txt")
			if pkg == "" {
				path = filepath.Join("testdata", "api", "brewput.txt")
			}
			if *updateAPI {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range missing(string(want), got) {
				t.Errorf("gone or changed: %s", line)
			}
			for _, line := range missing(got, string(want)) {
				t.Errorf("new: %s (go test ./internal/arch -run TestAPI -args -update stores it)", line)
			}
		})
	}
}

// TestExported checks that exported lists what other packages can use, with types and without comments.
func TestExported(t *testing.T) {
	f, err := parse("plan/a.go", []byte(`package a
type T[K comparable] struct { A, b int; *C }
type I interface { M(x int) error; hidden() }
type u struct { A int }
type S = []string
func (t *T[K]) Do(f func(int) (a, b string)) {}
func (u) Do() {}
func F() (n int, err error) { return }
func g() {}
const X, y = 1, 2
var V map[string]int`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"type T[K comparable] struct", "type T[K comparable] struct, A int", "type T[K comparable] struct, embedded *C",
		"type I interface", "type I interface, M func(x int) error", "type I interface, unexported methods",
		"type S = []string", "func (t *T[K]) Do(f func(int) (a, b string))", "func F() (n int, err error)",
		"const X", "var V map[string]int",
	}
	if got := exported(f); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// missing returns the lines of a that are not in b.
func missing(a, b string) (lines []string) {
	have := strings.Split(b, "\n")
	for line := range strings.Lines(a) {
		if line = strings.TrimSuffix(line, "\n"); !slices.Contains(have, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// exported returns the exported declarations of a file, one per line: functions, methods, types with each exported
// field and method, constants and variables.
func exported(f *file) (list []string) {
	for _, decl := range f.ast.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
				list = append(list, oneLine(f, &ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type}))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				list = append(list, exportedSpec(f, d.Tok, spec)...)
			}
		}
	}
	return list
}

// exportedSpec returns the exported names of a declaration of constants, variables or types.
func exportedSpec(f *file, tok token.Token, spec ast.Spec) (list []string) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() {
				text := fmt.Sprint(tok, " ", name.Name)
				if s.Type != nil {
					text += " " + oneLine(f, s.Type)
				}
				list = append(list, text)
			}
		}
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			list = append(list, exportedType(f, s)...)
		}
	}
	return list
}

// exportedType returns a type, with one more line for each exported field or method.
func exportedType(f *file, s *ast.TypeSpec) (list []string) {
	name := "type " + s.Name.Name
	if s.TypeParams != nil {
		name += "[" + oneLine(f, s.TypeParams) + "]"
	}
	var kind string
	var fields *ast.FieldList
	switch x := s.Type.(type) {
	case *ast.StructType:
		kind, fields = " struct", x.Fields
	case *ast.InterfaceType:
		kind, fields = " interface", x.Methods
	default:
		if s.Assign.IsValid() {
			name += " ="
		}
		return []string{name + " " + oneLine(f, s.Type)}
	}
	list = append(list, name+kind)
	for _, field := range fields.List {
		text := oneLine(f, field.Type)
		if len(field.Names) == 0 {
			list = append(list, name+kind+", embedded "+text)
		}
		for _, n := range field.Names {
			if n.IsExported() {
				list = append(list, name+kind+", "+n.Name+" "+text)
			} else if kind == " interface" {
				list = append(list, name+kind+", unexported methods")
			}
		}
	}
	return list
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// oneLine formats a declaration on one line, without comments.
func oneLine(f *file, n any) string {
	if params, ok := n.(*ast.FieldList); ok {
		var parts []string
		for _, p := range params.List {
			var names []string
			for _, name := range p.Names {
				names = append(names, name.Name)
			}
			parts = append(parts, strings.Join(names, ", ")+" "+oneLine(f, p.Type))
		}
		return strings.Join(parts, ", ")
	}
	var b bytes.Buffer
	if err := printer.Fprint(&b, f.set, n); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
