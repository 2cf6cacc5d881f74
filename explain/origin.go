package explain

import (
	"go/ast"
	"slices"
)

// origin is what makes a value, as far as a file shows.
type origin struct {
	of     *encoded
	file   *ast.File
	called map[string]bool // functions and methods that are called for it
	shared bool            // another variable is the value, or a part of it, and may change it
}

// mostNames is the number of other names of a value that are followed.
const mostNames = 3

// madeOfOthers reports whether what makes the value may change it later: a variable that is another name of it, or the
// functions that are called where it is assigned, with what these call in the file, if they start a goroutine or keep a
// function or a value.
func (v *encoded) madeOfOthers(file *ast.File) bool {
	o := origin{of: v, file: file, called: map[string]bool{}}
	for _, d := range file.Decls {
		fn, _ := d.(*ast.FuncDecl)
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if v.receiver == "" && fn == nil && hasName(n.Names, v.path[0]) {
					o.madeBy(fn, n.Values...)
				}
			case *ast.AssignStmt:
				if slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return v.overlaps(selected(e)) }) {
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

// hasKeys reports whether the elements of a literal have keys.
func hasKeys(n *ast.CompositeLit) bool { _, ok := n.Elts[0].(*ast.KeyValueExpr); return ok }

// madeBy notes what makes the value: expressions in a function, or outside of functions if that is nil.
func (o *origin) madeBy(fn *ast.FuncDecl, list ...ast.Expr) {
	for _, e := range list {
		o.calls(e)
		for _, alias := range aliases(e) {
			o.shared = o.shared || o.changedAs(alias, fn)
		}
	}
}

// calls notes the functions that a node calls.
func (o *origin) calls(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			o.called[calleeName(c)] = true
		}
		return true
	})
}

// aliases returns the variables and fields that are an expression, or an element of it if it is a literal, or appended.
func aliases(e ast.Expr) (list []ast.Expr) {
	switch x := e.(type) {
	case *ast.CompositeLit:
		for _, element := range x.Elts {
			list = append(list, aliases(element)...)
		}
		return list
	case *ast.KeyValueExpr:
		return aliases(x.Value)
	case *ast.UnaryExpr:
		return aliases(x.X)
	case *ast.ParenExpr:
		return aliases(x.X)
	case *ast.CallExpr:
		if calleeName(x) == "append" && len(x.Args) > 0 {
			return aliases(&ast.CompositeLit{Elts: x.Args[1:]})
		}
	}
	if selected(e) == nil {
		return nil
	}
	return []ast.Expr{e}
}

// changedAs reports whether a variable or a field in a function, which is the value or a part of it, may change.
func (o *origin) changedAs(alias ast.Expr, fn *ast.FuncDecl) bool {
	path := selected(alias)
	v := &encoded{use: alias, path: path, names: o.of.names + 1}
	switch {
	case v.names > mostNames:
		return true
	case fn != nil && binds(fn, path[0]):
		parameters := slices.Clone(fn.Type.Params.List)
		if fn.Recv != nil {
			parameters = append(parameters, fn.Recv.List...)
		}
		if slices.ContainsFunc(parameters, func(f *ast.Field) bool { return hasName(f.Names, path[0]) }) {
			return true
		}
		when := runsAtStart
		if fn.Name.Name == "main" {
			when = runsInMain
		}
		again := false
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if s, ok := n.(*ast.AssignStmt); ok && slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool {
				return v.overlaps(selected(e))
			}) {
				for _, e := range s.Rhs {
					o.calls(e)
					again = again || len(aliases(e)) > 0
				}
			}
			return true
		})
		return again || v.changedIn(fn.Body, when)
	case declares(o.file, path[0]):
		return v.changes(o.file)
	}
	return false // a constant, a function, or a variable of another package
}

// keeps reports whether a function of the file that is called for the value has a goroutine, a function literal that
// does not sort, or a function that runs later, or assigns to a variable of the package.
func (o *origin) keeps() (yes bool) {
	for seen := -1; seen < len(o.called) && !yes; {
		seen = len(o.called)
		for _, d := range o.file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && o.called[fn.Name.Name] {
				yes = yes || o.keepsIn(fn)
				o.calls(fn.Body)
			}
		}
	}
	return yes
}

// keepsIn is keeps for one function.
func (o *origin) keepsIn(fn *ast.FuncDecl) (yes bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.FuncLit, *ast.SendStmt:
			yes = true
		case *ast.CallExpr:
			if sorts(n) {
				return false
			}
			yes = yes || startsFunction(n)
		case *ast.AssignStmt:
			yes = yes || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool {
				if element, ok := e.(*ast.IndexExpr); ok {
					e = element.X
				}
				path := selected(e)
				return len(path) > 0 && declares(o.file, path[0]) && !binds(fn, path[0])
			})
		}
		return !yes
	})
	return yes
}

// startsFunction reports whether a call has a function that runs later.
func startsFunction(c *ast.CallExpr) bool {
	return slices.Contains([]string{"AfterFunc", "Go", "Handle", "HandleFunc"}, calleeName(c))
}
