package explain

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// loads matches the names of functions of package sync/atomic that read a value.
const loads = `Load|Load(?:Int|Uint)(?:32|64)|LoadUintptr|LoadPointer`

// Names of functions that look at what other goroutines or the clock change, of those that try to change it, of those
// of locks, and of those that only convert or compare.
var (
	looking = regexp.MustCompile(`^(` + loads + `|Now|Since|Until|Err)$`)
	trying  = regexp.MustCompile(`^(CompareAndSwap[A-Za-z0-9]*|TryR?Lock)$`)
	locking = regexp.MustCompile(`^R?(Lock|Unlock)$`)
	clocks  = regexp.MustCompile(`^(Now|Since|Until)$`)
	// The names of these functions are of packages time, builtin and unsafe.
	harmless = regexp.MustCompile(`^(Before|After|Equal|Compare|Sub|Unix(Milli|Micro|Nano)?|Hours|Minutes|Seconds|` +
		`(Milli|Micro|Nano)seconds|Duration|Is(Zero|Nil)|len|cap|min|max|u?int(8|16|32|64)?|uintptr|byte|` +
		`float(32|64)|bool|string|Pointer)$`)
)

// looks tells in a loop which calls only look at what others change.
type looks struct {
	file     *ast.File
	declared map[string][]*ast.FuncDecl // functions of the file
	asked    map[string]bool            // functions that are known to look
	converts map[*ast.CallExpr]bool     // see noteConversions
	charges  bool                       // the file imports package env, whose Charge does nothing on the Go runtime
}

// at reports whether a call looks at what others change.
func (l *looks) at(c *ast.CallExpr) bool {
	name := calleeName(c)
	if l.asked[name] {
		return true
	}
	if l.declares(c) {
		return onlyLooks(l.declared, name) != nil || slices.ContainsFunc(l.declared[name], triesLock)
	}
	return (looking.MatchString(name) || trying.MatchString(name)) && !(name == "Load" && len(c.Args) > 0)
}

// declares reports whether the file may declare what a call calls: not if that is of another package.
func (l *looks) declares(c *ast.CallExpr) bool {
	return l.declared[calleeName(c)] != nil && !l.imports(c)
}

// imports reports whether a call calls a function of another package.
func (l *looks) imports(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && slices.ContainsFunc(l.file.Imports, func(i *ast.ImportSpec) bool { return importName(i) == x.Name })
}

// mayBeType reports whether a call may be a conversion to a type: of the file, or of another package.
func (l *looks) mayBeType(c *ast.CallExpr) bool {
	_, function := c.Fun.(*ast.Ident)
	return (function || l.imports(c)) && !l.declares(c)
}

// isSwap reports whether a call compares and swaps, itself or by a function of the file that does nothing else.
func (l *looks) isSwap(c *ast.CallExpr) bool { return l.isOnly(c, "CompareAndSwap") }

// isLoad reports whether a call reads an atomic variable, itself or by a function of the file that does nothing else.
// It may also ask a map for a key.
func (l *looks) isLoad(c *ast.CallExpr) bool { return l.isOnly(c, "Load") }

func (l *looks) isOnly(c *ast.CallExpr, prefix string) bool {
	name := calleeName(c)
	if strings.HasPrefix(name, prefix) {
		return true
	}
	return l.declares(c) && slices.ContainsFunc(l.declared[name], func(fn *ast.FuncDecl) bool {
		return fn.Body != nil && len(fn.Body.List) == 1 && endsIn(fn.Body, token.RETURN) &&
			mentionsCall(fn.Body, prefix)
	})
}

// only reports whether an expression only looks, compares and converts.
func (l *looks) only(code ast.Node) bool {
	only := true
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			only = only && (l.at(n) || l.isHarmless(n))
		case *ast.UnaryExpr:
			only = only && n.Op != token.ARROW
		case *ast.FuncLit:
			only = false
		}
		return only
	})
	return only
}

// isHarmless reports whether a call only converts or compares.
func (l *looks) isHarmless(c *ast.CallExpr) bool {
	name := calleeName(c)
	switch {
	case name == "Len" && len(c.Args) == 0, l.converts[c], calls(c, "errors") && name == "Is":
		return true
	case l.declares(c):
		return false
	case name == "": // a type, not the result of a call
		_, typed := ast.Unparen(c.Fun).(*ast.StarExpr)
		_, list := c.Fun.(*ast.ArrayType)
		return typed || list
	}
	return harmless.MatchString(name) && (len(c.Args) <= 1 || name == "min" || name == "max")
}

// anyLook reports whether an expression looks at what others change.
func (l *looks) anyLook(code ast.Node) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		yes = yes || ok && l.at(c)
		return !yes
	})
	return yes
}

// noteConversions finds calls that convert: an argument that looks is compared by a type of the program, and a moment
// is compared with another to which something is added.
func (l *looks) noteConversions(code ast.Node) {
	l.converts = map[*ast.CallExpr]bool{}
	types := declaredTypes(l.file)
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			for _, x := range []ast.Expr{n.X, n.Y} {
				if c, ok := x.(*ast.CallExpr); ok && len(c.Args) == 1 && l.mayBeType(c) {
					of, ok := c.Args[0].(*ast.CallExpr)
					l.converts[c] = l.converts[c] || ok && looking.MatchString(calleeName(of))
				}
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && types[id.Name] {
				l.converts[n] = true
			}
			s, ok := n.Fun.(*ast.SelectorExpr)
			if ok && (harmless.MatchString(s.Sel.Name) || s.Sel.Name == "Until") {
				for _, m := range append(slices.Clone(n.Args), s.X) {
					if c, ok := m.(*ast.CallExpr); ok && calleeName(c) == "Add" {
						l.converts[c] = true
					}
				}
			}
		}
		return true
	})
}

// onlyLooks returns the only declared function with a name, if it looks at what others change, or at the clock, and
// changes nothing but its own variables and what it compares and swaps. Otherwise it returns nil.
func onlyLooks(declared map[string][]*ast.FuncDecl, name string) *ast.FuncDecl {
	if len(declared[name]) != 1 || declared[name][0].Body == nil {
		return nil
	}
	found := declared[name][0]
	only, looks := true, false
	ast.Inspect(found.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := calleeName(n)
			look := looking.MatchString(name) || trying.MatchString(name) || locking.MatchString(name)
			looks = looks || look && name != "Unlock" && name != "RUnlock"
			only = only && (look || harmless.MatchString(name)) && declared[name] == nil
		case *ast.ForStmt: // which tries again
			only = only && mentionsCall(n, "CompareAndSwap")
		case *ast.AssignStmt:
			only = only && (n.Tok == token.DEFINE || !slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool {
				id, ok := e.(*ast.Ident)
				return !ok || !binds(found, id.Name)
			}))
		case *ast.UnaryExpr:
			only = only && n.Op != token.ARROW
		case *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.FuncLit:
			only = false
		}
		return only
	})
	if !only || !looks {
		return nil
	}
	return found
}

// callsAny reports whether code calls a function of one of some names.
func callsAny(code ast.Node, names ...string) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		yes = yes || ok && slices.Contains(names, calleeName(c))
		return !yes
	})
	return yes
}

// mentionsCall reports whether code calls a function whose name begins so.
func mentionsCall(code ast.Node, prefix string) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		yes = yes || ok && strings.HasPrefix(calleeName(c), prefix)
		return !yes
	})
	return yes
}

// triesLock reports whether a function first tries a lock, or takes it and looks, and returns if that fails.
func triesLock(fn *ast.FuncDecl) bool {
	if fn.Body == nil {
		return false
	}
	list, locked := fn.Body.List, false
	for len(list) > 0 && isLocking(list[0]) {
		list, locked = list[1:], true
	}
	if len(list) == 0 {
		return false
	}
	first, ok := list[0].(*ast.IfStmt)
	if !ok || !endsIn(first.Body, token.RETURN) {
		return false
	}
	if locked {
		l := looks{}
		return first.Init == nil && l.only(first.Cond) && !mentionsCall(first.Body, "Wait")
	}
	not, ok := first.Cond.(*ast.UnaryExpr)
	if !ok || not.Op != token.NOT {
		return false
	}
	try, ok := not.X.(*ast.CallExpr)
	return ok && slices.Contains([]string{"TryLock", "TryRLock", "TryAcquire"}, calleeName(try))
}

// isLocking reports whether a statement takes a lock, or will give it back.
func isLocking(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		c, ok := s.X.(*ast.CallExpr)
		return ok && locking.MatchString(calleeName(c))
	case *ast.DeferStmt:
		return locking.MatchString(calleeName(s.Call))
	}
	return false
}

// endsIn reports whether the last statement of a block is a return, break, continue or goto statement.
func endsIn(b *ast.BlockStmt, with ...token.Token) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return slices.Contains(with, token.RETURN)
	case *ast.BranchStmt:
		return slices.Contains(with, s.Tok)
	}
	return false
}
