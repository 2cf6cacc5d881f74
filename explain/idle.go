package explain

import (
	"go/ast"
	"go/token"
	"slices"
)

// leads reports whether an idle round leads from the begin of some statements to the next round, if one leads there
// from their end (after), and from continue statements (again).
func (r *round) leads(list []ast.Stmt, after, again bool) bool {
	for _, s := range slices.Backward(list) {
		after = r.leadsFrom(s, after, again)
	}
	return after
}

// falls reports whether an idle round leads through some statements to what follows them.
func (r *round) falls(list ...ast.Stmt) bool { return r.leads(list, true, false) }

// leadsFrom is leads for one statement.
func (r *round) leadsFrom(s ast.Stmt, after, again bool) bool {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return r.leads(s.List, after, again)
	case *ast.LabeledStmt:
		return r.leadsFrom(s.Stmt, after, again)
	case *ast.IfStmt:
		then, other := r.branches(s)
		return then && r.leads(s.Body.List, after, again) || other && r.leadsElse(s, after, again)
	case *ast.SwitchStmt:
		return r.leadsSwitch(s, after, again)
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			if c := c.(*ast.CommClause); c.Comm == nil {
				return r.leads(c.Body, after, again)
			}
		}
		return false
	case *ast.BranchStmt:
		return again && s.Tok == token.CONTINUE && (s.Label == nil || s.Label.Name == r.label)
	case *ast.ForStmt, *ast.RangeStmt:
		return after && r.scans(s)
	}
	return after && r.clean(s)
}

// leadsElse is leads from the end of the condition of an if statement, if it is false.
func (r *round) leadsElse(s *ast.IfStmt, after, again bool) bool {
	if s.Else == nil {
		return after
	}
	return r.leadsFrom(s.Else, after, again)
}

// leadsSwitch is leads for a switch statement.
func (r *round) leadsSwitch(s *ast.SwitchStmt, after, again bool) bool {
	if s.Init != nil && !r.clean(s.Init) || s.Tag != nil && !r.only(s.Tag) {
		return false
	}
	leads, all := false, false
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if slices.ContainsFunc(c.List, func(e ast.Expr) bool { return !r.only(e) }) {
			return false
		}
		all = all || c.List == nil
		leads = leads || r.leads(caseBody(c), after, again)
	}
	return leads || !all && after
}

// caseBody returns the statements of a clause, without a break statement at the end.
func caseBody(c *ast.CaseClause) []ast.Stmt {
	if n := len(c.Body); n > 0 {
		if b, ok := c.Body[n-1].(*ast.BranchStmt); ok && b.Tok == token.BREAK && b.Label == nil {
			return c.Body[:n-1]
		}
	}
	return c.Body
}

// branches reports whether an idle round may lead to the body of an if statement, and past it.
func (r *round) branches(s *ast.IfStmt) (then, other bool) {
	if s.Init != nil && !r.clean(s.Init) {
		return false, false
	}
	then, other = r.outcomes(s.Cond)
	through := r.falls(s.Body)
	if r.counts.in(s.Cond) && !r.anyLook(s.Cond) { // it counts its rounds, and may pause after some
		return then, other
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
	case !through && !r.leaves(s.Body) && hasNegatedLoad(s.Cond): // it works until it is told to stop
		return then, false
	}
	return then, other
}

// leaves reports whether a block ends the loop or the round.
func (r *round) leaves(b *ast.BlockStmt) bool {
	if endsIn(b, token.RETURN, token.BREAK, token.GOTO) {
		return true
	}
	if n := len(b.List); n > 0 {
		switch s := b.List[n-1].(type) {
		case *ast.BranchStmt: // of a loop around this one
			return s.Label != nil && s.Label.Name != r.label
		case *ast.ExprStmt:
			c, ok := s.X.(*ast.CallExpr)
			return ok && slices.Contains([]string{"panic", "Fatal", "Fatalf", "Exit", "Goexit"}, calleeName(c))
		}
	}
	return false
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
func hasNegatedLoad(code ast.Expr) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		if not, ok := n.(*ast.UnaryExpr); ok && not.Op == token.NOT {
			c, ok := not.X.(*ast.CallExpr)
			yes = yes || ok && isLoad(c)
		}
		return !yes
	})
	return yes
}

// mark notes the code of idle rounds in some statements, if one leads to the next round from their end (after).
func (r *round) mark(list []ast.Stmt, after bool) {
	for i, s := range list {
		rest := r.leads(list[i+1:], after, true)
		if !r.leadsFrom(s, rest, true) {
			return
		}
		r.markIn(s, rest)
		if !r.falls(s) {
			return
		}
	}
}

// markIn is mark for one statement.
func (r *round) markIn(s ast.Stmt, after bool) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		r.mark(s.List, after)
	case *ast.LabeledStmt:
		r.markIn(s.Stmt, after)
	case *ast.IfStmt:
		r.markIf(s, after)
	case *ast.SwitchStmt:
		if s.Tag != nil {
			r.idle = append(r.idle, s.Tag)
		}
		for _, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			for _, e := range c.List {
				r.idle = append(r.idle, e)
				condition := e
				if s.Tag != nil {
					condition = s.Tag
				}
				r.choose(condition, r.leads(caseBody(c), after, true), r.leaves(&ast.BlockStmt{List: caseBody(c)}))
			}
			if r.leads(caseBody(c), after, true) {
				r.mark(caseBody(c), after)
			}
		}
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			if c := c.(*ast.CommClause); c.Comm == nil {
				r.mark(c.Body, after)
			}
		}
	default:
		r.idle = append(r.idle, s)
	}
}

// markIf is mark for an if statement.
func (r *round) markIf(s *ast.IfStmt, after bool) {
	if s.Init != nil {
		r.idle = append(r.idle, s.Init)
	}
	r.idle = append(r.idle, s.Cond)
	then, other := r.branches(s)
	r.choose(s.Cond, then && r.leads(s.Body.List, after, true), r.leaves(s.Body))
	if then && r.leads(s.Body.List, after, true) {
		r.mark(s.Body.List, after)
	}
	if s.Else != nil && other && r.leadsFrom(s.Else, after, true) {
		r.markIn(s.Else, after)
	} else if s.Else != nil || !other || !after {
		r.choose(s.Cond, false, !after || s.Else != nil && r.leavesElse(s.Else))
	}
}

// choose notes a condition that looks, if one of its branches does not lead to the next round.
func (r *round) choose(condition ast.Expr, idle, leaves bool) {
	switch {
	case idle || !r.isLook(condition):
	case leaves:
		r.exits = append(r.exits, condition)
	default:
		r.works = append(r.works, condition)
	}
}
