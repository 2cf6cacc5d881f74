// Package source finds the code of a design in the files of its package, and counts its lines.
package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/brewput/brewput/workload"
)

// Source is the code of one design: the declarations that its constructor uses within its package.
type Source struct {
	Constructor string
	Parts       []Part
	Lines       int // lines with code, without comments and blank lines
}

// Part is one declaration, as written.
type Part struct {
	File string
	Line int
	Text string
}

// Read finds the code of a design. It is the constructor and everything that it uses among the top-level
// declarations of its package. Files without the constructor of a design are left out, because they serve all
// designs.
func Read(w *workload.Workload, d workload.Design) (Source, error) {
	if d.Program != nil {
		return ofProgram(d)
	}
	p, err := parse(w)
	if err != nil {
		return Source{}, err
	}
	return p.find(d)
}

// Count counts the lines of every design, by name; nil if the source is not available, or if the design is remote: the
// lines of a client tell nothing about its server.
func Count(w *workload.Workload) map[string]*int {
	m := map[string]*int{}
	p, err := parse(w)
	if err != nil {
		return m
	}
	for _, d := range w.Designs {
		find := p.find
		if d.Program != nil {
			find = ofProgram
		}
		if src, err := find(d); err == nil && !d.Remote {
			m[d.Name] = &src.Lines
		}
	}
	return m
}

func (p *packageSource) find(d workload.Design) (Source, error) {
	constructor, _, err := constructorOf(d)
	if err != nil {
		return Source{}, err
	}
	start := p.decls[constructor]
	if start == nil {
		return Source{}, fmt.Errorf("the source of %s/%s does not hold its constructor %s", p.workload, d.Name,
			constructor)
	}
	reached := map[*declaration]bool{}
	p.reach(start, reached)
	src := Source{Constructor: constructor}
	for _, dc := range p.order {
		if !reached[dc] {
			continue
		}
		from, to := p.set.Position(dc.node.Pos()), p.set.Position(dc.node.End())
		text := string(p.text[dc.file][from.Offset:to.Offset])
		if dc.doc != nil {
			text = string(p.text[dc.file][p.set.Position(dc.doc.Pos()).Offset:to.Offset])
			from = p.set.Position(dc.doc.Pos())
		}
		src.Parts = append(src.Parts, Part{File: dc.file, Line: from.Line, Text: text})
		src.Lines += Lines([]byte(text))
	}
	// The constructor comes first, because a reader looks for it.
	slices.SortStableFunc(src.Parts, func(a, b Part) int {
		return boolOrder(strings.Contains(b.Text, "func "+constructor+"("),
			strings.Contains(a.Text, "func "+constructor+"("))
	})
	return src, nil
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// declaration is a top-level function, a method, or a group of types, constants or variables.
type declaration struct {
	name string
	file string
	node ast.Node
	doc  *ast.CommentGroup
}

func declarations(decl ast.Decl) []*declaration {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		name := decl.Name.Name
		if decl.Recv != nil && len(decl.Recv.List) == 1 {
			name = receiver(decl.Recv.List[0].Type) + "." + name
		}
		return []*declaration{{name: name, node: decl, doc: decl.Doc}}
	case *ast.GenDecl:
		var list []*declaration
		for _, spec := range decl.Specs {
			node, doc := ast.Node(spec), (*ast.CommentGroup)(nil)
			if !decl.Lparen.IsValid() {
				node, doc = decl, decl.Doc
			}
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				list = append(list, &declaration{name: spec.Name.Name, node: node, doc: doc})
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					list = append(list, &declaration{name: id.Name, node: node, doc: doc})
				}
			}
		}
		return list
	}
	return nil
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// constructorOf returns the name of the function that creates a design, and its file at compilation.
func constructorOf(d workload.Design) (name, file string, err error) {
	value := reflect.ValueOf(d.Stream)
	if d.Stream == nil {
		value = reflect.ValueOf(d.Job)
	}
	fn := runtime.FuncForPC(value.Pointer())
	if fn == nil {
		return "", "", fmt.Errorf("the constructor of %s is unknown to the runtime", d.Name)
	}
	file, _ = fn.FileLine(fn.Entry())
	_, name, _ = strings.Cut(path.Base(fn.Name()), ".")
	name, _, _ = strings.Cut(name, ".func") // a closure belongs to the function that creates it
	return name, file, nil
}

// packageSource is the package of a workload.
type packageSource struct {
	workload string
	set      *token.FileSet
	text     map[string][]byte // by file
	order    []*declaration
	decls    map[string]*declaration // by name; methods as Type.Method
	own      map[string]bool         // files with the constructor of a design
	selected map[string]bool         // names that the package selects
	shared   map[string]bool         // names that the other files select
}

// parse parses the Go files, without tests, of the workload's Source. Without a Source it parses the folder in
// which the first design was compiled.
func parse(w *workload.Workload) (*packageSource, error) {
	source := w.Source
	if source == nil {
		_, file, err := constructorOf(w.Designs[0])
		if err != nil {
			return nil, err
		}
		source = os.DirFS(filepath.Dir(file))
	}
	names, err := fs.Glob(source, "*.go")
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, "_test.go") })
	if len(names) == 0 {
		return nil, fmt.Errorf("the source of workload %s is not at hand: set its Source, for example by go:embed",
			w.Name)
	}
	p := &packageSource{workload: w.Name, set: token.NewFileSet(), text: map[string][]byte{},
		decls: map[string]*declaration{},
		own:   map[string]bool{}, selected: map[string]bool{}, shared: map[string]bool{}}
	for _, name := range names {
		if err := p.file(source, name); err != nil {
			return nil, err
		}
	}
	for _, d := range w.Designs {
		if name, _, err := constructorOf(d); err == nil && p.decls[name] != nil {
			p.own[p.decls[name].file] = true
		}
	}
	for _, dc := range p.order {
		if !p.own[dc.file] {
			selections(dc, p.shared)
		}
	}
	return p, nil
}

func (p *packageSource) file(source fs.FS, name string) error {
	text, err := fs.ReadFile(source, name)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(p.set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p.text[name] = text
	for _, decl := range f.Decls {
		for _, dc := range declarations(decl) {
			dc.file = name
			p.decls[dc.name] = dc
			p.order = append(p.order, dc)
			selections(dc, p.selected)
		}
	}
	return nil
}

// Lines counts the lines of Go text that have a token other than a comment.
func Lines(text []byte) int {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue
		}
		first := file.Line(pos)
		for i := range strings.Count(literal, "\n") + 1 {
			lines[first+i] = true
		}
	}
}
