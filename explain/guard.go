package explain

import (
	"go/ast"
	"go/token"
	"regexp"

	"github.com/brewput/brewput/evidence"
)

// guarding matches functions that return what others or the clock change, with at most one argument.
var guarding = regexp.MustCompile(`^(Now|Since|Until|` + loads + `)$`)

// inGuard reports whether a position is in a condition of a loop that only tries conditions until one is true, such as
// that a job is due. What it does then is no polling.
func (p program) inGuard(loop *ast.ForStmt, at evidence.Frame) (in bool) {
	file := p.parsedFile(at.File)
	if loop.Cond != nil {
		if only, _ := onlyTries(loop.Cond, file); !only {
			return false
		}
		in = p.covers(loop.Cond, at.Line)
	}
	looked := false // at what others or the clock change, to decide what to do
	for _, s := range loop.Body.List {
		var header []ast.Node
		end := s.End()
		switch s := s.(type) {
		case *ast.IfStmt:
			if s.Else != nil {
				return false
			}
			if s.Init != nil {
				header = append(header, s.Init)
			}
			header, end = append(header, s.Cond), s.Body.Lbrace
		case *ast.AssignStmt:
			header = append(header, s)
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); !ok || calleeName(c) != "Gosched" {
				return false
			}
		default:
			return false
		}
		for _, h := range header {
			only, looks := onlyTries(h, file)
			if !only {
				return false
			}
			looked = looked || looks
		}
		in = in || p.line(s.Pos()) <= at.Line && at.Line <= p.line(end)
	}
	return in && looked
}

// onlyTries reports whether code of a file only compares, and whether it looks at what others or the clock change.
func onlyTries(code ast.Node, file *ast.File) (only, looks bool) {
	only = true
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := calleeName(n)
			look := guarding.MatchString(name)
			looks = looks || look
			only = only && len(n.Args) <= 1 && (name == "Len" || !hasFunction(file, name) &&
				(look || harmless.MatchString(name)))
		case *ast.AssignStmt:
			only = only && n.Tok == token.DEFINE
		case *ast.UnaryExpr:
			only = only && n.Op != token.ARROW
		case *ast.FuncLit:
			only = false
		}
		return only
	})
	return only, looks
}
