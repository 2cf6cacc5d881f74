package explain

import (
	"go/ast"
	"go/token"
	"math"
	"regexp"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// linearSearch finds a loop that searches sequentially and takes much of the CPU time. What an index saves depends on
// the number of elements, which no profile shows, so that the low end of the gain is far below its share. A chain of
// links may be an index already, and gets no gain; the elements may be bytes of a text, unless they have fields.
func (a *analysis) linearSearch() []Finding {
	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		at, ok := a.prog.ownFrame(w.stack)
		if !ok || w.root == "" || w.category != UserCode {
			return evidence.Frame{}, false
		}
		l := a.searchLoopAt(at)
		return evidence.Frame{Function: at.Function, File: at.File, Line: l.line}, l.isSearch
	})
	if len(groups) == 0 || groups[0].share < searchShare {
		return nil
	}

	g := groups[0]

	f := a.newFinding(HotFunction, "A linear search takes %s of the CPU time.", percent(g.share))
	f.Level = ProfileLevel
	f.savesCPU = true
	f.Where = []string{a.prog.position(g.at)}
	f.Share = g.share
	f.citef("%s of the goroutines' CPU time is in the loop at %s", percent(g.share), a.quote(g.at))

	saved := g.share * a.activeFraction()
	at, _ := a.prog.ownFrame(g.sample)
	switch loop := a.searchLoopAt(at).loop; {
	case isChain(loop):
	case comparesFields(loop):
		f.Gain = newGain(0.85*saved, 0.2*math.Max(0, saved-a.shareHalfWidth(g.share)), saved)
	default:
		f.Gain = newGain(0.5*saved, 0.1*math.Max(0, saved-a.shareHalfWidth(g.share)), saved)
	}
	f.Alternative = "There are so few elements that an index would take as long."
	f.Fix = "Use an index: a map, or sorted data with slices.BinarySearch."
	f.Experiment = "Halve the data: if each element is looked up, time falls to a quarter."
	return []Finding{f}
}

// searchLoop is the innermost loop around a position, its first line, and whether it is a search.
type searchLoop struct {
	loop     ast.Stmt
	line     int
	isSearch bool
}

// searchLoopAt returns the innermost loop around a position, from the cache if it is there.
func (a *analysis) searchLoopAt(at evidence.Frame) searchLoop {
	if l, ok := a.searchLoops[at]; ok {
		return l
	}
	if a.searchLoops == nil {
		a.searchLoops = map[evidence.Frame]searchLoop{}
	}

	l := searchLoop{}
	if loop := a.prog.innermostLoop(at); loop != nil {
		l = searchLoop{loop, a.prog.line(loop.Pos()), isSearch(loop)}
	}

	a.searchLoops[at] = l
	return l
}

// isSearch reports whether a loop only looks through memory until it finds something. It compares each element with a
// given value and stops at a match, or it follows one chain while a condition holds.
func isSearch(loop ast.Stmt) bool {
	body, names := loopParts(loop)
	switch n := loop.(type) {
	case *ast.RangeStmt:
		return len(names) > 0 && (n.Value != nil || accessesMemory(body)) && onlyMatches(body, names)
	case *ast.ForStmt:
		if n.Cond != nil && n.Post == nil && accessesMemory(n.Cond) && len(body.List) == 1 {
			return followsLink(body.List[0]) && isMatch(n.Cond, nil)
		}
		return len(names) > 0 && accessesMemory(body) && onlyMatches(body, names)
	}

	return false
}

// loopParts returns the body of a loop, and the variables that it sets before each pass or at its start.
func loopParts(loop ast.Stmt) (body *ast.BlockStmt, names []string) {
	switch n := loop.(type) {
	case *ast.RangeStmt:
		return n.Body, identifiers(n.Key, n.Value)
	case *ast.ForStmt:
		if init, ok := n.Init.(*ast.AssignStmt); ok {
			names = identifiers(init.Lhs...)
		}
		return n.Body, names
	}
	return nil, nil
}

// followsLink reports whether a statement goes to the next element of a chain.
func followsLink(s ast.Stmt) bool {
	next, ok := s.(*ast.AssignStmt)
	return ok && next.Tok == token.ASSIGN && allIdentifiers(next.Lhs) && len(next.Rhs) == 1 && isLink(next.Rhs[0])
}

// callsLink reports whether a statement sets a variable to what a method of it returns, as in n = n.next.Load().
func callsLink(s ast.Stmt) bool {
	next, ok := s.(*ast.AssignStmt)
	if !ok || next.Tok != token.ASSIGN || len(next.Lhs) != 1 || len(next.Rhs) != 1 {
		return false
	}
	call, ok := next.Rhs[0].(*ast.CallExpr)
	return ok && mentions(call.Fun, identifiers(next.Lhs...))
}

// isChain reports whether a search goes from one link to the next, by a field or by a method as of an atomic pointer.
func isChain(loop ast.Stmt) bool {
	n, ok := loop.(*ast.ForStmt)
	return ok && (followsLink(n.Post) || callsLink(n.Post) ||
		len(n.Body.List) == 1 && (followsLink(n.Body.List[0]) || callsLink(n.Body.List[0])))
}

// comparesFields reports whether a search compares fields of its elements.
func comparesFields(loop ast.Stmt) (yes bool) {
	body, names := loopParts(loop)
	if body == nil {
		return false
	}
	isField := func(e ast.Expr) bool {
		s, ok := e.(*ast.SelectorExpr)
		return ok && mentions(s, names)
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			yes = yes || isField(n.X) || isField(n.Y)
		case *ast.CallExpr:
			yes = yes || equalityCalls.MatchString(calleeName(n)) && slices.ContainsFunc(n.Args, isField)
		}
		return !yes
	})
	return yes
}

// onlyMatches reports whether a block consists only of conditions that compare an element of the loop and then leave
// it.
func onlyMatches(b *ast.BlockStmt, loop []string) bool {
	for _, s := range b.List {
		n, ok := s.(*ast.IfStmt)
		if !ok || n.Init != nil || n.Else != nil || !isMatch(n.Cond, loop) ||
			!endsIn(n.Body, token.RETURN, token.BREAK) {
			return false
		}
	}
	return len(b.List) > 0
}

// isMatch reports whether a condition only compares, with an element of the loop on one side and the value that is
// searched for on the other. That value must not be a literal, since there is no index of letters and numbers. If loop
// is nil, the loop follows a chain, and it is enough that something other than nil is compared.
func isMatch(cond ast.Expr, loop []string) bool {
	switch n := cond.(type) {
	case *ast.ParenExpr:
		return isMatch(n.X, loop)
	case *ast.CallExpr:
		return equalityCalls.MatchString(calleeName(n)) && len(n.Args) == 2 &&
			comparesElement(n.Args[0], n.Args[1], loop)
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LAND, token.LOR:
			if loop == nil && (isNil(n.X) || isNil(n.Y)) {
				return isMatch(n.X, loop) || isMatch(n.Y, loop)
			}
			return isMatch(n.X, loop) && isMatch(n.Y, loop)
		case token.NEQ:
			return loop == nil && comparesElement(n.X, n.Y, loop)
		case token.EQL, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return comparesElement(n.X, n.Y, loop)
		}
	}

	return false
}

// isNil reports whether a condition compares with nil.
func isNil(e ast.Expr) bool {
	n, ok := e.(*ast.BinaryExpr)
	return ok && slices.Contains(identifiers(n.X, n.Y), "nil")
}

// comparesElement reports whether one of two expressions depends on the loop and the other does not.
func comparesElement(x, y ast.Expr, loop []string) bool {
	if !isSimple(x) || !isSimple(y) || slices.Contains(identifiers(x, y), "nil") {
		return false
	}
	return loop == nil || mentions(x, loop) != mentions(y, loop)
}

// isSimple reports whether an expression is a variable, a field or an element.
func isSimple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isSimple(e.X)
	case *ast.StarExpr:
		return isSimple(e.X)
	case *ast.IndexExpr:
		return isSimple(e.X) && isSimple(e.Index)
	}

	return false
}

// equalityCalls matches the names of functions that test for equality.
var equalityCalls = regexp.MustCompile(`^(Equal|EqualFold)$`)

// isLink reports whether an expression is the next element of a chain: a field or an indexed element.
func isLink(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return true
	case *ast.IndexExpr:
		_, name := e.Index.(*ast.Ident)
		return name
	}
	return false
}

// accessesMemory reports whether a node reads a field, an element or a pointer.
func accessesMemory(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
			found = true
		}
		return !found
	})
	return found
}
