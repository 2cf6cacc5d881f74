package explain

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// adjacentCost is the fraction of the goroutines' CPU time in a loop that updates a counter, not in what it calls.
const adjacentCost = 0.2

// adjacentCounter finds a counter of one goroutine next to those of others, as in t := &tallies[worker] before a loop
// with t.n++. Elements that a struct of the same file pads do not share a cache line.
func (a *analysis) adjacentCounter() (evidence.Frame, bool) {
	if !a.hasSamples() {
		return evidence.Frame{}, false
	}
	known := map[evidence.Frame]evidence.Frame{} // counters by position; many samples have the same one
	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if w.root == "" || len(w.stack) == 0 || !a.prog.isOwn(w.stack[0]) {
			return evidence.Frame{}, false
		}
		at := a.prog.statement(w.stack, 0)
		taken, ok := known[at]
		if !ok {
			taken, _ = a.counterAround(at)
			known[at] = taken
		}
		return taken, taken.Line > 0
	})
	if len(groups) == 0 || groups[0].share < adjacentCost {
		return evidence.Frame{}, false
	}
	return groups[0].at, true
}

// counterAround returns where a counter was taken that the innermost loop around a position updates.
func (a *analysis) counterAround(at evidence.Frame) (taken evidence.Frame, ok bool) {
	file, around := a.prog.parsedFile(at.File), a.prog.innermostLoop(at)
	if around == nil || pads(file) {
		return evidence.Frame{}, false
	}
	fn := a.prog.functionAt(file, at.Line)
	if fn == nil {
		return evidence.Frame{}, false
	}
	findCounters(fn.Body, false, pointers{}, pointers{}, func(loop ast.Stmt, pos token.Pos) {
		if loop == around {
			taken, ok = evidence.Frame{Function: at.Function, File: at.File, Line: a.prog.line(pos)}, true
		}
	})
	return taken, ok
}

// pointers are the positions of the statements that take pointers to elements, by the names of the pointers.
type pointers map[string]token.Pos

// forget deletes the variables that a node declares or sets: they have another value from there on.
func (p pointers) forget(n ast.Node) {
	for _, name := range setNames(n) {
		delete(p, name)
	}
}

// without returns the pointers that no parameter or result of a function literal hides.
func without(p pointers, literal *ast.FuncType) pointers {
	p = maps.Clone(p)
	ast.Inspect(literal, func(n ast.Node) bool {
		p.forget(n)
		return true
	})
	return p
}

// startedBy returns the function literal that a node starts in a goroutine. Without one it is nil.
func startedBy(n ast.Node) *ast.FuncLit {
	lit, _ := startedFunction(n).(*ast.FuncLit)
	return lit
}

// findCounters calls a function for each loop that updates the fields of a pointer to an element which no loop of its
// goroutine chooses. taken has those pointers; all also those that loops choose, for the goroutines started in them.
func findCounters(scope ast.Node, inLoop bool, taken, all pointers, found func(ast.Stmt, token.Pos)) {
	forget := func(n ast.Node) { // what is set in an inner scope, or a variable of it
		for _, name := range assignedIn(n) {
			delete(taken, name)
			delete(all, name)
		}
	}
	inner := func(n ast.Node, inLoop bool, fixed pointers) {
		findCounters(n, inLoop, fixed, all, found)
		forget(n)
	}
	check := func(loop ast.Stmt, body *ast.BlockStmt) {
		chosen := assignedIn(loop)
		fixed := maps.Clone(taken)
		maps.DeleteFunc(fixed, func(name string, _ token.Pos) bool { return slices.Contains(chosen, name) })
		if at := updatedIn(body, fixed); at.IsValid() {
			found(loop, at)
		}
		inner(body, true, fixed)
		forget(loop)
	}
	ast.Inspect(scope, func(n ast.Node) bool {
		if lit := startedBy(n); lit != nil {
			outer := without(all, lit.Type)
			findCounters(lit.Body, false, outer, maps.Clone(outer), found)
			forget(lit.Body)
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.CaseClause, *ast.CommClause:
			if n != scope {
				inner(n, inLoop, taken)
				return false
			}
		case *ast.FuncLit:
			findCounters(n.Body, inLoop, without(taken, n.Type), without(all, n.Type), found)
			forget(n.Body)
			return false
		case *ast.ValueSpec:
			taken.forget(n)
			all.forget(n)
		case *ast.AssignStmt:
			taken.forget(n)
			all.forget(n)
			if name, ok := takesElement(n); ok {
				all[name] = n.Pos()
				if !inLoop {
					taken[name] = n.Pos()
				}
			}
		case *ast.ForStmt:
			check(n, n.Body)
			return false
		case *ast.RangeStmt:
			check(n, n.Body)
			return false
		}
		return true
	})
}

// assignedIn returns the names of the variables that the statements in a node set.
func assignedIn(in ast.Node) (names []string) {
	ast.Inspect(in, func(n ast.Node) bool {
		names = append(names, setNames(n)...)
		return true
	})
	return names
}

// updatedIn returns where a pointer was taken whose fields the body of a loop updates, outside of loops in it.
func updatedIn(body *ast.BlockStmt, taken pointers) (at token.Pos) {
	ast.Inspect(body, func(n ast.Node) bool {
		var of ast.Expr
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE && len(n.Lhs) == 1 {
				of = n.Lhs[0]
			}
		case *ast.IncDecStmt:
			of = n.X
		}
		if s, ok := of.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && taken[id.Name].IsValid() {
				at = taken[id.Name]
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

// pads reports whether a struct type of a file has a field that keeps its elements apart: a type named CacheLinePad, an
// array that is blank or called pad, or a blank field of a named type, which may be one. Other files are not read.
func pads(file *ast.File) (yes bool) {
	isPad := func(f *ast.Field) bool {
		if s, ok := f.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "CacheLinePad" {
			return true
		}
		blank := slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == "_" })
		array, ok := f.Type.(*ast.ArrayType)
		if !ok || array.Len == nil {
			path := selected(f.Type)
			return blank && len(path) > 0 && path[0] != "structs" && !strings.EqualFold(path[len(path)-1], "noCopy")
		}
		if l, literal := array.Len.(*ast.BasicLit); literal && l.Value == "0" {
			return false
		}
		return blank || slices.ContainsFunc(f.Names, func(id *ast.Ident) bool {
			return strings.HasPrefix(strings.TrimPrefix(id.Name, "_"), "pad")
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			yes = yes || slices.ContainsFunc(s.Fields.List, isPad)
		}
		return !yes
	})
	return yes
}
