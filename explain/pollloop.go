package explain

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// isPollLoop reports whether the innermost loop around a position only polls for an event. Such a loop reads under a
// lock or atomically, compares, and ends.
func (a *analysis) isPollLoop(at evidence.Frame) bool {
	if known, ok := a.pollLoops[at]; ok {
		return known
	}
	if a.pollLoops == nil {
		a.pollLoops = map[evidence.Frame]bool{}
	}

	polls := false
	if inner, ok := a.prog.innermostLoop(at).(*ast.ForStmt); ok {
		polls = inner.Init == nil && inner.Post == nil &&
			(onlyPolls(inner, a.prog.parsedFile(at.File)) || a.prog.inGuard(inner, at))
	}

	a.pollLoops[at] = polls
	return polls
}

// importsEnv reports whether a file imports package env, whose Charge does nothing on the Go runtime.
func importsEnv(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
		return i.Path.Value == `"github.com/brewput/brewput/env"`
	})
}

// loads matches the names of functions of package sync/atomic that read a value.
const loads = `Load|Load(?:Int|Uint)(?:32|64)|LoadUintptr|LoadPointer`

// pollCalls matches the names of functions that a polling loop may call.
var pollCalls = regexp.MustCompile(`^(Lock|Unlock|RLock|RUnlock|TryLock|` + loads +
	`|CompareAndSwap[A-Za-z0-9]*|Gosched|Now|Since|Before|After|Err|len|cap)$`)

// asksAround returns the innermost loop around a call of a function of the same file in a stack, if the loop does
// nothing but ask that function, such as for the time until there is a token of a rate limiter.
func (a *analysis) asksAround(stack []evidence.Frame) (loop evidence.Frame, asked *ast.FuncDecl) {
	inner := -1
	for i, f := range stack {
		if !a.prog.isOwn(f) {
			continue
		}
		if inner >= 0 && stack[inner].File != f.File {
			return evidence.Frame{}, nil
		}
		if inner >= 0 {
			at := a.prog.statement(stack, i)
			if asked := a.askedAt(at, stack[inner].Function); asked != nil {
				return at, asked
			}
		}
		inner = i
	}
	return evidence.Frame{}, nil
}

// asking is a position that calls a function.
type asking struct {
	at       evidence.Frame
	function string
}

// askedAt returns the function that a position calls, if the loop around it does nothing but ask that function.
func (a *analysis) askedAt(at evidence.Frame, function string) (asked *ast.FuncDecl) {
	key := asking{at, function}
	if known, ok := a.asked[key]; ok {
		return known
	}
	if a.asked == nil {
		a.asked = map[asking]*ast.FuncDecl{}
	}
	name := functionName(function)
	if loop, ok := a.prog.innermostLoop(at).(*ast.ForStmt); ok && onlyAsks(loop, name) {
		asked = onlyLooks(a.prog.parsedFile(at.File), name)
	}
	a.asked[key] = asked
	return asked
}

// hasFunction reports whether a file declares a function or a method of a name.
func hasFunction(f *ast.File, name string) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Name.Name == name
	})
}

// onlyAsks reports whether a loop does nothing but call a function in its condition, and yield.
func onlyAsks(loop *ast.ForStmt, name string) bool {
	asks := false
	if loop.Init != nil || loop.Post != nil || loop.Cond == nil {
		return false
	}
	ast.Inspect(loop.Cond, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		asks = asks || ok && calleeName(c) == name
		return true
	})
	return asks && !slices.ContainsFunc(loop.Body.List, func(s ast.Stmt) bool { return !yields(s) })
}

// yields reports whether a statement only calls runtime.Gosched.
func yields(s ast.Stmt) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := e.X.(*ast.CallExpr)
	return ok && calleeName(c) == "Gosched"
}

// Functions that ask for what others change, and those that only convert or compare.
var (
	looking = regexp.MustCompile(`^(Lock|RLock|TryLock|TryRLock|` + loads + `|CompareAndSwap[A-Za-z0-9]*|Now|Since|` +
		`Until)$`)
	harmless = regexp.MustCompile(`^(Unlock|RUnlock|Before|After|Sub|len|cap|u?int(8|16|32|64)?|uintptr|` +
		`float(32|64)|Duration|min|max)$`)
)

// onlyLooks returns the only function of a file with a name, if it looks at what others change, or at the clock, and
// changes nothing but its own variables and what it compares and swaps. Otherwise it returns nil.
func onlyLooks(f *ast.File, name string) (found *ast.FuncDecl) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		switch {
		case !ok || fn.Name.Name != name || fn.Body == nil:
		case found != nil:
			return nil
		default:
			found = fn
		}
	}
	if found == nil {
		return nil
	}
	only, looks := true, false
	ast.Inspect(found.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := calleeName(n)
			looks = looks || looking.MatchString(name)
			only = only && (looking.MatchString(name) || harmless.MatchString(name)) && !hasFunction(f, name)
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

// mentionsCall reports whether code calls a function whose name begins so.
func mentionsCall(code ast.Node, prefix string) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		yes = yes || ok && strings.HasPrefix(calleeName(c), prefix)
		return !yes
	})
	return yes
}

// asksClock reports whether the function that a loop around a stack asks looks at the clock.
func (a *analysis) asksClock(stack []evidence.Frame) bool {
	_, asked := a.asksAround(stack)
	return asked != nil && (mentionsCall(asked.Body, "Now") || mentionsCall(asked.Body, "Since") ||
		mentionsCall(asked.Body, "Until"))
}

// triesLock reports whether a file has a function of this name that first tries a lock, and returns if that is taken.
func triesLock(f *ast.File, name string) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != name || fn.Body == nil || len(fn.Body.List) == 0 {
			return false
		}
		first, ok := fn.Body.List[0].(*ast.IfStmt)
		if !ok || len(first.Body.List) == 0 {
			return false
		}
		not, ok := first.Cond.(*ast.UnaryExpr)
		if !ok || not.Op != token.NOT {
			return false
		}
		try, ok := not.X.(*ast.CallExpr)
		_, returns := first.Body.List[len(first.Body.List)-1].(*ast.ReturnStmt)
		return ok && returns && slices.Contains([]string{"TryLock", "TryRLock", "TryAcquire"}, calleeName(try))
	})
}

// onlyPolls reports whether a loop of a file changes only its own variables, calls only functions that read or try a
// lock, and has an end. With package env it may also call Charge. A loop that goes from one element to the next
// searches.
func onlyPolls(loop *ast.ForStmt, file *ast.File) bool {
	charges := importsEnv(file)
	only, ends, looks := true, loop.Cond != nil, false
	tries, compares := false, false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := calleeName(n)
			looks = looks || name != "len" && name != "cap"
			try, compare := triesLock(file, name), isErrorsIs(n)
			tries, compares = tries || try, compares || compare
			only = only && (pollCalls.MatchString(name) || charges && name == "Charge" || try || compare)
		case *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.FuncLit:
			only = false
		case *ast.AssignStmt:
			only = only && (n.Tok == token.DEFINE || n.Tok == token.ASSIGN) && allIdentifiers(n.Lhs)
		case *ast.ReturnStmt:
			ends = true
			for _, r := range n.Results {
				_, call := r.(*ast.CallExpr)
				only = only && !call
			}
		case *ast.BranchStmt:
			ends = ends || n.Tok == token.BREAK
		case *ast.UnaryExpr:
			only = only && n.Op != token.ARROW
		}
		return only
	})

	return only && ends && looks && (tries || !compares) && !goesOn(loop)
}

// isErrorsIs reports whether a call is one of errors.Is.
func isErrorsIs(n *ast.CallExpr) bool {
	f, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Is" {
		return false
	}
	x, ok := f.X.(*ast.Ident)
	return ok && x.Name == "errors"
}
