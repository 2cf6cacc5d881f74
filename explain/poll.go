package explain

import (
	"go/ast"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// poll is what is known of the stack of a sample that polls.
type poll struct {
	at    evidence.Frame // the position in the loop
	asked *ast.FuncDecl  // the function that the loop asks there, if it does nothing but look
}

// polls returns the loop in which a stack polls. If the leaf of the stack is an atomic operation, what the loop asks is
// known to look. Otherwise a function that it asks must do nothing but look, as far as its source shows.
func (a *analysis) polls(stack []evidence.Frame, atomic bool) (poll, bool) {
	asked, looks := "", (*ast.FuncDecl)(nil)
	for i, f := range stack {
		if !a.prog.mayBeOwn(f) {
			asked = functionName(f.Function)
			continue
		}
		file := a.prog.parsedFile(f.File)
		if file == nil || !a.prog.inFunction(file, f.Line) {
			return poll{at: f}, atomic
		}
		at := a.prog.statement(stack, i)
		switch a.roundAt(asking{at, asked, atomic}) {
		case idles:
			return poll{at, looks}, true
		case works:
			return poll{}, false
		}
		asked = functionName(f.Function)
		declared := a.prog.declaredIn(file)
		looks = onlyLooks(declared, asked)
		atomic = atomic || looks != nil || slices.ContainsFunc(declared[asked], triesLock)
	}
	return poll{}, false
}

// asking is a position that calls a function.
type asking struct {
	at       evidence.Frame
	function string // "" for an atomic variable
	looks    bool   // it is known to look
}

// roundAt returns what the loops around a position do in a round that leads through it.
func (a *analysis) roundAt(at asking) verdict {
	if !at.looks {
		at.function = ""
	}
	if known, ok := a.rounds[at]; ok {
		return known
	}
	if a.rounds == nil {
		a.rounds = map[asking]verdict{}
	}
	v := a.prog.roundAt(at)
	a.rounds[at] = v
	return v
}

func (p program) roundAt(at asking) verdict {
	file, loops := p.parsedFile(at.at.File), p.loops(at.at)
	there := func(n ast.Node) bool { return p.covers(n, at.at.Line) }
	for i := len(loops) - 1; i >= 0; i-- {
		if length(loops[i]) > maxRound {
			return works
		}
		r := newRound(loops[i], file, p.declaredIn(file), p.askedBy(loops[i], at))
		v := r.verdict(there)
		if fn := p.functionAt(file, at.at.Line); v == defers && i == 0 && !r.updates() &&
			(fn == nil || fn.Type.Params.NumFields() > 0) {
			return works // a search for something
		}
		if v != defers {
			return v
		}
	}
	return defers
}

// askedBy returns the functions of a loop that are known to look: the one that the position calls. If the loop does not
// mention it, the position calls it through a variable.
func (p program) askedBy(loop ast.Stmt, at asking) map[string]bool {
	asked := map[string]bool{}
	if !at.looks {
		return asked
	}
	called := map[string]bool{}
	ast.Inspect(loop, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && p.covers(n, at.at.Line) {
			called[calleeName(c)] = true
		}
		return true
	})
	if at.function != "" && called[at.function] {
		asked[at.function] = true
		return asked
	}
	for name := range called {
		if looking.MatchString(name) || trying.MatchString(name) {
			return asked // inlined, or called by something that is
		}
	}
	delete(called, "")
	return called
}

// inFunction reports whether a line of a file is in a function.
func (p program) inFunction(file *ast.File, line int) (in bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			in = in || p.covers(n, line)
		}
		return !in
	})
	return in
}
