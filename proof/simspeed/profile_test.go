package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

const (
	root   = "../../"
	module = "github.com/brewput/brewput/"
)

// lines has the first lines of the functions of a file.
type lines struct {
	text  []string
	start map[string]int // of each function, by its name as the linker has it but for the package
}

func read(t *testing.T, file string) lines {
	text, err := os.ReadFile(root + file)
	if err != nil {
		t.Fatalf("the profile knows a file that is gone: %v", err)
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	l := lines{strings.Split(string(text), "\n"), map[string]int{}}
	for _, d := range f.Decls {
		if fun, ok := d.(*ast.FuncDecl); ok {
			l.start[nameOf(fun)] = set.Position(fun.Pos()).Line
		}
	}
	return l
}

// nameOf returns f, (*T).f or T.f, without type parameters.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	switch t := f.Recv.List[0].Type.(type) {
	case *ast.Ident:
		return t.Name + "." + f.Name.Name
	case *ast.StarExpr:
		if t, ok := t.X.(*ast.Ident); ok {
			return "(*" + t.Name + ")." + f.Name.Name
		}
	}
	return ""
}

// plain returns the last part of a function's name in a profile, without type parameters.
func plain(name string) string {
	depth := 0
	name = strings.Map(func(r rune) rune {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
			return -1
		}
		if depth > 0 {
			return -1
		}
		return r
	}, name)
	return name[strings.LastIndexByte(name, '.')+1:]
}

func TestPlain(t *testing.T) {
	for name, want := range map[string]string{
		"main.f": "f", "a.b/c.(*T).m": "m", "slices.Delete[go.shape.[]x/y.T,go.shape.int]": "Delete",
		"env.(*Chan[go.shape.int64]).Send": "Send", "p.F[...]": "F",
	} {
		if got := plain(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestProfileFits checks that the profile for the compiler fits the source. The compiler finds a call by its function
// and its line relative to the function's first line. After edits it no longer inlines the right calls, and the
// simulator is 10% slower. If this test fails, run make pgo.
func TestProfileFits(t *testing.T) {
	f, err := os.Open(root + "cmd/brewput/default.pgo")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	var frames []profile.Line // of one stack, innermost first
	files, fits, all, off := map[string]lines{}, int64(0), int64(0), map[string]int64{}
	for _, s := range p.Sample {
		frames = frames[:0]
		for _, l := range s.Location {
			frames = append(frames, l.Line...)
		}
		for i := 1; i < len(frames); i++ {
			caller, callee := frames[i].Function, frames[i-1].Function
			name, own := strings.CutPrefix(caller.Name, module)
			file, _ := strings.CutPrefix(caller.Filename, module)
			if !own || strings.Contains(name, "[") || strings.Contains(name, ".func") ||
				strings.Contains(callee.Name, ".func") || strings.HasPrefix(callee.Name, "runtime.") ||
				strings.HasPrefix(callee.Name, "internal/runtime/") {
				// names of generic functions and closures differ from the source, and some calls are not in it
				continue
			}
			source, known := files[file]
			if !known {
				source = read(t, file)
				files[file] = source
			}
			_, name, _ = strings.Cut(path.Base(name), ".")
			start := source.start[name]
			n := start + int(frames[i].Line-caller.StartLine)
			if start > 0 && n <= len(source.text) && strings.Contains(source.text[n-1], ")()") {
				continue // a call of a value has no name
			}
			all += s.Value[0]
			if start > 0 && n <= len(source.text) && strings.Contains(source.text[n-1], plain(callee.Name)) {
				fits += s.Value[0]
			} else {
				off[caller.Name+" calls "+callee.Name] += s.Value[0]
			}
		}
	}
	for what, n := range off {
		if n > all/300 {
			t.Errorf("%d of %d samples are of a call that is no longer there, %s: make pgo", n, all, what)
		}
	}
	if all < 1000 || fits*100 < all*97 {
		t.Errorf("of %d samples of calls in the profile %d are where the calls are: make pgo", all, fits)
	}
}
