package explain

import (
	"cmp"
	"go/ast"
	"go/token"
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// adjacentCounter finds a counter of one goroutine beside those of others, as in t := &tallies[worker] before a loop
// with t.n++. It looks in the functions of the program in or below which are at least sharedCost of the goroutines' CPU
// time, the largest share first. Elements that a file pads do not share a cache line.
func (a *analysis) adjacentCounter() (evidence.Frame, bool) {
	if !a.hasSamples() {
		return evidence.Frame{}, false
	}
	type place struct{ function, file string }
	shares, lines := map[place]float64{}, map[place]int{}
	var list []place
	for i := range a.cpu.list {
		w := &a.cpu.list[i]
		seen := map[place]bool{}
		for _, f := range w.stack {
			at := place{f.Function, f.File}
			if seen[at] || w.root == "" || !a.prog.isOwn(f) {
				continue
			}
			seen[at] = true
			if lines[at] == 0 {
				lines[at] = f.Line
				list = append(list, at)
			}
			shares[at] += w.weight / math.Max(a.cpu.user, 1e-9)
		}
	}
	slices.SortStableFunc(list, func(x, y place) int { return cmp.Compare(shares[y], shares[x]) })
	for _, at := range list {
		if shares[at] < sharedCost {
			continue
		}
		if line := a.counterIn(at.file, lines[at]); line > 0 {
			return evidence.Frame{Function: at.function, File: at.file, Line: line}, true
		}
	}
	return evidence.Frame{}, false
}

// counterIn returns the line at which the function around a line takes the address of an element whose fields it
// updates in a loop that does not choose the element; 0 if there is none, or if the file pads elements.
func (a *analysis) counterIn(name string, line int) (at int) {
	file := a.prog.parsedFile(name)
	if file == nil || pads(file) {
		return 0
	}
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || !a.prog.covers(fn, line) {
			continue
		}
		taken := map[string]token.Pos{} // by the name of the pointer
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if name, ok := takesElement(n); ok {
					taken[name] = n.Pos()
				}
			case *ast.ForStmt:
				at = max(at, a.updatedIn(n.Body, taken))
			case *ast.RangeStmt:
				at = max(at, a.updatedIn(n.Body, taken))
			}
			return true
		})
	}
	return at
}

// updatedIn returns the line at which a pointer was taken whose fields the body of a loop updates; 0 if there is none.
func (a *analysis) updatedIn(body *ast.BlockStmt, taken map[string]token.Pos) (at int) {
	own := map[string]bool{} // what the loop takes anew
	ast.Inspect(body, func(n ast.Node) bool {
		var of ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			if name, ok := takesElement(n); ok {
				own[name] = true
			}
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE && len(n.Lhs) == 1 {
				of = n.Lhs[0]
			}
		case *ast.IncDecStmt:
			of = n.X
		}
		if s, ok := of.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && !own[id.Name] && taken[id.Name].IsValid() {
				at = a.prog.line(taken[id.Name])
			}
		}
		return true
	})
	return at
}

// takesElement reports whether a statement sets a variable to the address of an element whose index is a variable.
func takesElement(n *ast.AssignStmt) (name string, ok bool) {
	if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 {
		return "", false
	}
	pointer, ok := n.Rhs[0].(*ast.UnaryExpr)
	if !ok || pointer.Op != token.AND {
		return "", false
	}
	element, ok := pointer.X.(*ast.IndexExpr)
	if !ok || len(identifiers(element.Index)) == 0 {
		return "", false
	}
	names := identifiers(n.Lhs...)
	return names[0], true
}

// pads reports whether a struct type of a file has a blank array, which keeps its elements apart.
func pads(file *ast.File) (yes bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			_, array := f.Type.(*ast.ArrayType)
			yes = yes || array && slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == "_" })
		}
		return !yes
	})
	return yes
}
