package arch

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	exact "go/constant"
	"go/printer"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var updateAPI = flag.Bool("update", false, "write the exported API of the stable packages into testdata/api")

// stable are the packages whose exported API is a contract with other programs.
var stable = []string{"", "env", "plan", "workload", "lab", "result", "explain", "labtest", "model", "sim",
	"timeline", "catalog"}

// TestAPI checks that the exported API of each stable package is the stored one, and that of the types of other
// packages that it leads to. To change the API, run this test with -args -update and review the difference.
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
			compareAPI(t, cmp.Or(pkg, "brewput"), list)
		})
	}
	t.Run("reachable", func(t *testing.T) {
		var list []string
		for _, r := range reachable(files) {
			list = append(list, r.pkg+": "+r.text)
		}
		compareAPI(t, "reachable", list)
	})
}

// compareAPI compares declarations with those in a file of testdata/api.
func compareAPI(t *testing.T, name string, list []string) {
	slices.Sort(list)
	got := strings.Join(slices.Compact(list), "\n") + "\n"
	path := filepath.Join("testdata", "api", strings.ReplaceAll(name, "/", "-")+".txt")
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
const (
	_ E = 1 << iota
	One
	Two
	Text = "a" + "b"
	Copy = plan.Text
	Rate = 0.05
)
var V map[string]int`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"type T[K comparable] struct", "type T[K comparable] struct, A int", "type T[K comparable] struct, embedded *C",
		"type I interface", "type I interface, M func(x int) error", "type I interface, unexported methods",
		"type S = []string", "func (t *T[K]) Do(f func(int) (a, b string))", "func F() (n int, err error)",
		"const X = 1", "const One E = 2", "const Two E = 4", `const Text = "ab"`, "const Copy = plan.Text",
		"const Rate = 0.05", "var V map[string]int",
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

// declaration is an exported declaration, or an exported field or method of a type.
type declaration struct {
	of   string   // its type as folder.Name, of a constant too; "" for functions, variables and untyped constants
	text string   // on one line, without comments
	uses []string // the types of this module in it, as folder.Name
}

// exported returns the exported declarations of a file, one per line.
func exported(f *file) (list []string) {
	for _, d := range declarations(f) {
		list = append(list, d.text)
	}
	return list
}

// declarations returns the exported declarations of a file: functions, methods, types with each exported field and
// method, constants with their values, and variables.
func declarations(f *file) (list []declaration) {
	for _, decl := range f.ast.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			of := ""
			if d.Recv != nil {
				of = f.pkg + "." + receiver(d.Recv.List[0].Type)
			}
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
				text := oneLine(f, &ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type})
				list = append(list, declaration{of, text, typesIn(f, d.Type)})
			}
		case *ast.GenDecl:
			var last *ast.ValueSpec // whose type and values constants repeat
			for i, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						list = append(list, exportedType(f, s)...)
					}
				case *ast.ValueSpec:
					if last == nil || len(s.Values) > 0 || s.Type != nil {
						last = s
					}
					list = append(list, exportedValues(f, d.Tok, s, last, i)...)
				}
			}
		}
	}
	return list
}

// exportedValues returns the exported names of a declaration of constants or variables. Its type and values are those
// of last.
func exportedValues(f *file, tok token.Token, s, last *ast.ValueSpec, iota int) (list []declaration) {
	for i, name := range s.Names {
		if !name.IsExported() {
			continue
		}
		d := declaration{text: fmt.Sprint(tok, " ", name.Name)}
		if last.Type != nil {
			d.text += " " + oneLine(f, last.Type)
			d.uses = typesIn(f, last.Type)
		}
		if tok == token.CONST && i < len(last.Values) {
			d.text += " = " + constant(f, last.Values[i], iota)
			if len(d.uses) > 0 {
				d.of = d.uses[0]
			}
		}
		list = append(list, d)
	}
	return list
}

var iotaWord = regexp.MustCompile(`\biota\b`)

// constant returns the value of a constant, or its expression if that names other constants or types.
func constant(f *file, value ast.Expr, iota int) string {
	text := iotaWord.ReplaceAllString(oneLine(f, value), strconv.Itoa(iota))
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	switch {
	case err != nil || v.Value == nil:
		return text
	case v.Value.Kind() == exact.String:
		return v.Value.ExactString()
	}
	return v.Value.String()
}

// exportedType returns a type, with one more declaration for each exported field or method.
func exportedType(f *file, s *ast.TypeSpec) (list []declaration) {
	of, name := f.pkg+"."+s.Name.Name, "type "+s.Name.Name
	add := func(text string, of string, n ast.Node) { list = append(list, declaration{of, text, typesIn(f, n)}) }
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
		add(name+" "+oneLine(f, s.Type), of, s.Type)
		return list
	}
	list = append(list, declaration{of: of, text: name + kind})
	for _, field := range fields.List {
		text := oneLine(f, field.Type)
		if len(field.Names) == 0 {
			add(name+kind+", embedded "+text, of, field.Type)
		}
		for _, n := range field.Names {
			if n.IsExported() {
				add(name+kind+", "+n.Name+" "+text, of, field.Type)
			} else if kind == " interface" {
				list = append(list, declaration{of: of, text: name + kind + ", unexported methods"})
			}
		}
	}
	return list
}

// typesIn returns the exported types of this module that a type names, as folder.Name.
func typesIn(f *file, n ast.Node) (list []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				if folder, ok := own(f.names[x.Name]); ok {
					list = append(list, folder+"."+n.Sel.Name)
				}
			}
			return false
		case *ast.Ident:
			if n.IsExported() {
				list = append(list, f.pkg+"."+n.Name)
			}
		}
		return true
	})
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
