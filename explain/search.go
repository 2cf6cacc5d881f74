package explain

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// atomicLoad matches the names of functions that read an atomic variable.
var atomicLoad = regexp.MustCompile(`^(` + loads + `)$`)

// places are variables and fields by their source text, such as n or it.i.
type places map[string]bool

// in reports whether code reads one of the places.
func (o places) in(code ast.Node) (found bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || o[n.Name]
		case *ast.SelectorExpr: // whose last name is that of a field
			found = found || o[types.ExprString(n)] || o.in(n.X)
			return false
		}
		return !found
	})
	return found
}

// inAny reports whether one of some expressions reads one of the places.
func (o places) inAny(code []ast.Expr) bool {
	return slices.ContainsFunc(code, func(e ast.Expr) bool { return o.in(e) })
}

// flow is how the places of a loop get their values. Names have no scopes.
type flow struct {
	sources map[string][]ast.Expr // what is assigned to each
	kept    places                // those that are not only defined anew each time
}

func flowOf(loop ast.Stmt) flow {
	f := flow{map[string][]ast.Expr{}, places{}}
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			for _, v := range []ast.Expr{n.Key, n.Value} {
				if v != nil {
					f.assign(v, n == loop, v)
				}
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				from := []ast.Expr{n.Rhs[min(i, len(n.Rhs)-1)]} // a call may have several results
				if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
					from = append(from, l)
				}
				f.assign(l, n.Tok != token.DEFINE, from...)
			}
		case *ast.IncDecStmt:
			f.assign(n.X, true, n.X)
		}
		return true
	})
	return f
}

// assign notes from what an operand, or an element of it, is assigned.
func (f flow) assign(to ast.Expr, keep bool, from ...ast.Expr) {
	for {
		switch x := to.(type) {
		case *ast.IndexExpr:
			to = x.X
			continue
		case *ast.StarExpr:
			to = x.X
			continue
		case *ast.ParenExpr:
			to = x.X
			continue
		}
		break
	}
	name := types.ExprString(to)
	f.sources[name] = append(f.sources[name], from...)
	if keep {
		f.kept[name] = true
	}
}

// reaches adds to places what gets its value from them.
func (f flow) reaches(o places) places {
	for grown := true; grown; {
		grown = false
		for name, from := range f.sources {
			if !o[name] && o.inAny(from) {
				o[name], grown = true, true
			}
		}
	}
	return o
}

// steps returns the places whose next value depends on the last one, such as the index of a search or the place in a
// list, but also a count.
func (f flow) steps() places {
	steps := places{}
	for name := range f.kept {
		if f.reaches(places{name: true}).inAny(f.sources[name]) {
			steps[name] = true
		}
	}
	return steps
}

// moving returns the steps, the places that get a value which is neither of the clock nor of an atomic variable, and
// what depends on these.
func (f flow) moving(file *ast.File, read map[string]bool) places {
	moving := f.steps()
	for name := range f.kept {
		if slices.ContainsFunc(f.sources[name], func(e ast.Expr) bool {
			_, looks := onlyCompares(e, file, read)
			return !looks
		}) {
			moving[name] = true
		}
	}
	return f.reaches(moving)
}

// goesOn reports whether a loop uses a step as an index or as a place in memory: it goes from one element to the next.
func goesOn(loop ast.Stmt) (on bool) {
	steps := flowOf(loop).steps()
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			on = on || steps.in(n.Index)
		case *ast.SelectorExpr:
			on = on || steps.in(n.X)
		}
		return !on
	})
	return on
}

// loadsNext reports whether the innermost loop around a position reads atomic variables one after the other.
func (a *analysis) loadsNext(at evidence.Frame) bool {
	if known, ok := a.nextLoads[at]; ok {
		return known
	}
	if a.nextLoads == nil {
		a.nextLoads = map[evidence.Frame]bool{}
	}

	loads := false
	if loop := a.prog.innermostLoop(at); loop != nil {
		f := flowOf(loop)
		steps := f.reaches(f.steps())
		ast.Inspect(loop, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			loads = loads || ok && atomicLoad.MatchString(calleeName(c)) && steps.in(c)
			return !loads
		})
	}

	a.nextLoads[at] = loads
	return loads
}
