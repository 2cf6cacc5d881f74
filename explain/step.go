package explain

import (
	"go/ast"
	"go/token"
	"slices"
)

// outcomes reports whether an idle round leads to the end of a condition that is true, and of one that is false.
func (r *round) outcomes(code ast.Expr) (yes, no bool) {
	switch e := code.(type) {
	case *ast.ParenExpr:
		return r.outcomes(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			no, yes = r.outcomes(e.X)
			return yes, no
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			xYes, xNo := r.outcomes(e.X)
			yYes, yNo := r.outcomes(e.Y)
			if e.Op == token.LAND {
				return xYes && yYes, xNo || xYes && yNo
			}
			return xYes || xNo && yYes, xNo && yNo
		case token.EQL, token.NEQ:
			only := r.isIdle(e)
			changed := !(r.reloads(e.X, e.Y) || r.reloads(e.Y, e.X)) // by another goroutine, which made progress
			if e.Op == token.EQL {
				return only, only && changed
			}
			return only && changed, only
		}
	}
	only := r.isIdle(code)
	return only, only
}

// isIdle reports whether an expression only looks, and shows no progress of another goroutine.
func (r *round) isIdle(code ast.Expr) bool {
	return r.only(code) && !r.hasUpdate(code) && !r.mixed.in(code) && !r.mixes(code) && !r.took.in(code)
}

// mixes reports whether an expression depends on the value that an update of the loop expects, and on another look, as
// in a queue with a number in each slot: another value there shows that another goroutine made progress.
func (r *round) mixes(code ast.Expr) bool {
	if !r.held.in(code) {
		return false
	}
	for name := range reads(code) {
		if r.seen[name] && !r.held[name] {
			return true
		}
	}
	return r.anyLook(code)
}

// reloads reports whether an expression loads an atomic variable again whose value a variable of the round holds.
func (r *round) reloads(held, code ast.Expr) bool {
	c, ok := code.(*ast.CallExpr)
	if !ok || !r.isLoad(c) {
		return false
	}
	return r.loadedFrom(held, loadedPlace(c))
}

// isLook reports whether a condition depends on what others change. A bound of the number of rounds does not.
func (r *round) isLook(code ast.Expr) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op.Precedence() == token.EQL.Precedence() && r.bounds.in(n) {
				return false
			}
		case *ast.CallExpr:
			yes = yes || r.at(n)
		case *ast.SelectorExpr:
			yes = yes || r.seen[placeName(n)]
		case *ast.Ident:
			yes = yes || r.seen[n.Name] || r.locked && !r.bounds[n.Name] && n.Name != "true" && n.Name != "nil"
		}
		return !yes
	})
	return yes
}

// clean reports whether a simple statement only looks, yields or pauses, and changes only what the conditions of the
// loop need, or a count.
func (r *round) clean(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return true
	case *ast.ExprStmt:
		c, ok := s.X.(*ast.CallExpr)
		return ok && (r.isIdleCall(c) || r.pauses && r.isPause(c))
	case *ast.DeclStmt:
		return r.only(s)
	case *ast.IncDecStmt:
		name := placeName(s.X)
		_, variable := s.X.(*ast.Ident)
		return name != "" && !r.walk[name] && (variable || !r.needs[name] && !r.locked)
	case *ast.AssignStmt:
		return r.cleanAssignment(s)
	}
	return false
}

// isIdleCall reports whether a call takes or gives back a lock, or yields.
func (r *round) isIdleCall(e ast.Expr) bool {
	c, ok := e.(*ast.CallExpr)
	name := ""
	if ok {
		name = calleeName(c)
	}
	return locking.MatchString(name) || name == "Gosched" || r.charges && name == "Charge"
}

// cleanAssignment is clean for an assignment.
func (r *round) cleanAssignment(s *ast.AssignStmt) bool {
	if r.hasUpdate(s) || slices.ContainsFunc(s.Rhs, func(e ast.Expr) bool { return !r.only(e) }) {
		return false
	}
	needed := false
	for i, l := range s.Lhs {
		name, from := placeName(l), s.Rhs[min(i, len(s.Rhs)-1)]
		_, variable := l.(*ast.Ident)
		_, constant := from.(*ast.BasicLit)
		anew := s.Tok == token.ASSIGN || s.Tok == token.DEFINE
		switch {
		case name == "" || r.walk[name] && s.Tok != token.DEFINE:
			return false
		case !variable && !(r.needs[name] && r.anyLook(from)): // it writes to memory
			return false
		case !anew && !constant && !r.needs[name]: // it adds up
			return false
		case r.flow.kept[name] && !r.anyLook(from) && r.computes(name, s, from):
			return false
		}
		needed = needed || !anew || r.needs[name] || isPlain(from)
	}
	return needed // and not computed for others
}

// computes reports whether an assignment makes a value of the last one, and not only counts.
func (r *round) computes(name string, s *ast.AssignStmt, from ast.Expr) bool {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		_, constant := from.(*ast.BasicLit)
		return !constant || !slices.Contains([]token.Token{token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN,
			token.SHL_ASSIGN}, s.Tok)
	}
	if !r.flow.from(name).in(from) {
		return false
	}
	b, ok := from.(*ast.BinaryExpr)
	if !ok || b.Op != token.ADD && b.Op != token.SUB {
		return true
	}
	_, constant := b.Y.(*ast.BasicLit)
	return !constant || placeName(b.X) != name
}

// isPlain reports whether an expression is a variable, a field or a constant.
func isPlain(e ast.Expr) bool {
	_, constant := e.(*ast.BasicLit)
	return constant || placeName(e) != ""
}

// isPause reports whether a call of an unknown function may be a pause: it neither uses what the loop found nor gives a
// result, and neither blocks nor changes an atomic variable.
func (r *round) isPause(c *ast.CallExpr) bool {
	name := calleeName(c)
	return name != "" && !r.at(c) &&
		!slices.Contains([]string{"Sleep", "Wait", "Add", "Store", "Swap", "And", "Or", "panic", "close"}, name) &&
		!slices.ContainsFunc(c.Args, func(e ast.Expr) bool { return !r.only(e) || r.seen.in(e) })
}

// hasUpdate reports whether code compares an atomic variable with the value that the loop loaded from it, to swap it.
// That fails only if another goroutine made progress. So does an attempt at each element in turn.
func (r *round) hasUpdate(code ast.Node) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && r.isSwap(c) {
			yes = yes || r.isUpdate(c)
		}
		return !yes
	})
	return yes
}

func (r *round) isUpdate(c *ast.CallExpr) bool {
	of, old := swapped(c)
	if of == nil || r.walk.in(of) {
		return true
	}
	id, ok := old.(*ast.Ident)
	return r.seen.in(of) || r.loadedFrom(old, of) || ok && id.Name == "nil" && r.loads(of)
}

// swapped returns what a call compares and swaps, and the value that it expects there. They are nil if it has other
// arguments.
func swapped(c *ast.CallExpr) (of, old ast.Expr) {
	s, method := c.Fun.(*ast.SelectorExpr)
	switch {
	case len(c.Args) == 3:
		return c.Args[0], c.Args[1]
	case len(c.Args) == 2 && method:
		return s.X, c.Args[0]
	}
	return nil, nil
}

// loadedPlace returns what a call loads, or nil.
func loadedPlace(c *ast.CallExpr) ast.Expr {
	if len(c.Args) > 0 {
		return c.Args[0]
	}
	if s, ok := c.Fun.(*ast.SelectorExpr); ok {
		return s.X
	}
	return nil
}

// loadedFrom reports whether an expression reads a variable of the round that holds what was loaded from a place.
func (r *round) loadedFrom(code, place ast.Expr) bool {
	for name := range reads(code) {
		if slices.ContainsFunc(r.flow.sources[name], func(from ast.Expr) bool { return r.isLoaded(from, place) }) {
			return true
		}
	}
	return false
}

// loads reports whether the loop loads from a place.
func (r *round) loads(place ast.Expr) bool { return r.isLoaded(r.loop, place) }

// isLoaded reports whether code loads from a place.
func (r *round) isLoaded(code ast.Node, place ast.Expr) (loads bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		loads = loads || ok && r.isLoad(c) && place != nil && sameCode(loadedPlace(c), place)
		return !loads
	})
	return loads
}

// noteMixed finds the variables that hold what mixes.
func (r *round) noteMixed() {
	r.held, r.mixed = places{}, places{}
	ast.Inspect(r.loop, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && r.isSwap(c) && r.isUpdate(c) {
			if _, old := swapped(c); old != nil {
				for name := range reads(old) {
					r.held[name] = r.seen[name]
				}
			}
		}
		return true
	})
	for name, from := range r.flow.sources {
		r.mixed[name] = slices.ContainsFunc(from, r.mixes)
	}
}

// updates reports whether the loop updates an atomic variable without a lock.
func (r *round) updates() bool { return r.hasUpdate(r.loop) }

// scans reports whether code inside the loop only looks, and changes only variables, such as the place in a list.
func (r *round) scans(code ast.Stmt) bool {
	only := true
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := calleeName(n)
			only = only && (r.at(n) && !trying.MatchString(name) || r.isHarmless(n) || r.isIdleCall(n))
		case *ast.AssignStmt:
			only = only && allIdentifiers(n.Lhs)
		case *ast.IncDecStmt:
			_, ok := n.X.(*ast.Ident)
			only = only && ok
		case *ast.UnaryExpr:
			only = only && n.Op != token.ARROW
		case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.FuncLit:
			only = false
		}
		return only
	})
	return only
}
