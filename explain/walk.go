package explain

import (
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// goesOn reports whether a loop uses a step as an index or as a place in memory: it goes from one element to the next.
func goesOn(loop ast.Stmt) bool { return isPlace(loop, flowOf(loop).steps()) }

// goesOnItself is goesOn by the steps that are not in a loop inside.
func goesOnItself(loop *ast.ForStmt) bool {
	own := slices.DeleteFunc(slices.Clone(loop.Body.List), func(s ast.Stmt) bool { return bodyOf(s) != nil })
	return isPlace(loop, flowOf(&ast.ForStmt{Body: &ast.BlockStmt{List: own}}).steps())
}

// isPlace reports whether a loop uses one of its steps as an index or as a place in memory.
func isPlace(loop ast.Stmt, steps places) (on bool) {
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
	own := f.steps()
	steps := f.reaches(maps.Clone(own))
	ast.Inspect(loop, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		on = on || ok && (steps.inAtomic(c) || at.function != "" && calleeName(c) == at.function && steps.in(c))
		return !on
	})
	on = (on || isPlace(loop, own) || works(loop, at.function)) && !awaits(loop, own) &&
		(len(loops) == 1 || !onlyScans(loops[len(loops)-2]))

	a.advancing[at] = on
	return on
}

// works reports whether a loop repeats an operation, as benchmarks do, or calls a function in each round, other than
// the one that it asks, those that polling loops call, and conversions. A loop that tries a limited number of times,
// while an atomic variable has some value, or until an attempt succeeds may pause by such a call.
func works(loop ast.Stmt, asked string) bool {
	l, ok := loop.(*ast.ForStmt)
	if !ok {
		return repeatsN(loop.(*ast.RangeStmt).X)
	}
	looks := slices.ContainsFunc(calledEachTime(l.Cond), atomicLook.MatchString)
	if !looks && repeatsN(l.Cond) {
		return true
	}
	if looks || l.Init != nil || l.Post != nil || asked != "" && !mentionsCall(l, asked) || tries(l, asked) {
		return false
	}
	return slices.ContainsFunc(calledEachTime(l.Cond, l.Body.List...), func(name string) bool {
		return name != asked && !pollCalls.MatchString(name) && !harmless.MatchString(name) &&
			!looking.MatchString(name) && !converts.MatchString(name)
	})
}

// converts matches the names of conversions, and of methods that convert a time.
var converts = regexp.MustCompile(`^(|bool|string|byte|rune|Pointer|Unix(Milli|Micro|Nano)?)$`)

// tries reports whether a loop ends when the function that it asks, or a compare-and-swap, succeeds: its condition
// negates that, or an if statement of it only ends the loop.
func tries(l *ast.ForStmt, asked string) bool {
	attempt := func(e ast.Expr) bool {
		c, ok := e.(*ast.CallExpr)
		return ok && (asked != "" && calleeName(c) == asked || strings.HasPrefix(calleeName(c), "CompareAndSwap"))
	}
	if not, ok := l.Cond.(*ast.UnaryExpr); ok && not.Op == token.NOT && attempt(not.X) {
		return true
	}
	return slices.ContainsFunc(l.Body.List, func(s ast.Stmt) bool {
		i, ok := s.(*ast.IfStmt)
		return ok && attempt(i.Cond) && (endsIn(i.Body, token.RETURN) || endsIn(i.Body, token.BREAK))
	})
}

// calledEachTime returns the functions that a condition, which may be nil, and statements call whenever they begin: up
// to the first that may end the round.
func calledEachTime(cond ast.Expr, list ...ast.Stmt) (names []string) {
	converted := map[*ast.CallExpr]bool{} // types of the program
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.CommClause, *ast.CaseClause, *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			for _, x := range []ast.Expr{n.X, n.Y} {
				if c, ok := x.(*ast.CallExpr); ok && len(c.Args) == 1 {
					of, ok := c.Args[0].(*ast.CallExpr)
					converted[c] = ok && atomicLook.MatchString(calleeName(of))
				}
			}
		case *ast.CallExpr:
			if !converted[n] {
				names = append(names, calleeName(n))
			}
		}
		return true
	}
	if cond != nil {
		ast.Inspect(cond, look)
	}
	for _, s := range list {
		ast.Inspect(s, look)
		if i, ok := s.(*ast.IfStmt); ok && endsIn(i.Body, token.CONTINUE) {
			break
		}
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
		for name := range flowOf(&ast.ForStmt{Body: &ast.BlockStmt{List: []ast.Stmt{s}}}).kept {
			if steps[name] {
				return false
			}
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
		if !yields(s) {
			return i == len(b.List)-1 && endsIn(b, token.CONTINUE)
		}
	}
	return false
}

// onlyScans reports whether a loop around another one does nothing but repeat it until it finds what others change.
func onlyScans(loop ast.Stmt) bool {
	l, ok := loop.(*ast.ForStmt)
	if !ok || l.Init != nil || l.Post != nil || goesOnItself(l) {
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
