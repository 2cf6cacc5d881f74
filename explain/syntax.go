package explain

import (
	"go/ast"
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
	switch f := n.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
