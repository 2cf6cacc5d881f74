package explain

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// goesOn reports whether a loop uses a step as an index or as a place in memory: it goes from one element to the next.
func goesOn(loop ast.Stmt) (on bool) {
	steps := flowOf(loop).steps()
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			on = on || steps.in(n.Index)
		case *ast.SelectorExpr:
			on = on || steps.in(n.X)
		}
		return !on
	})
	return on
}

// advances reports whether an atomic operation in a stack does not poll: the innermost loop around it works in each
// round or goes from one element to the next, or there is no loop. Otherwise the loop is unknown, or it looks again
// and again.
func (a *analysis) advances(stack []evidence.Frame) bool {
	below := "" // the function that the loop calls for the operation
	for _, f := range stack {
		if !a.prog.mayBeOwn(f) {
			continue
		}
		file := a.prog.parsedFile(f.File)
		if file == nil || a.prog.functionAt(file, f.Line) == nil {
			return false
		}
		if loops := a.prog.loops(f); len(loops) > 0 {
			return a.advancesAt(asking{f, below}, loops)
		}
		below = functionName(f.Function)
	}
	return true
}

// advancesAt reports whether the innermost of the loops around a position that asks a function, or "" for an atomic
// variable, works in each round or goes from one element to the next.
func (a *analysis) advancesAt(at asking, loops []ast.Stmt) (on bool) {
	if known, ok := a.advancing[at]; ok {
		return known
	}
	if a.advancing == nil {
		a.advancing = map[asking]bool{}
	}

	loop := loops[len(loops)-1]
	f := flowOf(loop)
	steps := f.reaches(f.steps())
	ast.Inspect(loop, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		on = on || ok && (steps.inAtomic(c) || at.function != "" && calleeName(c) == at.function && steps.in(c))
		return !on
	})
	on = (on || goesOn(loop) || works(loop, at.function)) && !awaits(loop, f.steps()) &&
		(len(loops) == 1 || !onlyScans(loops[len(loops)-2]))

	a.advancing[at] = on
	return on
}

// works reports whether a loop repeats an operation, as benchmarks do, or calls a function in each round, other than
// the one that it asks, those that polling loops call, and conversions. A loop that tries a limited number of times, or
// while an atomic variable has some value, may pause by such a call.
func works(loop ast.Stmt, asked string) (works bool) {
	l, ok := loop.(*ast.ForStmt)
	if !ok {
		return repeatsN(loop.(*ast.RangeStmt).X)
	}
	if repeatsN(l.Cond) {
		return true
	}
	if l.Init != nil || l.Post != nil || slices.ContainsFunc(calledEachTime(l.Cond), atomicLook.MatchString) {
		return false
	}
	return slices.ContainsFunc(calledEachTime(l.Cond, l.Body.List...), func(name string) bool {
		return name != asked && !pollCalls.MatchString(name) && !harmless.MatchString(name)
	})
}

// calledEachTime returns the functions that a condition, which may be nil, and statements call whenever they run.
func calledEachTime(cond ast.Expr, list ...ast.Stmt) (names []string) {
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.CommClause, *ast.CaseClause, *ast.FuncLit:
			return false
		case *ast.CallExpr:
			names = append(names, calleeName(n))
		}
		return true
	}
	if cond != nil {
		ast.Inspect(cond, look)
	}
	for _, s := range list {
		ast.Inspect(s, look)
	}
	return names
}

// repeatsN reports whether the condition of a loop, or what it ranges over, is the field N, as of a testing.B.
func repeatsN(code ast.Expr) (repeats bool) {
	if code == nil {
		return false
	}
	ast.Inspect(code, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		repeats = repeats || ok && s.Sel.Name == "N"
		return true
	})
	return repeats
}

// awaits reports whether a loop repeats its round without a step until it finds something, as the only consumer of a
// ring or of a list does.
func awaits(loop ast.Stmt, steps places) bool {
	l, ok := loop.(*ast.ForStmt)
	if !ok || l.Post != nil {
		return false
	}
	for _, s := range l.Body.List {
		if f := flowOf(&ast.ForStmt{Body: &ast.BlockStmt{List: []ast.Stmt{s}}}); slices.ContainsFunc(f.names(),
			func(name string) bool { return steps[name] }) {
			return false
		}
		if s, ok := s.(*ast.IfStmt); ok && s.Else == nil && onlyContinues(s.Body) {
			return true
		}
	}
	return false
}

// onlyContinues reports whether a block only yields and begins the next round.
func onlyContinues(b *ast.BlockStmt) bool {
	for i, s := range b.List {
		switch s := s.(type) {
		case *ast.BranchStmt:
			return s.Tok == token.CONTINUE && i == len(b.List)-1
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); !ok || calleeName(c) != "Gosched" {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// onlyScans reports whether a loop around another one does nothing but repeat it until it finds what others change.
func onlyScans(loop ast.Stmt) bool {
	l, ok := loop.(*ast.ForStmt)
	if !ok || l.Init != nil || l.Post != nil {
		return false
	}
	only := true
	ast.Inspect(l, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := calleeName(n)
			only = only && (pollCalls.MatchString(name) && !mentionsCall(n, "CompareAndSwap"))
		case *ast.UnaryExpr:
			only = only && n.Op != token.ARROW
		case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.FuncLit:
			only = false
		}
		return only
	})
	return only
}
