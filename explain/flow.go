package explain

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
)

// places are variables and fields by their source text, such as n or it.i. Names have no scopes.
type places map[string]bool

// in reports whether code reads one of the places.
func (o places) in(code ast.Node) (found bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || o[n.Name]
		case *ast.SelectorExpr: // whose last name is that of a field
			found = found || o[placeName(n)] || o.in(n.X)
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

// placeName returns the source text of a variable or field, such as it.i, or "" for other code.
func placeName(code ast.Expr) string {
	switch code := code.(type) {
	case *ast.Ident:
		return code.Name
	case *ast.SelectorExpr:
		if of := placeName(code.X); of != "" {
			return of + "." + code.Sel.Name
		}
	}
	return ""
}

// assigned returns the place that an assignment changes, or of which it changes an element, or "".
func assigned(to ast.Expr) string {
	for {
		switch x := to.(type) {
		case *ast.IndexExpr:
			to = x.X
		case *ast.StarExpr:
			to = x.X
		case *ast.ParenExpr:
			to = x.X
		default:
			return placeName(to)
		}
	}
}

// flow is how the places of a loop get their values.
type flow struct {
	sources map[string][]ast.Expr // what is assigned to each
	kept    places                // those that are not only defined anew each time
	known   map[string]places     // see from
}

func flowOf(loop ast.Stmt) flow {
	f := flow{map[string][]ast.Expr{}, places{}, map[string]places{}}
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, v := range n.Names {
				if len(n.Values) > 0 {
					f.assign(v, false, n.Values[min(i, len(n.Values)-1)])
				}
			}
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

// assign notes from what a place, or an element of it, is assigned.
func (f flow) assign(to ast.Expr, keep bool, from ...ast.Expr) {
	name := assigned(to)
	if name == "" {
		return
	}
	f.sources[name] = append(f.sources[name], from...)
	if keep {
		f.kept[name] = true
	}
}

// from returns a place and what gets its value from it.
func (f flow) from(name string) places {
	if f.known[name] == nil {
		f.known[name] = f.reaches(places{name: true})
	}
	return f.known[name]
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

// decide adds to places those from which they get their value.
func (f flow) decide(o places) places {
	for grown := true; grown; {
		grown = false
		for name := range maps.Clone(o) {
			for _, from := range f.sources[name] {
				for read := range reads(from) {
					if !o[read] {
						o[read], grown = true, true
					}
				}
			}
		}
	}
	return o
}

// reads returns the places that code reads.
func reads(code ast.Node) places {
	o := places{}
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			o[n.Name] = true
		case *ast.SelectorExpr:
			if name := placeName(n); name != "" {
				o[name] = true
			}
			maps.Copy(o, reads(n.X))
			return false
		}
		return true
	})
	return o
}

// steps returns the places whose next value depends on the last one, such as the index of a search or the place in a
// list, but also a count.
func (f flow) steps() places {
	steps := places{}
	for name := range f.kept {
		if f.from(name).inAny(f.sources[name]) {
			steps[name] = true
		}
	}
	return steps
}

// walk returns the steps that a loop uses as an index, as a place in memory, or to ask functions, and what depends on
// these: it goes from one element to the next. Without one it returns nothing.
func (f flow) walk(loop ast.Stmt, asks func(*ast.CallExpr) bool) places {
	walk := places{}
	for step := range f.steps() {
		if from := f.from(step); isPlace(loop, from, asks) {
			maps.Copy(walk, from)
		}
	}
	return walk
}

// isPlace reports whether a loop uses one of some places as an index, as a place in memory, or to ask a function.
func isPlace(loop ast.Stmt, of places, asks func(*ast.CallExpr) bool) (on bool) {
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			on = on || of.in(n.Index)
		case *ast.SelectorExpr:
			on = on || of.in(n.X)
		case *ast.StarExpr:
			on = on || of.in(n.X)
		case *ast.CallExpr:
			on = on || of.inAny(n.Args) && asks(n)
		}
		return !on
	})
	return on
}

// sameCode reports whether two expressions are the same variable, field or element.
func sameCode(x, y ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		y, ok := y.(*ast.Ident)
		return ok && x.Name == y.Name
	case *ast.BasicLit:
		y, ok := y.(*ast.BasicLit)
		return ok && x.Value == y.Value
	case *ast.SelectorExpr:
		y, ok := y.(*ast.SelectorExpr)
		return ok && x.Sel.Name == y.Sel.Name && sameCode(x.X, y.X)
	case *ast.IndexExpr:
		y, ok := y.(*ast.IndexExpr)
		return ok && sameCode(x.X, y.X) && sameCode(x.Index, y.Index)
	case *ast.UnaryExpr:
		y, ok := y.(*ast.UnaryExpr)
		return ok && x.Op == y.Op && sameCode(x.X, y.X)
	}
	return false
}
