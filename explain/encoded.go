package explain

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
)

// encoded is a value that a call of an encoder takes.
type encoded struct {
	call     *ast.CallExpr
	path     []string // the names of a variable of the package and of fields, or of the fields of any receiver
	receiver string   // the type of the receiver; "" for a variable of the package
}

// changes reports whether code of the file may change the value between two calls: it assigns to a part of it or to
// what it is a part of, takes another name for it, calls its method, or passes it to a function other than in the call
// of the encoder. What runs once at the start may assign to it: functions that run once, and main outside of loops, but
// not their goroutines and function literals.
func (v *encoded) changes(file *ast.File) (yes bool) {
	if v.promoted(file) || v.madeWithGoroutines(file) {
		return true
	}
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			fn = nil
		}
		inspect := func(n ast.Node) bool {
			yes = yes || v.changedBy(n, fn)
			return !yes
		}
		once := !ok || runsOnce(file, fn)
		if !once && (fn.Recv != nil || fn.Name.Name != "main") {
			ast.Inspect(fn, inspect)
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool { // only what is repeated, or runs later, and names for the value
			switch n := n.(type) {
			case *ast.AssignStmt:
				if appends(n) {
					return false
				}
				yes = yes || slices.ContainsFunc(n.Rhs, v.touchedBy)
			case *ast.ValueSpec:
				yes = yes || slices.ContainsFunc(n.Values, v.touchedBy)
			case *ast.CallExpr:
				if v.onlyReads(n) {
					return false
				}
				s, method := n.Fun.(*ast.SelectorExpr)
				yes = yes || method && v.touchedBy(s.X) ||
					!decoderName.MatchString(calleeName(n)) && slices.ContainsFunc(n.Args, v.touchedBy)
			case *ast.ForStmt, *ast.RangeStmt:
				if !once {
					ast.Inspect(n, inspect)
					return false
				}
			case *ast.GoStmt, *ast.FuncLit:
				ast.Inspect(n, inspect)
				return false
			}
			return !yes
		})
	}
	return yes
}

// runsOnce reports whether a function runs once, at the start: init, or a constructor that only main or a variable of
// the package calls, as far as the file shows.
func runsOnce(file *ast.File, fn *ast.FuncDecl) bool {
	name := fn.Name.Name
	return constructs(fn) && (name == "init" || uses(file, name) == 1 &&
		onceInMain(file, func(n ast.Node) bool { return callsFunction(n, name) }, false))
}

// changedBy reports whether a node of a function, or of a declaration if that is nil, may change the value.
func (v *encoded) changedBy(n ast.Node, fn *ast.FuncDecl) bool {
	named := func(list []ast.Expr) bool { return slices.ContainsFunc(list, v.touchedBy) }
	switch n := n.(type) {
	case *ast.AssignStmt:
		whole := func(e ast.Expr) bool { _, star := e.(*ast.StarExpr); return star && v.receiver != "" }
		return named(n.Lhs) || slices.ContainsFunc(n.Lhs, whole) || named(n.Rhs)
	case *ast.IncDecStmt:
		return v.touchedBy(n.X)
	case *ast.RangeStmt:
		set := func(e ast.Expr) bool { return e != nil && v.touchedBy(e) }
		return n.Value != nil && v.touchedBy(n.X) || n.Tok == token.ASSIGN && (set(n.Key) || set(n.Value))
	case *ast.ReturnStmt:
		return named(n.Results)
	case *ast.ValueSpec:
		return named(n.Values)
	case *ast.SendStmt:
		return v.touchedBy(n.Value)
	case *ast.CallExpr:
		if v.onlyReads(n) {
			return false
		}
		s, method := n.Fun.(*ast.SelectorExpr)
		decodes := method && decoderName.MatchString(s.Sel.Name)
		return named(n.Args) || method && v.touchedBy(s.X) || decodes && v.receives(n.Args, fn)
	}
	return false
}

// decoderName matches the names of functions that set the fields of a value.
var decoderName = regexp.MustCompile(`^(Decode|Unmarshal|Scan)`)

// receives reports whether one of some arguments is the receiver whose field the value is.
func (v *encoded) receives(arguments []ast.Expr, fn *ast.FuncDecl) bool {
	return fn != nil && v.receiver != "" && receiverType(fn) == v.receiver &&
		slices.ContainsFunc(arguments, func(e ast.Expr) bool {
			path := selected(e)
			return len(path) == 1 && path[0] == receiverName(fn)
		})
}

// promoted reports whether a struct of the file embeds a type of the name of a field of the value. Its parts then have
// shorter paths, too.
func (v *encoded) promoted(file *ast.File) (yes bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				path := selected(f.Type)
				yes = yes || len(f.Names) == 0 && len(path) > 0 && slices.Contains(v.fields(), path[len(path)-1])
			}
		}
		return !yes
	})
	return yes
}

// madeWithGoroutines reports whether a function of the file that makes the variable of the package has a goroutine or a
// function literal, which may change it.
func (v *encoded) madeWithGoroutines(file *ast.File) (yes bool) {
	if v.receiver != "" {
		return false
	}
	constructors := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok && hasName(s.Names, v.path[0]) {
			for _, e := range s.Values {
				if c, ok := e.(*ast.CallExpr); ok {
					constructors[calleeName(c)] = true
				}
			}
		}
		return true
	})
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && constructors[fn.Name.Name] {
			ast.Inspect(fn, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.GoStmt, *ast.FuncLit:
					yes = true
				}
				return !yes
			})
		}
	}
	return yes
}

// onlyReads reports whether a call is that of the encoder, or of a function that changes nothing.
func (v *encoded) onlyReads(c *ast.CallExpr) bool {
	return c == v.call || slices.Contains([]string{"len", "cap"}, calleeName(c))
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

// comparisons only read.
var comparisons = []token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ}

// touchedBy reports whether an expression has the value, a part of it, or what it is a part of, other than in the call
// of the encoder, in len, cap or a comparison. Fields of the same names count, since the types are unknown.
func (v *encoded) touchedBy(e ast.Expr) (yes bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || yes {
			return !yes
		}
		switch x := x.(type) {
		case *ast.CallExpr:
			if v.onlyReads(x) {
				return false
			}
		case *ast.BinaryExpr:
			if slices.Contains(comparisons, x.Op) {
				return false
			}
		}
		if path := selected(x); path != nil {
			yes = v.overlaps(path)
			return false
		}
		s, ok := x.(*ast.SelectorExpr)
		yes = ok && slices.Contains(v.fields(), s.Sel.Name)
		return !yes
	})
	return yes
}

// fields returns the names of the fields in the path of the value.
func (v *encoded) fields() []string {
	if v.receiver != "" {
		return v.path
	}
	return v.path[1:]
}

// overlaps reports whether a path of names is that of the value, of a part of it, or of what it is a part of.
func (v *encoded) overlaps(path []string) bool {
	if fields := v.fields(); len(path) > 1 && len(fields) > 0 && (slices.Contains(fields, path[len(path)-1]) ||
		slices.Contains(path[1:], fields[len(fields)-1])) {
		return true
	}
	if v.receiver != "" {
		path = path[1:]
	}
	n := min(len(path), len(v.path))
	return n > 0 && slices.Equal(path[:n], v.path[:n])
}
