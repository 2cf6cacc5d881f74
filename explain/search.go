package explain

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
)

// Names of functions that read an atomic variable, and of those that compare it with a value, too.
var (
	atomicLoad = regexp.MustCompile(`^(` + loads + `)$`)
	atomicLook = regexp.MustCompile(`^(` + loads + `|CompareAndSwap[A-Za-z0-9]*)$`)
)

// places are variables and fields by their source text, such as n or it.i.
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

// inAny reports whether one of some expressions reads one of the places.
func (o places) inAny(code []ast.Expr) bool {
	return slices.ContainsFunc(code, func(e ast.Expr) bool { return o.in(e) })
}

// inAtomic reports whether a call reads the atomic variable at one of the places, and not only compares with it.
func (o places) inAtomic(c *ast.CallExpr) bool {
	name := calleeName(c)
	if !atomicLook.MatchString(name) {
		return false
	}
	function := name != "Load" && name != "CompareAndSwap" && len(c.Args) > 0 // of package atomic
	return o.in(c.Fun) || function && o.in(c.Args[0])
}

// flow is how the places of a loop get their values. Names have no scopes.
type flow struct {
	sources map[string][]ast.Expr // what is assigned to each
	kept    places                // those that are not only defined anew each time
}

func flowOf(loop ast.Stmt) flow {
	f := flow{map[string][]ast.Expr{}, places{}}
	body := bodyOf(loop)
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt: // what is assigned before the end of the function reaches no next round
			return n == body || !endsIn(n, token.RETURN) || continues(n)
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

// bodyOf returns the body of a loop.
func bodyOf(loop ast.Stmt) *ast.BlockStmt {
	switch loop := loop.(type) {
	case *ast.ForStmt:
		return loop.Body
	case *ast.RangeStmt:
		return loop.Body
	}
	return nil
}

// endsIn reports whether the last statement of a block is a return, break or continue statement.
func endsIn(b *ast.BlockStmt, with token.Token) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return with == token.RETURN
	case *ast.BranchStmt:
		return with == s.Tok
	}
	return false
}

// continues reports whether a block has a continue statement.
func continues(b *ast.BlockStmt) (yes bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		s, ok := n.(*ast.BranchStmt)
		yes = yes || ok && s.Tok == token.CONTINUE
		return !yes
	})
	return yes
}

// assign notes from what a place, or an element of it, is assigned.
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
	name := placeName(to)
	if name == "" {
		return
	}
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
