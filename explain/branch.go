package explain

import (
	"go/ast"
	"go/token"
	"slices"
)

// branches reports whether an idle round may lead to the body of an if statement, and past it.
func (r *round) branches(s *ast.IfStmt) (then, other bool) {
	if s.Init != nil && !r.clean(s.Init) {
		return false, false
	}
	then, other = r.outcomes(s.Cond)
	through := r.falls(s.Body)
	if r.bounds.in(s.Cond) && !r.anyLook(s.Cond) { // it may pause after some rounds
		counts := r.comparesCount(s.Cond)
		return then && counts, other && counts
	}
	if !r.isLook(s.Cond) {
		// Work that depends on nothing that others change is done anyway.
		if !through && !r.leaves(s.Body) || s.Else != nil && !r.falls(s.Else) && !r.leavesElse(s.Else) {
			return false, false
		}
		return then, other
	}
	switch {
	case through && s.Else == nil && changes(s.Body): // it counts what it finds
		return false, false
	case s.Else == nil && !through && r.onlyWalks(s.Body): // it searches
		return then, false
	case !through && !r.leaves(s.Body) && r.hasNegatedLoad(s.Cond): // it works until it is told to stop
		return then, false
	}
	return then, other
}

// comparesCount reports whether a condition compares a count, or its remainder, and computes nothing else of it.
func (r *round) comparesCount(code ast.Expr) (only bool) {
	isCount := func(e ast.Expr) bool {
		if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && (b.Op == token.REM || b.Op == token.AND) {
			_, constant := b.Y.(*ast.BasicLit)
			if !constant {
				return false
			}
			e = b.X
		}
		return r.counts[placeName(e)] || !r.bounds.in(e)
	}
	b, ok := code.(*ast.BinaryExpr)
	return ok && isCount(b.X) && isCount(b.Y)
}

// leaves reports whether a block ends the loop.
func (r *round) leaves(b *ast.BlockStmt) bool {
	if endsIn(b, token.RETURN, token.BREAK, token.GOTO) || fails(b) {
		return true
	}
	if n := len(b.List); n > 0 {
		s, ok := b.List[n-1].(*ast.BranchStmt)
		return ok && s.Label != nil && s.Label.Name != r.label // of a loop around this one
	}
	return false
}

// fails reports whether a block ends the program, the test or the goroutine.
func fails(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	s, ok := b.List[len(b.List)-1].(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := s.X.(*ast.CallExpr)
	return ok && slices.Contains([]string{"panic", "Panic", "Panicf", "Fatal", "Fatalf", "Fatalln", "FailNow",
		"Exit", "Goexit"}, calleeName(c))
}

// leavesElse is leaves for what follows else.
func (r *round) leavesElse(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return r.leaves(s)
	case *ast.IfStmt:
		return r.leaves(s.Body) && (s.Else == nil || r.leavesElse(s.Else))
	}
	return false
}

// changes reports whether a block changes a variable.
func changes(b *ast.BlockStmt) (yes bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt:
			yes = true
		}
		return !yes
	})
	return yes
}

// onlyWalks reports whether a block does nothing but go to another element.
func (r *round) onlyWalks(b *ast.BlockStmt) bool {
	return len(b.List) > 0 && !slices.ContainsFunc(b.List, func(s ast.Stmt) bool {
		switch s := s.(type) {
		case *ast.IncDecStmt:
			return !r.walk[assigned(s.X)]
		case *ast.AssignStmt:
			return slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { return !r.walk[assigned(e)] }) ||
				slices.ContainsFunc(s.Rhs, func(e ast.Expr) bool { return !r.only(e) })
		}
		return true
	})
}

// hasNegatedLoad reports whether a condition has the form !x.Load().
func (r *round) hasNegatedLoad(code ast.Expr) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		if not, ok := n.(*ast.UnaryExpr); ok && not.Op == token.NOT {
			c, ok := not.X.(*ast.CallExpr)
			yes = yes || ok && r.isLoad(c)
		}
		return !yes
	})
	return yes
}
