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

// lead is a statement with what leadsFrom is told of what follows it.
type lead struct {
	from         ast.Stmt
	after, again bool
}

// leadsFrom is leads for one statement.
func (r *round) leadsFrom(s ast.Stmt, after, again bool) bool {
	p := lead{s, after, again}
	leads, ok := r.leading[p]
	if !ok {
		leads = r.findLead(s, after, again)
		r.leading[p] = leads
	}
	return leads
}

// findLead is leadsFrom without what is known.
func (r *round) findLead(s ast.Stmt, after, again bool) bool {
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
		return after && r.scans(s) && r.looksAround(s)
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
	if s.Init != nil && !r.clean(s.Init) || s.Tag != nil && !r.isIdle(s.Tag) {
		return false
	}
	leads, all := false, false
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if slices.ContainsFunc(c.List, func(e ast.Expr) bool { return !r.isIdle(e) }) {
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
		r.markSwitch(s, after)
	case *ast.SelectStmt:
		r.idle = append(r.idle, &ast.EmptyStmt{Semicolon: s.Select}) // its first line
		for _, c := range s.Body.List {
			switch c := c.(*ast.CommClause); {
			case c.Comm == nil:
				r.mark(c.Body, after)
			case r.leaves(&ast.BlockStmt{List: c.Body}):
				r.exits = append(r.exits, channelOf(c.Comm))
			default:
				r.guards = append(r.guards, channelOf(c.Comm))
			}
		}
	default:
		if e, ok := s.(*ast.ExprStmt); !ok || r.isIdleCall(e.X) {
			r.idle = append(r.idle, s)
		}
	}
}

// channelOf returns the channel of an operation in a select statement, or what it receives.
func channelOf(s ast.Stmt) ast.Expr {
	switch s := s.(type) {
	case *ast.SendStmt:
		return s.Chan
	case *ast.ExprStmt:
		return s.X
	case *ast.AssignStmt:
		return s.Rhs[0]
	}
	return nil
}

// markSwitch is mark for a switch statement.
func (r *round) markSwitch(s *ast.SwitchStmt, after bool) {
	var all []ast.Expr
	if s.Tag != nil {
		r.idle, all = append(r.idle, s.Tag), append(all, s.Tag)
	}
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			r.idle, all = append(r.idle, e), append(all, e)
		}
	}
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		body, conditions := caseBody(c), c.List
		if s.Tag != nil || c.List == nil { // the default depends on all
			conditions = all
		}
		for _, e := range conditions {
			r.choose(e, r.leads(body, after, true), &ast.BlockStmt{List: body})
		}
		if r.leads(body, after, true) {
			r.mark(body, after)
		}
	}
}

// markIf is mark for an if statement.
func (r *round) markIf(s *ast.IfStmt, after bool) {
	if s.Init != nil {
		r.idle = append(r.idle, s.Init)
	}
	r.idle = append(r.idle, s.Cond)
	then, other := r.branches(s)
	r.choose(s.Cond, then && r.leads(s.Body.List, after, true), s.Body)
	if then && r.leads(s.Body.List, after, true) {
		r.mark(s.Body.List, after)
	}
	switch {
	case s.Else != nil && other && r.leadsFrom(s.Else, after, true):
		r.markIn(s.Else, after)
	case s.Else != nil:
		r.choose(s.Cond, false, s.Else)
	case !after: // what follows leads out of the loop
		r.choose(s.Cond, false, nil)
	}
}

// choose notes a condition that looks, if one of its branches does not lead to the next round. A branch that ends the
// program or the test is only a check.
func (r *round) choose(condition ast.Expr, idle bool, branch ast.Stmt) {
	if idle || !r.isLook(condition) {
		return
	}
	leaves := branch == nil
	switch b := branch.(type) {
	case *ast.BlockStmt:
		if fails(b) {
			return
		}
		leaves = r.leaves(b)
	case *ast.IfStmt:
		leaves = r.leavesElse(b)
	}
	if leaves {
		r.exits = append(r.exits, condition)
	} else {
		r.guards = append(r.guards, condition)
	}
}
