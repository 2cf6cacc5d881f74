package explain

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// A phase is when code runs. The goroutines and function literals of code may run at any time.
type phase int

const (
	runsAnytime phase = iota
	runsAtStart       // once
	runsInMain        // once, but for its loops
)

// mentionSearch looks for mentions of a value by which code may change it.
type mentionSearch struct {
	of    *encoded
	when  phase
	found bool
}

// changedIn reports whether code may change the value.
func (v *encoded) changedIn(code ast.Node, when phase) bool {
	m := mentionSearch{of: v, when: when}
	m.in(code)
	return m.found
}

// in looks into nodes. Nil ones have nothing.
func (m *mentionSearch) in(list ...ast.Node) {
	for _, n := range list {
		if !m.found && n != nil {
			ast.Inspect(n, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					return !m.found && m.expression(e)
				}
				return !m.found && m.statement(n)
			})
		}
	}
}

// expressions looks into expressions.
func (m *mentionSearch) expressions(list []ast.Expr) {
	for _, e := range list {
		m.in(e)
	}
}

// beside looks into what expressions have other than paths of names, which are only read or assigned to there.
func (m *mentionSearch) beside(list ...ast.Expr) {
	for _, e := range list {
		switch x := e.(type) {
		case *ast.IndexExpr:
			m.beside(x.X)
			m.in(x.Index)
		case *ast.SelectorExpr:
			m.beside(x.X)
		case *ast.StarExpr:
			m.beside(x.X)
		case *ast.ParenExpr:
			m.beside(x.X)
		case *ast.UnaryExpr:
			m.beside(x.X)
		case *ast.Ident, nil:
		default:
			m.in(x)
		}
	}
}

// later looks into code that may run at any time.
func (m *mentionSearch) later(code ast.Node) (more bool) {
	m.found = m.of.changedIn(code, runsAnytime)
	return false
}

// statement looks into a statement or another node that is no expression. more asks for the nodes in it.
func (m *mentionSearch) statement(n ast.Node) (more bool) {
	once := m.when != runsAnytime
	switch n := n.(type) {
	case *ast.GoStmt:
		return m.later(n.Call)
	case *ast.ForStmt:
		if m.when == runsInMain || once && n.Cond == nil {
			return m.later(n)
		}
	case *ast.RangeStmt:
		return m.ranges(n)
	case *ast.IncDecStmt:
		if once {
			m.beside(n.X)
		}
		return !once
	case *ast.AssignStmt:
		if !once {
			m.found = len(m.of.fields()) > 0 && slices.ContainsFunc(n.Lhs, isDereference) ||
				n.Tok == token.ASSIGN && slices.ContainsFunc(n.Lhs, m.of.holds)
			return true
		}
		m.beside(n.Lhs...)
		if appends(n) {
			m.expressions(n.Rhs[0].(*ast.CallExpr).Args[1:])
		} else {
			m.expressions(n.Rhs)
		}
		return false
	case *ast.IfStmt:
		m.beside(n.Cond)
		m.in(n.Init, n.Body, n.Else)
		return false
	case *ast.ValueSpec:
		m.expressions(n.Values)
		return false
	}
	_, isType := n.(*ast.TypeSpec)
	return !isType
}

// ranges looks into a loop over a value.
func (m *mentionSearch) ranges(n *ast.RangeStmt) (more bool) {
	if m.when == runsInMain {
		return m.later(n)
	}
	if n.Tok == token.ASSIGN {
		m.expressions([]ast.Expr{n.Key, n.Value})
	}
	if n.Value == nil {
		m.beside(n.X)
	} else {
		m.in(n.X)
	}
	m.in(n.Body)
	return false
}

// expression looks into an expression. more asks for the nodes in it.
func (m *mentionSearch) expression(e ast.Expr) (more bool) {
	if e == m.of.use {
		return false
	}
	if path := selected(e); path != nil {
		m.found = m.of.overlaps(path)
		return false
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		return m.later(e.Body)
	case *ast.CallExpr:
		return m.call(e)
	case *ast.BinaryExpr:
		if slices.Contains(comparisons, e.Op) {
			m.beside(e.X, e.Y)
			return false
		}
	case *ast.SelectorExpr: // of a call or an element
		if m.found = slices.Contains(m.of.fields(), e.Sel.Name); !m.found {
			m.in(e.X)
		}
		return false
	case *ast.KeyValueExpr:
		if _, field := e.Key.(*ast.Ident); !field {
			m.in(e.Key)
		}
		m.in(e.Value)
		return false
	case *ast.CompositeLit:
		m.expressions(e.Elts)
		return false
	case *ast.FuncType:
		return false
	}
	return true
}

// call looks into a call.
func (m *mentionSearch) call(c *ast.CallExpr) (more bool) {
	decodes := decoderName.MatchString(calleeName(c)) && !textName.MatchString(calleeName(c))
	if m.found = decodes && m.decodesWhole(c); m.found {
		return false
	}
	if !onlyReads(c) && (m.when == runsAnytime || !decodes && !sorts(c)) {
		return true
	}
	m.in(c.Fun)
	args := c.Args
	if printsTo(c) {
		m.in(args[0])
		args = args[1:]
	}
	m.beside(args...)
	return false
}

// decodesWhole reports whether a call, at any time, decodes into what a pointer points to, which may be what the value
// is a field of, or into a variable of its type or of one that the file does not show.
func (m *mentionSearch) decodesWhole(c *ast.CallExpr) bool {
	if m.when != runsAnytime || len(m.of.fields()) == 0 || len(c.Args) == 0 {
		return false
	}
	switch to := c.Args[len(c.Args)-1].(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	case *ast.UnaryExpr:
		if m.of.holds(to.X) {
			return true
		}
		id, ok := to.X.(*ast.Ident)
		if !ok || m.of.receiver == "" {
			return false
		}
		declared := declaredType(m.of.file, c, id.Name)
		return declared == nil || slices.Equal(selected(declared), []string{m.of.receiver})
	}
	return false
}

// comparisons only read.
var comparisons = []token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR}

// decoderName matches the names of functions that set the fields of a value, and printerName those that print it.
var (
	decoderName = regexp.MustCompile(`^(Decode|Unmarshal|Scan)`)
	printerName = regexp.MustCompile(`^(Print|Fprint|Sprint|Fatal|Panic)`)
	textName    = regexp.MustCompile(`^Decode(String|Rune|LastRune)`) // which return what they decode
)

// onlyReads reports whether a call changes and keeps no argument other than the first of Fprint.
func onlyReads(c *ast.CallExpr) bool {
	name := calleeName(c)
	return slices.Contains([]string{"len", "cap"}, name) || encodes(c) ||
		(calls(c, "fmt") || calls(c, "log")) && printerName.MatchString(name)
}

// printsTo reports whether a call prints to its first argument.
func printsTo(c *ast.CallExpr) bool {
	return len(c.Args) > 0 && calls(c, "fmt") && strings.HasPrefix(calleeName(c), "Fprint")
}

// isDereference reports whether an expression is what a pointer points to.
func isDereference(e ast.Expr) bool {
	if p, ok := e.(*ast.ParenExpr); ok {
		return isDereference(p.X)
	}
	_, ok := e.(*ast.StarExpr)
	return ok
}

// sorts reports whether a call sorts an argument.
func sorts(c *ast.CallExpr) bool {
	return calls(c, "sort") || calls(c, "slices") && strings.HasPrefix(calleeName(c), "Sort")
}

// calls reports whether a call is that of a function of a package.
func calls(c *ast.CallExpr, pkg string) bool {
	path := selected(c.Fun)
	return len(path) == 2 && path[0] == pkg
}

// appends reports whether a statement appends to a variable, as in x = append(x, y).
func appends(n *ast.AssignStmt) bool {
	if len(n.Lhs) != 1 || len(n.Rhs) != 1 {
		return false
	}
	c, ok := n.Rhs[0].(*ast.CallExpr)
	to := selected(n.Lhs[0])
	return ok && calleeName(c) == "append" && len(c.Args) > 0 && to != nil && slices.Equal(to, selected(c.Args[0]))
}
