package explain

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// maxRound is the largest number of statements of a loop that is examined for idle rounds.
const maxRound = 200

// verdict is what a loop does in a round that leads through a position.
type verdict int

const (
	works  verdict = iota // it makes progress, as far as its source shows
	idles                 // it only looks, until what it looks at lets it go on: it polls
	defers                // it is a part of what the loop around it does: it only scans, or updates without a lock
)

// round is one pass through the body of a loop. It is idle if it only looks at what others change, yields, and begins
// again. An idle round has no call of an unknown function, sends and receives nothing, changes only variables, and goes
// to no other element. Names have no scopes.
type round struct {
	looks
	loop   ast.Stmt
	label  string // of the loop
	flow   flow
	walk   places // see flow.walk
	counts places // steps of idle rounds
	bounds places // counts, and what depends on them
	seen   places // places that hold what a look returned
	held   places // places with a value that an update of the loop expects
	mixed  places // places with a value that depends on held and on another look
	took   places // places that hold what an attempt took; the last result tells whether it did
	needs  places // places on which the conditions of the loop depend
	pauses bool   // calls of unknown functions are pauses between attempts
	locked bool   // the loop takes a lock

	idle   []ast.Node // code that idle rounds execute
	exits  []ast.Expr // conditions that look, and lead out of the loop
	guards []ast.Expr // conditions that look, and lead to work

	leading map[lead]bool // what leadsFrom returned
}

// newRound returns the rounds of a loop of a file with its declared functions. Calls of asked ones are known to look.
func newRound(loop ast.Stmt, file *ast.File, declared map[string][]*ast.FuncDecl, asked map[string]bool) *round {
	r := &round{looks: looks{file: file, declared: declared, asked: asked, charges: importsEnv(file)},
		loop: loop, label: labelOf(file, loop), flow: flowOf(loop), leading: map[lead]bool{}}
	r.noteConversions(loop)
	r.walk = r.flow.walk(loop, func(c *ast.CallExpr) bool {
		name := calleeName(c)
		return r.asked[name] && !trying.MatchString(name) || r.isLoad(c) ||
			r.at(c) && !clocks.MatchString(name) && !trying.MatchString(name)
	})
	r.locked = callsAny(loop, "Lock", "RLock")
	r.needs, r.seen, r.took, r.counts = places{}, places{}, places{}, places{}
	for name, from := range r.flow.sources {
		if slices.ContainsFunc(from, func(e ast.Expr) bool { return r.anyLook(e) }) {
			r.seen[name] = true
		}
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			r.need(n.Cond)
			r.noteScan(n)
		case *ast.RangeStmt:
			r.noteScan(n)
		case *ast.IfStmt:
			r.need(n.Cond)
		case *ast.SwitchStmt:
			r.need(n.Tag)
		case *ast.CaseClause:
			for _, e := range n.List {
				r.need(e)
			}
		case *ast.AssignStmt:
			r.noteTook(n)
		}
		return true
	})
	r.flow.decide(r.needs)
	r.flow.reaches(r.seen)
	r.noteMixed()
	r.pauses = r.attempts()
	return r
}

// need notes what a condition of the loop reads. It may be nil.
func (r *round) need(condition ast.Expr) {
	if condition != nil {
		maps.Copy(r.needs, reads(condition))
	}
}

// noteTook notes what an attempt returns besides its success. A round that took something made progress.
func (r *round) noteTook(s *ast.AssignStmt) {
	if len(s.Lhs) < 2 || len(s.Rhs) != 1 {
		return
	}
	c, ok := s.Rhs[0].(*ast.CallExpr)
	if !ok || !r.at(c) || r.isLoad(c) || onlyLooks(r.declared, calleeName(c)) != nil {
		return
	}
	for _, name := range identifiers(s.Lhs[:len(s.Lhs)-1]...) {
		r.took[name] = name != "_"
	}
}

// looksAround reports whether a loop inside looks at what others change, or only waits.
func (r *round) looksAround(loop ast.Stmt) bool {
	body, _ := loopParts(loop)
	over, ranges := loop.(*ast.RangeStmt)
	return r.locked || r.anyLook(loop) || len(body.List) == 0 || callsAny(loop, "Gosched", "Charge") ||
		ranges && r.seen.in(over.X)
}

// noteScan notes what a loop inside found that only looks.
func (r *round) noteScan(loop ast.Stmt) {
	if loop == r.loop || !r.scans(loop) || !r.looksAround(loop) {
		return
	}
	for name := range flowOf(loop).sources {
		r.seen[name] = true
	}
}

// attempts reports whether the loop goes on only if something that it tries fails: it may call pauses then.
func (r *round) attempts() bool {
	tried := places{}
	for name, from := range r.flow.sources {
		if slices.ContainsFunc(from, func(e ast.Expr) bool { return r.tries(e) }) {
			tried[name] = true
		}
	}
	yes := false
	ast.Inspect(r.loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			yes = yes || n == r.loop && n.Cond != nil && r.tries(n.Cond)
		case *ast.IfStmt:
			yes = yes || (r.tries(n.Cond) || tried.in(n.Cond)) &&
				(n.Else != nil || endsIn(n.Body, token.RETURN, token.BREAK, token.CONTINUE))
		}
		return !yes
	})
	return yes
}

// tries reports whether code tries something that can fail, by the name of what it calls or by its source.
func (r *round) tries(code ast.Node) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			name := calleeName(c)
			yes = yes || trying.MatchString(name) ||
				r.asked[name] && (strings.HasPrefix(strings.ToLower(name), "try") ||
					slices.ContainsFunc(r.declared[name], func(fn *ast.FuncDecl) bool {
						return mentionsCall(fn, "CompareAndSwap") || mentionsCall(fn, "TryLock")
					}))
		}
		return !yes
	})
	return yes
}

// labelOf returns the label of a loop, or "".
func labelOf(file *ast.File, loop ast.Stmt) (label string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.LabeledStmt); ok && l.Stmt == loop {
			label = l.Label.Name
		}
		return label == ""
	})
	return label
}

// verdict returns what the loop does in a round that leads through code for which there returns true.
func (r *round) verdict(there func(ast.Node) bool) verdict {
	other := works
	if r.scans(r.loop) || r.updates() {
		other = defers
	}
	r.noteCounts()
	r.examine()
	if !slices.ContainsFunc(r.idle, there) || !r.waits() {
		return other
	}
	return idles
}

// length returns the number of statements of a loop.
func length(loop ast.Stmt) (n int) {
	ast.Inspect(loop, func(x ast.Node) bool {
		if _, ok := x.(ast.Stmt); ok {
			n++
		}
		return true
	})
	return n
}

// noteCounts finds the steps that a round takes that does nothing else.
func (r *round) noteCounts() {
	body, _ := loopParts(r.loop)
	counts := places{}
	r.counts = r.flow.steps() // at most
	maps.DeleteFunc(r.counts, func(name string, _ bool) bool { return r.walk[name] })
	r.bounds = r.flow.reaches(maps.Clone(r.counts))
	note := func(p ast.Expr) { counts[assigned(p)] = r.counts[assigned(p)] }
	ast.Inspect(r.loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			return n == r.loop
		case *ast.RangeStmt:
			if n == r.loop && n.Key != nil && n.Value == nil {
				note(n.Key)
			}
			return n == r.loop
		case *ast.BlockStmt:
			return n == body || r.leads(n.List, true, true)
		case *ast.IncDecStmt:
			note(n.X)
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				anew := n.Tok == token.ASSIGN || n.Tok == token.DEFINE
				if !anew || r.flow.from(assigned(l)).in(n.Rhs[min(i, len(n.Rhs)-1)]) {
					note(l)
				}
			}
		}
		return true
	})
	r.counts, r.bounds = counts, r.flow.reaches(maps.Clone(counts))
	clear(r.leading)
}

// waits reports whether what the loop looks at lets it go on. A loop that counts its rounds must be able to end
// before.
func (r *round) waits() bool {
	l, ok := r.loop.(*ast.ForStmt)
	if counts := !ok || l.Post != nil; len(r.exits) == 0 && (counts || len(r.guards) == 0) {
		return false
	}
	reads := func(e ast.Expr) bool { return !r.anyLook(e) } // what the lock guards
	return !r.locked || slices.ContainsFunc(r.exits, reads) || slices.ContainsFunc(r.guards, reads)
}

// examine finds the code of idle rounds.
func (r *round) examine() {
	switch l := r.loop.(type) {
	case *ast.RangeStmt:
		names := identifiers(l.Key, l.Value)
		if !r.only(l.X) || slices.ContainsFunc(names, func(n string) bool { return r.walk[n] }) || hasValue(l) {
			return
		}
		r.mark(l.Body.List, true)
	case *ast.ForStmt:
		on := l.Cond == nil
		if !on {
			on, _ = r.outcomes(l.Cond)
		}
		if on = on && (l.Post == nil || r.clean(l.Post)); !on || !r.leads(l.Body.List, true, true) {
			return
		}
		if l.Post != nil {
			r.idle = append(r.idle, l.Post)
		}
		if l.Cond != nil {
			r.idle = append(r.idle, l.Cond)
			if r.isLook(l.Cond) {
				r.exits = append(r.exits, l.Cond)
			}
		}
		r.mark(l.Body.List, true)
	}
}

// hasValue reports whether a loop has a variable for the elements of what it goes through.
func hasValue(l *ast.RangeStmt) bool {
	id, ok := l.Value.(*ast.Ident)
	return l.Value != nil && !(ok && id.Name == "_")
}
