package explain

import (
	"go/ast"
	"go/token"
	"slices"
)

// identifiers returns the names among expressions.
func identifiers(list ...ast.Expr) (names []string) {
	for _, e := range list {
		if id, ok := e.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
	}
	return names
}

// mentions reports whether an expression contains one of some variables.
func mentions(e ast.Expr, names []string) bool {
	has := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // the name of a field is not a variable
			has = has || mentions(n.X, names)
			return false
		case *ast.Ident:
			has = has || slices.Contains(names, n.Name)
		}
		return !has
	})

	return has
}

// allIdentifiers reports whether all expressions are variables.
func allIdentifiers(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool { _, ok := e.(*ast.Ident); return !ok })
}

// calleeName returns the name of the function or method that is called.
func calleeName(n *ast.CallExpr) string {
	switch f := genericFunction(n.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// startedFunction returns the function that a node starts in a goroutine: by go, or as the last argument of a function
// called Go, as of a WaitGroup. Without one it is nil.
func startedFunction(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Call.Fun
	case *ast.CallExpr:
		if calleeName(n) == "Go" && len(n.Args) > 0 {
			return n.Args[len(n.Args)-1]
		}
	}
	return nil
}

// genericFunction returns the function of an expression that may have type arguments.
func genericFunction(e ast.Expr) ast.Expr {
	switch f := e.(type) {
	case *ast.IndexExpr:
		return f.X
	case *ast.IndexListExpr:
		return f.X
	}
	return e
}

// selected returns the names of a variable and its fields, as in x.y or &x.y, or nil for another expression.
func selected(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.Ident:
		return []string{e.Name}
	case *ast.SelectorExpr:
		if of := selected(e.X); of != nil {
			return append(of, e.Sel.Name)
		}
	case *ast.ParenExpr:
		return selected(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return selected(e.X)
		}
	case *ast.StarExpr:
		return selected(e.X)
	}
	return nil
}

// receiverName returns the name of the receiver of a method, or "".
func receiverName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 || len(fn.Recv.List[0].Names) != 1 {
		return ""
	}
	return fn.Recv.List[0].Names[0].Name
}

// receiverType returns the name of the type of the receiver of a method, or "".
func receiverType(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return ""
	}
	path := selected(fn.Recv.List[0].Type)
	if len(path) != 1 {
		return ""
	}
	return path[0]
}

// declares reports whether a file declares a variable of the package.
func declares(file *ast.File, name string) bool {
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return ok && g.Tok == token.VAR && slices.ContainsFunc(g.Specs, func(s ast.Spec) bool {
			return hasName(s.(*ast.ValueSpec).Names, name)
		})
	})
}

// setNames returns the names of the variables that a node declares or sets.
func setNames(n ast.Node) []string {
	var declared []*ast.Ident
	switch n := n.(type) {
	case *ast.AssignStmt:
		return identifiers(n.Lhs...)
	case *ast.RangeStmt:
		return identifiers(n.Key, n.Value)
	case *ast.ValueSpec:
		declared = n.Names
	case *ast.Field:
		declared = n.Names
	}
	names := make([]string, len(declared))
	for i, id := range declared {
		names[i] = id.Name
	}
	return names
}

// binds reports whether a function or a function literal has a parameter or a variable of a name.
func binds(fn ast.Node, name string) (yes bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			yes = yes || hasName(n.Names, name)
		case *ast.AssignStmt:
			yes = yes || n.Tok == token.DEFINE && slices.Contains(identifiers(n.Lhs...), name)
		case *ast.RangeStmt:
			yes = yes || n.Tok == token.DEFINE && slices.Contains(identifiers(n.Key, n.Value), name)
		case *ast.ValueSpec:
			yes = yes || hasName(n.Names, name)
		}
		return !yes
	})
	return yes
}

// hasName reports whether one of some identifiers has a name.
func hasName(list []*ast.Ident, name string) bool {
	return slices.ContainsFunc(list, func(id *ast.Ident) bool { return id.Name == name })
}

// hasParameter reports whether a function has a parameter, a result or a receiver of a name.
func hasParameter(fn *ast.FuncDecl, name string) bool {
	return slices.ContainsFunc([]*ast.FieldList{fn.Recv, fn.Type.Params, fn.Type.Results}, func(l *ast.FieldList) bool {
		return l != nil && slices.ContainsFunc(l.List, func(f *ast.Field) bool { return hasName(f.Names, name) })
	})
}

// container returns the list or map of an element, or another expression itself.
func container(e ast.Expr) ast.Expr {
	for {
		element, ok := e.(*ast.IndexExpr)
		if !ok {
			return e
		}
		e = element.X
	}
}

// declaredType returns the type of a variable at a node, as its declaration or the literal that it is set to says: in
// the function around the node if that declares it, otherwise in the package. It returns nil if neither says so.
func declaredType(file *ast.File, at ast.Node, name string) (of ast.Expr) {
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && surrounds(fn, at) && binds(fn, name) {
			return typeIn(fn, name)
		}
	}
	for _, d := range file.Decls {
		if _, ok := d.(*ast.GenDecl); ok && of == nil {
			of = typeIn(d, name)
		}
	}
	return of
}

// typeIn is declaredType for one declaration.
func typeIn(d ast.Decl, name string) (of ast.Expr) {
	literalType := func(names []string, values []ast.Expr) {
		for i, value := range values {
			if literal, ok := value.(*ast.CompositeLit); ok && i < len(names) && names[i] == name {
				of = literal.Type
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if n.Type != nil && hasName(n.Names, name) {
				of = n.Type
			}
			literalType(setNames(n), n.Values)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
				literalType(setNames(n), n.Rhs)
			}
		}
		return true
	})
	return of
}
