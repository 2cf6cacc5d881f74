package explain

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
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
		xYes, xNo := r.outcomes(e.X)
		yYes, yNo := r.outcomes(e.Y)
		switch e.Op {
		case token.LAND:
			return xYes && yYes, xNo || xYes && yNo
		case token.LOR:
			return xYes || xNo && yYes, xNo && yNo
		}
	}
	only := r.only(code) && !r.hasUpdate(code)
	return only, only
}

// isLook reports whether a condition depends on what others change. A bound of the number of rounds does not.
func (r *round) isLook(code ast.Expr) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op.Precedence() == token.EQL.Precedence() && r.counts.in(n) {
				return false
			}
		case *ast.CallExpr:
			yes = yes || r.at(n)
		case *ast.Ident:
			yes = yes || r.seen[n.Name] || r.locked && !r.counts[n.Name] && n.Name != "true" && n.Name != "nil"
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
		if !ok {
			return false
		}
		name := calleeName(c)
		return locking.MatchString(name) || name == "Gosched" || r.charges && name == "Charge" ||
			r.pauses && r.isPause(c)
	case *ast.DeclStmt:
		return r.only(s)
	case *ast.IncDecStmt:
		id, ok := s.X.(*ast.Ident)
		return ok && !r.walk[id.Name]
	case *ast.AssignStmt:
		if !allIdentifiers(s.Lhs) || r.hasUpdate(s) {
			return false
		}
		needed := s.Tok == token.ASSIGN && !slices.ContainsFunc(s.Rhs, func(e ast.Expr) bool { return !isPlain(e) })
		for _, l := range identifiers(s.Lhs...) {
			if r.walk[l] && s.Tok != token.DEFINE {
				return false
			}
			needed = needed || r.needs[l]
		}
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			_, constant := s.Rhs[0].(*ast.BasicLit)
			needed = needed || constant
		}
		return needed && !slices.ContainsFunc(s.Rhs, func(e ast.Expr) bool { return !r.only(e) })
	}
	return false
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
		if c, ok := n.(*ast.CallExpr); ok && strings.HasPrefix(calleeName(c), "CompareAndSwap") {
			yes = yes || r.isUpdate(c)
		}
		return !yes
	})
	return yes
}

func (r *round) isUpdate(c *ast.CallExpr) bool {
	of, old := c.Fun, 0
	if calleeName(c) != "CompareAndSwap" && len(c.Args) == 3 { // of package atomic
		of, old = c.Args[0], 1
	} else if s, ok := c.Fun.(*ast.SelectorExpr); ok {
		of = s.X
	}
	if r.walk.in(of) {
		return true
	}
	if len(c.Args) <= old {
		return false
	}
	id, ok := c.Args[old].(*ast.Ident)
	return ok && slices.ContainsFunc(r.flow.sources[id.Name], func(from ast.Expr) (loads bool) {
		ast.Inspect(from, func(n ast.Node) bool {
			if l, ok := n.(*ast.CallExpr); ok && isLoad(l) {
				x := ast.Expr(nil)
				if len(l.Args) > 0 {
					x = l.Args[0]
				} else if s, ok := l.Fun.(*ast.SelectorExpr); ok {
					x = s.X
				}
				loads = loads || x != nil && sameCode(x, of)
			}
			return !loads
		})
		return loads
	})
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
			only = only && (r.at(n) && !trying.MatchString(name) || r.isHarmless(n) || locking.MatchString(name))
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
