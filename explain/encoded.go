package explain

import (
	"go/ast"
	"slices"
)

// encoded is a value that a call of an encoder takes.
type encoded struct {
	use      ast.Node // the call, which changes nothing
	path     []string // the names of a variable of the package and of fields, or of the fields of any receiver
	receiver string   // the type of the receiver; "" for a variable of the package
	names    int      // how many other names were followed to this one
}

// changes reports whether code of the file may change the value between two calls: whether it mentions the value, a
// part of it or what it is a part of, other than to read it or, in code that runs once at the start, to assign to it.
// Other mentions may give it another name. Types are unknown, so fields of the same names count.
func (v *encoded) changes(file *ast.File) bool {
	if v.promoted(file) || v.madeOfOthers(file) {
		return true
	}
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		switch {
		case !ok:
			return v.changedIn(d, runsAtStart)
		case fn.Body == nil:
			return false
		case runsOnce(file, fn):
			return v.changedIn(fn.Body, runsAtStart)
		case fn.Recv == nil && fn.Name.Name == "main":
			return v.changedIn(fn.Body, runsInMain)
		}
		return v.changedIn(fn.Body, runsAnytime)
	})
}

// runsOnce reports whether a function runs once, at the start: init, or a constructor that only main or a variable of
// the package calls, as far as the file shows.
func runsOnce(file *ast.File, fn *ast.FuncDecl) bool {
	name := fn.Name.Name
	return constructs(fn) && (name == "init" || uses(file, name) == 1 &&
		onceInMain(file, func(n ast.Node) bool { return callsFunction(n, name) }, false))
}

// promoted reports whether a struct of the file embeds something that may give parts of the value shorter paths, or be
// what the value is a part of.
func (v *encoded) promoted(file *ast.File) (yes bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok && len(v.fields()) > 0 {
			yes = yes || slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
				path := selected(f.Type)
				return len(f.Names) == 0 && (len(path) == 0 || path[0] != "sync")
			})
		}
		return !yes
	})
	return yes
}

// fields returns the names of the fields in the path of the value.
func (v *encoded) fields() []string {
	if v.receiver != "" {
		return v.path
	}
	return v.path[1:]
}

// overlaps reports whether a path of names is that of the value, of a part of it, or of what it is a part of.
func (v *encoded) overlaps(path []string) bool {
	if len(path) == 0 {
		return false
	}
	if fields := v.fields(); len(path) > 1 && len(fields) > 0 && (slices.Contains(fields, path[len(path)-1]) ||
		slices.Contains(path[1:], fields[len(fields)-1])) {
		return true
	}
	if v.receiver != "" {
		path = path[1:]
	}
	n := min(len(path), len(v.path))
	return n > 0 && slices.Equal(path[:n], v.path[:n])
}
