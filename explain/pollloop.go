package explain

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"

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
		polls = inner.Init == nil && inner.Post == nil && onlyPolls(inner, a.prog.parsedFile(at.File))
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

// pollCalls matches the names of functions that a polling loop may call.
var pollCalls = regexp.MustCompile(`^(Lock|Unlock|RLock|RUnlock|TryLock|Load[A-Za-z0-9]*|` +
	`CompareAndSwap[A-Za-z0-9]*|Gosched|Now|Since|Before|After|Err|len|cap)$`)

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
// lock, and has an end. With package env it may also call Charge.
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

	return only && ends && looks && (tries || !compares)
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
