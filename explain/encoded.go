package explain

import (
	"go/ast"
	"go/token"
	"slices"
)

// encoded is a value that a call of an encoder takes.
type encoded struct {
	file     *ast.File
	start    map[string]bool // the functions of the file that run once; see startFunctions
	call     *ast.CallExpr   // the call
	use      ast.Node        // a mention that is no change: where the value gets this name; nil for the first one
	path     []string        // the names of a variable and of fields, or of the fields of any receiver
	receiver string          // the type of the receiver; "" for a variable
	holders  map[string]bool // the names of variables and fields that hold the receiver
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

// reachedFrom reports whether a function encodes the value, or calls what does, or has a loop that mentions it: another
// function, or a literal. A literal that is only passed on runs later.
func (v *encoded) reachedFrom(fn *ast.FuncDecl) bool {
	name := ""
	for _, d := range v.file.Decls {
		if user, ok := d.(*ast.FuncDecl); ok && surrounds(user, v.call) {
			name = user.Name.Name
		}
	}
	if surrounds(fn, v.call) {
		var passed bool
		if name, passed = literalAround(fn, v.call); !passed && name == "" {
			return true
		}
	}
	return name != "" && (callees(v.file, fn.Body)[name] || loopMentions(v.file, fn.Body, name))
}

// surrounds reports whether a node contains another.
func surrounds(outer, inner ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}

// literalAround returns the name of the variable or field that gets the function literal around a node in a function,
// or else whether it is passed on outside of loops: as an argument of a call or as a result.
func literalAround(fn *ast.FuncDecl, n ast.Node) (name string, passed bool) {
	index := func(list []ast.Expr) int {
		return slices.IndexFunc(list, func(e ast.Expr) bool {
			_, literal := e.(*ast.FuncLit)
			return literal && surrounds(e, n)
		})
	}
	outsideLoops(fn.Body, func(at ast.Node) {
		switch at := at.(type) {
		case *ast.CallExpr:
			passed = passed || calleeName(at) != "Go" && index(at.Args) >= 0
		case *ast.KeyValueExpr:
			if id, ok := at.Key.(*ast.Ident); ok && index([]ast.Expr{at.Value}) >= 0 {
				name = id.Name
			}
		case *ast.ReturnStmt:
			passed = passed || index(at.Results) >= 0
		case *ast.ValueSpec:
			if i := index(at.Values); i >= 0 && i < len(at.Names) {
				name = at.Names[i].Name
			}
		case *ast.AssignStmt:
			if i := index(at.Rhs); i >= 0 && i < len(at.Lhs) {
				if path := selected(at.Lhs[i]); path != nil {
					name = path[len(path)-1]
				}
			}
		}
	})
	return name, passed
}

// loopMentions reports whether a loop in code mentions a function or a variable, or a function that calls it.
func loopMentions(file *ast.File, code ast.Node, name string) (yes bool) {
	look := func(loop ast.Node) {
		ast.Inspect(loop, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !yes {
				yes = id.Name == name || slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
					fn, ok := d.(*ast.FuncDecl)
					return ok && fn.Body != nil && fn.Name.Name == id.Name && callees(file, fn.Body)[name]
				})
			}
			return !yes
		})
	}
	ast.Inspect(code, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			look(n)
		}
		return !yes
	})
	return yes
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
	v.holders = map[string]bool{}
	ast.Inspect(v.file, func(n ast.Node) bool {
		many = many || isMany(n, is)
		made += valuesMade(n, is)
		for _, name := range holderNames(n, is) {
			v.holders[name] = true
		}
		return !many
	})
	for _, d := range v.file.Decls {
		if runsOnce(d, v.start) {
			outsideLoops(d, func(n ast.Node) { once += valuesMade(n, is) })
		}
	}
	return !many && made == 1 && once == 1
}

// isMany reports whether a node is a type or a call that may make many values of a type: a list, a map or a channel of
// them, a struct that contains one, a function with a result of a name, or one for any type.
func isMany(n ast.Node, is func(ast.Expr) bool) bool {
	contains := func(l *ast.FieldList, unnamed bool) bool {
		return l != nil && slices.ContainsFunc(l.List, func(f *ast.Field) bool {
			_, pointer := f.Type.(*ast.StarExpr)
			return !pointer && is(f.Type) && (unnamed || len(f.Names) > 0)
		})
	}
	switch n := n.(type) {
	case *ast.ArrayType:
		return is(n.Elt)
	case *ast.MapType:
		return is(n.Key) || is(n.Value)
	case *ast.ChanType:
		return is(n.Value)
	case *ast.StructType:
		return contains(n.Fields, true)
	case *ast.FuncType:
		return contains(n.Results, false)
	case *ast.IndexExpr:
		return is(n.Index)
	case *ast.IndexListExpr:
		return slices.ContainsFunc(n.Indices, is)
	}
	return false
}

// holderNames returns the names of the fields and the variables of the package that a node declares or sets to a value
// of a type, or to a pointer to one.
func holderNames(n ast.Node, is func(ast.Expr) bool) (names []string) {
	makes := func(e ast.Expr) (yes bool) {
		ast.Inspect(e, func(n ast.Node) bool {
			yes = yes || n != nil && valuesMade(n, is) > 0
			return !yes
		})
		return yes
	}
	switch n := n.(type) {
	case *ast.StructType:
		for _, f := range n.Fields.List {
			if is(f.Type) {
				names = append(names, setNames(f)...)
			}
		}
	case *ast.ValueSpec:
		if n.Type != nil && is(n.Type) || slices.ContainsFunc(n.Values, makes) {
			names = setNames(n)
		}
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			if path := selected(e); path != nil && n.Tok == token.ASSIGN && slices.ContainsFunc(n.Rhs, makes) {
				names = append(names, path[len(path)-1])
			}
		}
	}
	return names
}

// holds reports whether an expression is a field or a variable of the package that holds the receiver.
func (v *encoded) holds(e ast.Expr) bool {
	path := selected(e)
	return len(path) > 0 && v.holders[path[len(path)-1]] && (len(path) > 1 || declares(v.file, path[0]))
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
