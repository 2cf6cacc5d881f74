package explain

import (
	"go/ast"
	"go/token"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// Thresholds of what takes most of the CPU time.
const (
	hotShare    = 0.3 // of the goroutines' CPU time below one call that could be avoided
	searchShare = 0.6 // of it in one loop that looks for something
)

// avoidable are functions that are often called where a result could be kept, or one call could do.
var avoidable = []struct{ function, fix string }{
	{"regexp.Compile", "Compile the pattern once, outside of the loop."},
	{"regexp.MustCompile", "Compile the pattern once, outside of the loop."},
	{"regexp.MatchString", "Compile the pattern once and use its MatchString."},
	{"text/template.(*Template).Parse", "Parse the template once."},
	{"html/template.(*Template).Parse", "Parse the template once."},
	{"time.LoadLocation", "Load the location once."},
	{"runtime.concatstring", "Use a strings.Builder: adding to a string copies all of it each time."},
	{"fmt.Sprintf", "Format less: strconv.AppendInt and the like, or a struct as a key."},
	{"fmt.Sprint", "Format less: strconv.AppendInt and the like, or a struct as a key."},
	{"runtime.growslice", "Make the slice with the capacity that it will have."},
}

// hotFunction finds a call that takes much of the CPU time and could be avoided, or else a search that does. Any other
// function of the program's own is its work.
func hotFunction(v *view) []Finding {
	if !v.sampled() {
		return nil
	}
	for _, a := range avoidable {
		groups := v.cpu.groups(func(w *weighed) (evidence.Frame, bool) {
			if !slices.ContainsFunc(w.stack, func(f evidence.Frame) bool {
				return strings.HasPrefix(f.Function,
					a.function)
			}) ||
				has(w.stack, "runtime.doInit") || has(w.stack, "log.") {
				return evidence.Frame{}, false
			}
			return v.p.ours(w.stack)
		})
		if len(groups) == 0 || groups[0].share < hotShare {
			continue
		}
		g := groups[0]
		f := v.finding(HotFunction, "%s, called at %s, takes %s of the CPU time.", short(a.function), v.p.at(g.at),
			percent(g.share))
		f.Level = ProfileLevel
		f.Where = []string{v.p.at(g.at)}
		f.Share = g.share
		d := v.shareDoubt(g.share)
		saved := g.share * v.busy()
		f.Gain = gain(0.85*saved, 0.4*math.Max(0, saved-d), saved)
		f.says("%s of the goroutines' CPU time is below %s", percent(g.share), v.quoted(g.at))
		f.Rival = "Each call is for something else, so that nothing can be kept."
		f.Fix = a.fix
		f.Experiment = "Keep the result of the first call: the time should fall by its share."
		f.Confidence = High
		return []Finding{f}
	}
	return v.searching()
}

// searching finds a loop that looks for something, one after the other, and takes most of the CPU time. What an index
// would save depends on how much there is to look through: nothing is promised.
func (v *view) searching() []Finding {
	groups := v.cpu.groups(func(w *weighed) (evidence.Frame, bool) {
		at, ok := v.p.ours(w.stack)
		if !ok || w.root == "" || w.what != UserCode {
			return evidence.Frame{}, false
		}
		l := v.searchAt(at)
		return evidence.Frame{Function: at.Function, File: at.File, Line: l.line}, l.is
	})
	if len(groups) == 0 || groups[0].share < searchShare {
		return nil
	}
	g := groups[0]
	f := v.finding(HotFunction, "The loop at %s looks for something, one after the other, for %s of the CPU time.",
		v.p.at(g.at), percent(g.share))
	f.Level = ProfileLevel
	f.Where = []string{v.p.at(g.at)}
	f.Share = g.share
	f.says("%s of the goroutines' CPU time is in it: %s", percent(g.share), v.quoted(g.at))
	f.Rival = "There is so little to look through that an index would take as long."
	f.Fix = "Find it by an index: a map, or sorted data and slices.BinarySearch; shorten chains as they are walked."
	f.Experiment = "Give it half of the data: where each piece is looked for among all, the time falls to a quarter."
	return []Finding{f}
}

// loop is the innermost one around a place, as far as the source is at hand.
func (v *view) loop(at evidence.Frame) (inner ast.Stmt) {
	f := v.parsed(at.File)
	if f == nil {
		return nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if v.covers(n, at.Line) {
				inner = n.(ast.Stmt)
			}
		}
		return true
	})
	return inner
}

// searchLoop is what is known of the innermost loop around a place: the line it begins at.
type searchLoop struct {
	line int
	is   bool
}

func (v *view) searchAt(at evidence.Frame) searchLoop {
	if l, ok := v.loops[at]; ok {
		return l
	}
	if v.loops == nil {
		v.loops = map[evidence.Frame]searchLoop{}
	}
	l := searchLoop{}
	if loop := v.loop(at); loop != nil {
		l = searchLoop{v.code.set.Position(loop.Pos()).Line, searches(loop)}
	}
	v.loops[at] = l
	return l
}

// searches reports whether a loop does nothing but look through memory until it has found something: it compares each
// element with something that it is given, and ends where they match, or follows one chain while a condition holds.
func searches(loop ast.Stmt) bool {
	switch n := loop.(type) {
	case *ast.RangeStmt:
		return (n.Value != nil || reads(n.Body)) && finds(n.Body, variables(n.Key, n.Value))
	case *ast.ForStmt:
		if n.Cond != nil && n.Post == nil && reads(n.Cond) && len(n.Body.List) == 1 {
			next, ok := n.Body.List[0].(*ast.AssignStmt)
			return ok && plain(next.Lhs) && len(next.Rhs) == 1 && follows(next.Rhs[0]) && matches(n.Cond, nil)
		}
		init, ok := n.Init.(*ast.AssignStmt)
		return ok && reads(n.Body) && finds(n.Body, variables(init.Lhs...))
	}
	return false
}

// variables are the names among expressions.
func variables(list ...ast.Expr) (names []string) {
	for _, e := range list {
		if id, ok := e.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
	}
	return names
}

// finds reports whether a block is nothing but conditions that match an element of the loop with something, and then
// leave it.
func finds(b *ast.BlockStmt, loop []string) bool {
	for _, s := range b.List {
		n, ok := s.(*ast.IfStmt)
		if !ok || n.Init != nil || n.Else != nil || !matches(n.Cond, loop) || !leaves(n.Body) {
			return false
		}
	}
	return len(b.List) > 0
}

// matches reports whether a condition compares, computes nothing, and has on one side what the loop looks through and
// on the other what it looks for, that is no literal: of letters and numbers there is no index. Of a chain that is
// followed (loop nil) it asks only that something other than nil is compared.
func matches(cond ast.Expr, loop []string) bool {
	switch n := cond.(type) {
	case *ast.ParenExpr:
		return matches(n.X, loop)
	case *ast.CallExpr:
		return comparisons.MatchString(called(n)) && len(n.Args) == 2 && sides(n.Args[0], n.Args[1], loop)
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LAND, token.LOR:
			if loop == nil && (isNil(n.X) || isNil(n.Y)) {
				return matches(n.X, loop) || matches(n.Y, loop)
			}
			return matches(n.X, loop) && matches(n.Y, loop)
		case token.NEQ:
			return loop == nil && sides(n.X, n.Y, loop)
		case token.EQL, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return sides(n.X, n.Y, loop)
		}
	}
	return false
}

// isNil reports whether a condition compares with nil.
func isNil(e ast.Expr) bool {
	n, ok := e.(*ast.BinaryExpr)
	return ok && slices.Contains(variables(n.X, n.Y), "nil")
}

// sides reports whether of two expressions one hangs on the loop, and the other is given to it.
func sides(x, y ast.Expr, loop []string) bool {
	if !simple(x) || !simple(y) || slices.Contains(variables(x, y), "nil") {
		return false
	}
	return loop == nil || hangs(x, loop) != hangs(y, loop)
}

// simple reports whether an expression is a variable, a field or an element.
func simple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return simple(e.X)
	case *ast.StarExpr:
		return simple(e.X)
	case *ast.IndexExpr:
		return simple(e.X) && simple(e.Index)
	}
	return false
}

// hangs reports whether an expression has one of these variables.
func hangs(e ast.Expr, names []string) bool {
	has := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // the name of a field is no variable
			has = has || hangs(n.X, names)
			return false
		case *ast.Ident:
			has = has || slices.Contains(names, n.Name)
		}
		return !has
	})
	return has
}

// comparisons are the calls that say whether two things are the same.
var comparisons = regexp.MustCompile(`^(Equal|EqualFold)$`)

// leaves reports whether a block ends the loop that it is in.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch n := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return n.Tok == token.BREAK
	}
	return false
}

// follows reports whether an expression is the next of a chain: a field or an element.
func follows(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return true
	case *ast.IndexExpr:
		_, name := e.Index.(*ast.Ident)
		return name
	}
	return false
}

// reads reports whether a node looks at a field or an element.
func reads(n ast.Node) bool {
	is := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
			is = true
		}
		return !is
	})
	return is
}

// plain reports whether all of these are variables.
func plain(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool { _, is := e.(*ast.Ident); return !is })
}

// called is the name of the function or method of a call.
func called(n *ast.CallExpr) string {
	switch f := n.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
