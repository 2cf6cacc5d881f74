package explain

import (
	"go/ast"
	"slices"
	"strings"
)

// origin is what makes a value, as far as a file shows.
type origin struct {
	of     *encoded
	made   []ast.Node // expressions that make it
	shared bool       // another variable is the value, or a part of it, and may change it
}

// madeOfOthers reports whether what makes the value may change it later: a variable that is another name of it, or the
// functions that are called where it is assigned, with what these call in the file, if they start a goroutine or keep a
// function or a value.
func (v *encoded) madeOfOthers() bool {
	o := origin{of: v}
	for _, d := range v.file.Decls {
		fn, _ := d.(*ast.FuncDecl)
		if fn != nil && v.shadowedIn(fn) {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if v.receiver == "" && hasName(n.Names, v.path[0]) {
					o.madeBy(fn, n.Values...)
				}
			case *ast.AssignStmt:
				if v.assignedBy(n) {
					o.madeBy(fn, n.Rhs...)
				}
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && slices.Contains(v.fields(), id.Name) {
					o.madeBy(fn, n.Value)
				}
			case *ast.CompositeLit:
				o.shared = o.shared || v.receiver != "" && n.Type != nil && len(n.Elts) > 0 &&
					slices.Equal(selected(n.Type), []string{v.receiver}) && !hasKeys(n) // without the names of fields
			}
			return true
		})
	}
	return o.shared || o.keeps()
}

// assignedBy reports whether a statement assigns to the value or to an element of it.
func (v *encoded) assignedBy(n *ast.AssignStmt) bool {
	return slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return v.overlaps(selected(container(e))) })
}

// hasKeys reports whether the elements of a literal have keys.
func hasKeys(n *ast.CompositeLit) bool { _, ok := n.Elts[0].(*ast.KeyValueExpr); return ok }

// madeBy notes what makes the value: expressions in a function, or outside of functions if that is nil.
func (o *origin) madeBy(fn *ast.FuncDecl, list ...ast.Expr) {
	for _, e := range list {
		o.made = append(o.made, e)
		for _, alias := range o.aliases(e, fn) {
			o.shared = o.shared || o.changedAs(alias, fn)
		}
	}
}

// aliases returns the variables and fields that are an expression in a function, or a part of it: an element of a
// literal or of a list, and what is appended, converted or sliced. Calls may return an argument: of these it returns
// those that are not local.
func (o *origin) aliases(e ast.Expr, fn *ast.FuncDecl) (list []ast.Expr) {
	if selected(e) != nil {
		return []ast.Expr{e}
	}
	var parts []ast.Expr
	switch x := e.(type) {
	case *ast.CompositeLit:
		parts = x.Elts
	case *ast.KeyValueExpr:
		parts = []ast.Expr{x.Value}
	case *ast.UnaryExpr:
		parts = []ast.Expr{x.X}
	case *ast.ParenExpr:
		parts = []ast.Expr{x.X}
	case *ast.IndexExpr:
		parts = []ast.Expr{x.X}
	case *ast.SliceExpr:
		parts = []ast.Expr{x.X}
	case *ast.TypeAssertExpr:
		parts = []ast.Expr{x.X}
	case *ast.SelectorExpr: // of an element or a call
		parts = []ast.Expr{x.X}
	case *ast.StarExpr:
		parts = []ast.Expr{x.X}
	case *ast.CallExpr:
		switch {
		case onlyReads(x):
		case calleeName(x) == "append", o.converts(x):
			parts = x.Args
		default:
			return slices.DeleteFunc(o.aliases(&ast.CompositeLit{Elts: x.Args}, fn), func(e ast.Expr) bool {
				return fn != nil && binds(fn, selected(e)[0])
			})
		}
	}
	for _, part := range parts {
		list = append(list, o.aliases(part, fn)...)
	}
	return list
}

// converts reports whether a call is a conversion to a type of the file, or to a list or a map.
func (o *origin) converts(c *ast.CallExpr) bool {
	switch c.Fun.(type) {
	case *ast.ArrayType, *ast.MapType:
		return true
	}
	path := selected(c.Fun)
	return len(path) == 1 && slices.ContainsFunc(o.of.file.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return ok && slices.ContainsFunc(g.Specs, func(s ast.Spec) bool {
			t, ok := s.(*ast.TypeSpec)
			return ok && t.Name.Name == path[0]
		})
	})
}

// changedAs reports whether a variable or a field in a function, which is the value or a part of it, may change. One
// that was followed before is not followed again.
func (o *origin) changedAs(alias ast.Expr, fn *ast.FuncDecl) bool {
	path := selected(alias)
	followed := nameIn{fn, strings.Join(path, ".")}
	if fn == nil || !binds(fn, path[0]) {
		followed.fn = nil
	}
	if followed.fn == nil && !declares(o.of.file, path[0]) || o.of.seen[followed] {
		return false // a constant, a function, or a variable of another package
	}
	o.of.seen[followed] = true
	v := *o.of
	v.use, v.path, v.receiver = alias, path, ""
	switch {
	case followed.fn != nil && (fn.Body == nil || hasParameter(fn, path[0])):
		return true
	case followed.fn == nil || len(path) > 1:
		return v.changes()
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if v.assignedBy(n) {
				o.madeBy(fn, n.Rhs...)
			}
		case *ast.ValueSpec:
			if hasName(n.Names, path[0]) {
				o.madeBy(fn, n.Values...)
			}
		case *ast.RangeStmt:
			if slices.Equal(identifiers(n.Value), path) {
				o.madeBy(fn, n.X)
			}
		}
		return true
	})
	return o.shared || v.changedIn(fn.Body, v.phaseOf(fn))
}

// keeps reports whether the value is made with a function literal that does not sort, or a function of the file that is
// called for it has a goroutine, a function literal that does not sort, or a function that runs later, or assigns to a
// variable of the package, or has one that changes in a literal or in a result. Deferred calls do not count.
func (o *origin) keeps() bool {
	if slices.ContainsFunc(o.made, hasLiteral) {
		return true
	}
	called := callees(o.of.file, o.made...)
	return slices.ContainsFunc(o.of.file.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Body != nil && called[fn.Name.Name] && o.keepsIn(fn)
	})
}

// hasLiteral reports whether code has a function literal that does not sort.
func hasLiteral(code ast.Node) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && sorts(c) {
			return false
		}
		_, literal := n.(*ast.FuncLit)
		yes = yes || literal
		return !yes
	})
	return yes
}

// callees returns the names of the functions and methods that nodes call, and of those that these call in the file.
func callees(file *ast.File, nodes ...ast.Node) map[string]bool {
	called := map[string]bool{}
	add := func(code ast.Node) {
		ast.Inspect(code, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				called[calleeName(c)] = true
			}
			return true
		})
	}
	for _, n := range nodes {
		add(n)
	}
	for known := -1; known < len(called); {
		known = len(called)
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && called[fn.Name.Name] {
				add(fn.Body)
			}
		}
	}
	return called
}

// keepsIn is keeps for one function.
func (o *origin) keepsIn(fn *ast.FuncDecl) (yes bool) {
	ofPackage := func(e ast.Expr) bool {
		path := selected(container(e))
		return len(path) > 0 && declares(o.of.file, path[0]) && !binds(fn, path[0])
	}
	changes := func(e ast.Expr) bool {
		return slices.ContainsFunc(o.aliases(e, fn), func(e ast.Expr) bool {
			return ofPackage(e) && o.changedAs(e, fn)
		})
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.FuncLit, *ast.SendStmt:
			yes = true
		case *ast.DeferStmt:
			return false
		case *ast.CallExpr:
			if sorts(n) {
				return false
			}
			yes = yes || startsFunction(n)
		case *ast.AssignStmt:
			yes = yes || slices.ContainsFunc(n.Lhs, ofPackage)
		case *ast.CompositeLit:
			yes = yes || slices.ContainsFunc(n.Elts, changes)
		case *ast.ReturnStmt:
			yes = yes || slices.ContainsFunc(n.Results, changes)
		}
		return !yes
	})
	return yes
}

// startsFunction reports whether a call has a function that runs later.
func startsFunction(c *ast.CallExpr) bool {
	return slices.Contains([]string{"AfterFunc", "Go", "Handle", "HandleFunc"}, calleeName(c))
}
