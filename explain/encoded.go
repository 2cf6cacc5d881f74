package explain

import (
	"go/ast"
	"slices"
)

// encoded is a value that a call of an encoder takes.
type encoded struct {
	file     *ast.File
	start    map[string]bool // the functions of the file that run once; see startFunctions
	call     *ast.CallExpr   // the call
	use      ast.Node        // the mention that is no change: the call, or where the value gets this name
	path     []string        // the names of a variable and of fields, or of the fields of any receiver
	receiver string          // the type of the receiver; "" for a variable
	seen     map[nameIn]bool // other names of the value that were followed
}

// nameIn is a variable, or a field of one, of a function or, if that is nil, of the package.
type nameIn struct {
	fn   *ast.FuncDecl
	path string
}

// changes reports whether code of the file may change the value between two calls: whether it mentions the value, a
// part of it or what it is a part of, other than to read it or, in code that runs once, to assign to it. Other mentions
// may give it another name. Types are unknown, so fields of the same names count.
func (v *encoded) changes() bool {
	return v.promoted() || v.madeOfOthers() || slices.ContainsFunc(v.file.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		switch {
		case !ok:
			return v.changedIn(d, runsAtStart)
		case fn.Body == nil, v.shadowedIn(fn):
			return false
		}
		return v.changedIn(fn.Body, v.phaseOf(fn))
	})
}

// shadowedIn reports whether a parameter of a function has the name of the value.
func (v *encoded) shadowedIn(fn *ast.FuncDecl) bool {
	return v.receiver == "" && len(v.path) == 1 && hasParameter(fn, v.path[0])
}

// phaseOf returns when a function runs. The loops of a constructor fill what it makes, unless it calls the function
// that encodes the value.
func (v *encoded) phaseOf(fn *ast.FuncDecl) phase {
	switch {
	case !runsOnce(fn, v.start):
		return runsAnytime
	case constructs(fn) && !v.reachedFrom(fn):
		return runsAtStart
	}
	return runsInMain
}

// reachedFrom reports whether a function calls the one that encodes the value.
func (v *encoded) reachedFrom(fn *ast.FuncDecl) bool {
	called := callees(v.file, fn.Body)
	return slices.ContainsFunc(v.file.Decls, func(d ast.Decl) bool {
		user, ok := d.(*ast.FuncDecl)
		return ok && user.Pos() <= v.call.Pos() && v.call.End() <= user.End() && called[user.Name.Name]
	})
}

// promoted reports whether a struct of the file embeds something that may give parts of the value shorter paths, or be
// what the value is a part of.
func (v *encoded) promoted() (yes bool) {
	ast.Inspect(v.file, func(n ast.Node) bool {
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

// hasOneReceiver reports whether the path begins with the receiver of a method, of a type of which the file makes one
// value: in a variable of the package or a function that runs once, outside of loops; no list, map or channel holds
// such values.
func (v *encoded) hasOneReceiver(fn *ast.FuncDecl) bool {
	of := receiverType(fn)
	if of == "" || receiverName(fn) != v.path[0] || binds(fn.Body, v.path[0]) {
		return false
	}
	is := func(e ast.Expr) bool { path := selected(e); return len(path) == 1 && path[0] == of }
	many, made, once := false, 0, 0
	ast.Inspect(v.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ArrayType:
			many = many || is(n.Elt)
		case *ast.MapType:
			many = many || is(n.Key) || is(n.Value)
		case *ast.ChanType:
			many = many || is(n.Value)
		}
		made += valuesMade(n, is)
		return !many
	})
	for _, d := range v.file.Decls {
		if runsOnce(d, v.start) {
			outsideLoops(d, func(n ast.Node) { once += valuesMade(n, is) })
		}
	}
	return !many && made == 1 && once == 1
}

// valuesMade returns how many values of a type a node makes.
func valuesMade(n ast.Node, is func(ast.Expr) bool) int {
	made := false
	switch n := n.(type) {
	case *ast.CompositeLit:
		made = n.Type != nil && is(n.Type)
	case *ast.CallExpr:
		made = calleeName(n) == "new" && len(n.Args) == 1 && is(n.Args[0])
	case *ast.ValueSpec:
		if _, pointer := n.Type.(*ast.StarExpr); n.Type != nil && !pointer && len(n.Values) == 0 && is(n.Type) {
			return len(n.Names)
		}
	}
	if made {
		return 1
	}
	return 0
}
