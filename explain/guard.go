package explain

import (
	"go/ast"
	"go/token"
	"regexp"

	"github.com/brewput/brewput/evidence"
)

// guarding matches the names of functions of packages time and sync/atomic that return what the clock or others change.
var guarding = regexp.MustCompile(`^(Now|Since|Until|` + loads + `)$`)

// inGuard reports whether a position is in a condition of a polling loop: its body only defines variables, yields, and
// has if statements that compare the clock or an atomic variable, such as with the time at which a job is due. What it
// does then is no polling. A loop that moves on to compare something else searches.
func (p program) inGuard(loop *ast.ForStmt, at evidence.Frame) (in bool) {
	file := p.parsedFile(at.File)
	if loop.Cond != nil {
		if only, _ := onlyCompares(loop.Cond, file, nil); !only {
			return false
		}
		in = p.covers(loop.Cond, at.Line)
	}
	read := map[string]bool{} // variables that hold the time, or the value of an atomic variable
	for _, s := range loop.Body.List {
		end := s.End()
		switch s := s.(type) {
		case *ast.IfStmt:
			if !isGuard(s, file, read) {
				return false
			}
			end = s.Body.Lbrace
		case *ast.AssignStmt:
			if !defines(s, file, read) {
				return false
			}
		case *ast.ExprStmt:
			if !yields(s) {
				return false
			}
		default:
			return false
		}
		in = in || p.line(s.Pos()) <= at.Line && at.Line <= p.line(end)
	}
	return in && len(loop.Body.List) > 0 && !movesOn(loop, file, read)
}

// movesOn reports whether the conditions of a loop read a different atomic variable each time round, or compare a
// variable that the loop advances with a bound, and an if statement finds a flag such as one to stop not set: it
// searches, or works.
func movesOn(loop *ast.ForStmt, file *ast.File, read map[string]bool) (moves bool) {
	moving := flowOf(loop).moving(file, read)
	bound, unset := false, false
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.CallExpr:
			moves = moves || moving.inAtomic(n)
		case *ast.BinaryExpr:
			if n.Op.Precedence() == token.EQL.Precedence() && moving.in(n) {
				_, looks := onlyCompares(n, file, read)
				bound = bound || !looks
			}
		case *ast.UnaryExpr:
			c, ok := n.X.(*ast.CallExpr)
			unset = unset || n.Op == token.NOT && ok && atomicLoad.MatchString(calleeName(c))
		}
		return true
	}
	if loop.Cond != nil {
		ast.Inspect(loop.Cond, look)
		unset = false // the flag ends the loop
	}
	for _, s := range loop.Body.List {
		ast.Inspect(s, look)
	}
	return moves || bound && unset
}

// isGuard reports whether an if statement only compares what the clock or others change.
func isGuard(s *ast.IfStmt, file *ast.File, read map[string]bool) bool {
	if s.Init != nil {
		a, ok := s.Init.(*ast.AssignStmt)
		if !ok || !defines(a, file, read) {
			return false
		}
	}
	only, looks := onlyCompares(s.Cond, file, read)
	return only && looks && s.Else == nil
}

// defines reports whether a statement only defines variables, and adds those that hold what the clock or others change.
func defines(s *ast.AssignStmt, file *ast.File, read map[string]bool) bool {
	if s.Tok != token.DEFINE {
		return false
	}
	for _, r := range s.Rhs {
		only, looks := onlyCompares(r, file, read)
		if !only {
			return false
		}
		for _, l := range s.Lhs {
			if id, ok := l.(*ast.Ident); ok && looks {
				read[id.Name] = true
			}
		}
	}
	return true
}

// onlyCompares reports whether an expression of a file only compares and converts, and whether it looks at what the
// clock or others change, or at variables that hold that.
func onlyCompares(code ast.Expr, file *ast.File, read map[string]bool) (only, looks bool) {
	only = true
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			looks = looks || read[n.Name]
		case *ast.CallExpr:
			name := calleeName(n)
			look := guarding.MatchString(name) && (name != "Load" || len(n.Args) == 0)
			looks = looks || look
			only = only && (name == "Len" || !hasFunction(file, name) && (look || harmless.MatchString(name))) &&
				(len(n.Args) <= 1 || name == "min" || name == "max")
		case *ast.UnaryExpr:
			only = only && n.Op != token.ARROW
		case *ast.FuncLit:
			only = false
		}
		return true
	})
	return only, looks
}
