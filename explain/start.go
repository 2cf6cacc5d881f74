package explain

import (
	"go/ast"
	"regexp"
)

// startFunctions returns the names of functions that run once: main and init, and those that only these or a variable
// of the package call, outside of loops, as far as the file shows. Other packages may call exported functions of a
// library.
func startFunctions(file *ast.File) map[string]bool {
	used := uses(file)
	start := map[string]bool{"main": true, "init": true}
	for known := 0; known < len(start); {
		known = len(start)
		for _, d := range file.Decls {
			if !runsOnce(d, start) {
				continue
			}
			outsideLoops(d, func(n ast.Node) {
				c, ok := n.(*ast.CallExpr)
				if !ok {
					return
				}
				path := selected(genericFunction(c.Fun))
				if len(path) == 1 && used[path[0]] == 1 && (file.Name.Name == "main" || !ast.IsExported(path[0])) {
					start[path[0]] = true
				}
			})
		}
	}
	return start
}

// runsOnce reports whether a declaration is that of variables or of one of some functions.
func runsOnce(d ast.Decl, start map[string]bool) bool {
	fn, ok := d.(*ast.FuncDecl)
	return !ok || fn.Recv == nil && start[fn.Name.Name]
}

// outsideLoops visits the nodes of code, but for loops, function literals and goroutines.
func outsideLoops(code ast.Node, see func(ast.Node)) {
	ast.Inspect(code, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.GoStmt:
			return false
		}
		see(n)
		return true
	})
}

// uses returns how often a file mentions each name other than as that of a function that it declares, of a field or of
// a method.
func uses(file *ast.File) map[string]int {
	used := map[string]int{}
	var visit func(ast.Node) bool
	in := func(x ast.Node) bool {
		ast.Inspect(x, visit)
		return false
	}
	visit = func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncDecl:
			return x.Body != nil && in(x.Body)
		case *ast.SelectorExpr: // the name of a field or a method is another
			return in(x.X)
		case *ast.Field:
			return in(x.Type)
		case *ast.Ident:
			used[x.Name]++
		}
		return true
	}
	for _, d := range file.Decls {
		ast.Inspect(d, visit)
	}
	return used
}

// constructorName matches the names of functions that make values, and so may assign to their fields.
var constructorName = regexp.MustCompile(`^([Nn]ew|[Ll]oad|[Oo]pen|[Ii]nit)([A-Z]|$)`)

// constructs reports whether a function makes values: a constructor, not a method.
func constructs(fn *ast.FuncDecl) bool {
	return fn.Recv == nil && constructorName.MatchString(fn.Name.Name)
}
