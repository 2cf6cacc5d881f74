package explain

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// encodeShare is the fraction of the goroutines' CPU time in calls at one line that encode the same value.
const encodeShare = 0.2

// encoders make bytes of a value, always the same bytes of the same value.
var encoders = []string{"encoding/json.Marshal", "encoding/xml.Marshal", "encoding/asn1.Marshal",
	"google.golang.org/protobuf/proto.Marshal"}

// encodedAgain finds a line that encodes a value which does not depend on the call, and which no code changes, as far
// as its file shows.
func (a *analysis) encodedAgain() []Finding {
	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		return a.callingLine(maker{functions: encoders}, w.stack)
	})
	for _, g := range groups {
		if g.share < encodeShare {
			break
		}
		value, ok := a.sameValue(g.at)
		if !ok {
			continue
		}
		f := a.newFinding(HotFunction, "Each call encodes %s again: that takes %s of the CPU time.", value,
			percent(g.share))
		a.locateCalls(&f, g, 0.1)
		f.citef("nothing in this file seems to change %s after it is made", value)
		f.Alternative = "Code in another file changes " + value + ", or each call has another one."
		f.Fix = "Encode it once, and keep the bytes until the value changes."
		f.Experiment = "Keep the bytes of the first call: the time should fall by their share."
		return []Finding{f}
	}
	return nil
}

// constructors matches the names of functions that make values, and so may assign to their fields.
var constructors = regexp.MustCompile(`^([Nn]ew|[Ll]oad|[Oo]pen|[Ii]nit)([A-Z]|$)`)

// sameValue returns the argument of the call of an encoder at a line, if it is a variable of the package, or a field of
// a receiver of which the file makes only one, and if only constructors in the file assign to it.
func (a *analysis) sameValue(at evidence.Frame) (value string, ok bool) {
	file := a.prog.parsedFile(at.File)
	if file == nil {
		return "", false
	}
	i := slices.IndexFunc(file.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Body != nil && a.prog.covers(fn, at.Line)
	})
	if i < 0 {
		return "", false
	}
	fn := file.Decls[i].(*ast.FuncDecl)
	var call *ast.CallExpr
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		c, is := n.(*ast.CallExpr)
		if is && a.prog.line(c.Pos()) == at.Line && len(c.Args) > 0 &&
			slices.Contains([]string{"Marshal", "MarshalIndent"}, calleeName(c)) {
			call = c
		}
		return true
	})
	if call == nil || constructs(fn) {
		return "", false
	}
	names := selected(call.Args[0])
	switch {
	case len(names) == 0:
		return "", false
	case declares(file, names[0]) && !binds(fn, names[0]):
	case len(names) == 1 || !a.hasOneReceiver(file, fn, names[0]):
		return "", false
	default:
		names[0] = "" // any instance
	}
	if changes(file, call, names) {
		return "", false
	}
	value = strings.Join(selected(call.Args[0]), ".")
	return value, true
}

// constructs reports whether a function makes values: a constructor, not a method.
func constructs(fn *ast.FuncDecl) bool {
	return fn.Recv == nil && constructors.MatchString(fn.Name.Name)
}

// selected returns the names of a variable and its fields, as in x.y or &x.y, or nil for another expression.
func selected(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.Ident:
		return []string{e.Name}
	case *ast.SelectorExpr:
		if of := selected(e.X); of != nil {
			return append(of, e.Sel.Name)
		}
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return selected(e.X)
		}
	case *ast.StarExpr:
		return selected(e.X)
	}
	return nil
}

// hasOneReceiver reports whether a name is that of the receiver of a method, of a type of the file of which there seems
// to be one value: main makes it, or a constructor that main calls, outside of loops, and no list, map or channel holds
// such values. A method that encodes its own receiver, such as MarshalJSON, has many.
func (a *analysis) hasOneReceiver(file *ast.File, fn *ast.FuncDecl, name string) bool {
	if fn.Recv == nil || len(fn.Recv.List) != 1 || len(fn.Recv.List[0].Names) != 1 ||
		fn.Recv.List[0].Names[0].Name != name || strings.HasPrefix(fn.Name.Name, "Marshal") {
		return false
	}
	of := selected(fn.Recv.List[0].Type)
	if len(of) != 1 {
		return false
	}
	is := func(e ast.Expr) bool { names := selected(e); return len(names) == 1 && names[0] == of[0] }
	many := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ArrayType:
			many = many || is(n.Elt)
		case *ast.MapType:
			many = many || is(n.Key) || is(n.Value)
		case *ast.ChanType:
			many = many || is(n.Value)
		}
		return !many
	})
	makes := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			return n.Type != nil && is(n.Type)
		case *ast.CallExpr:
			return calleeName(n) == "new" && len(n.Args) == 1 && is(n.Args[0])
		}
		return false
	}
	return !many && onceInMain(file, makes, true)
}

// onceInMain reports whether a file has nodes of a kind, all of them in main or a package variable, outside of loops
// and function literals, or, if wanted, in constructors that are called only there.
func onceInMain(file *ast.File, is func(ast.Node) bool, constructors bool) bool {
	found, only := false, true
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		repeats := false // the node is in a loop or a function literal
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
				if !repeats {
					repeats = true
					ast.Inspect(n, visit)
					repeats = false
					return false
				}
			}
			if n == nil || !is(n) {
				return true
			}
			found = true
			switch {
			case repeats:
				only = false
			case !ok || fn.Recv == nil && fn.Name.Name == "main":
			case constructors && constructs(fn):
				calls := func(n ast.Node) bool {
					c, ok := n.(*ast.CallExpr)
					return ok && calleeName(c) == fn.Name.Name
				}
				only = only && onceInMain(file, calls, false)
			default:
				only = false
			}
			return true
		}
		ast.Inspect(d, visit)
	}
	return found && only
}

// declares reports whether a file declares a variable of the package.
func declares(file *ast.File, name string) bool {
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return ok && g.Tok == token.VAR && slices.ContainsFunc(g.Specs, func(s ast.Spec) bool {
			return slices.ContainsFunc(s.(*ast.ValueSpec).Names, func(n *ast.Ident) bool { return n.Name == name })
		})
	})
}

// binds reports whether a function has a parameter or a variable of a name.
func binds(fn *ast.FuncDecl, name string) (yes bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			yes = yes || slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return id.Name == name })
		case *ast.AssignStmt:
			yes = yes || n.Tok == token.DEFINE && slices.Contains(identifiers(n.Lhs...), name)
		case *ast.RangeStmt:
			yes = yes || n.Tok == token.DEFINE && slices.Contains(identifiers(n.Key, n.Value), name)
		case *ast.ValueSpec:
			yes = yes || slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return id.Name == name })
		}
		return !yes
	})
	return yes
}

// changes reports whether code that may run between two calls may change what some names select: it assigns to one of
// them or to the whole receiver, takes another name for it, calls its method, or passes it to a function other than in
// the call of the encoder. Constructors and main run before, except for their loops, goroutines and function literals.
func changes(file *ast.File, encodes *ast.CallExpr, names []string) (yes bool) {
	is := func(e ast.Expr) bool {
		return slices.ContainsFunc(names, func(n string) bool { return n != "" && mentionsName(e, n) })
	}
	encoder := func(e ast.Expr) bool { return e == ast.Expr(encodes) }
	inspect := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			whole := func(e ast.Expr) bool { _, star := e.(*ast.StarExpr); return star && names[0] == "" }
			yes = yes || slices.ContainsFunc(n.Lhs, is) || slices.ContainsFunc(n.Lhs, whole) ||
				slices.ContainsFunc(n.Rhs, func(e ast.Expr) bool { return !encoder(e) && is(e) })
		case *ast.IncDecStmt:
			yes = yes || is(n.X)
		case *ast.RangeStmt:
			yes = yes || n.Value != nil && is(n.X)
		case *ast.CallExpr:
			if encoder(n) || slices.Contains([]string{"len", "cap"}, calleeName(n)) {
				return false
			}
			s, method := n.Fun.(*ast.SelectorExpr)
			yes = yes || method && is(s.X) || slices.ContainsFunc(n.Args, is)
		}
		return !yes
	}
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && !constructs(fn) && (fn.Recv != nil || fn.Name.Name != "main") {
			ast.Inspect(fn, inspect)
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool { // only what is repeated, or runs later
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.GoStmt, *ast.FuncLit:
				ast.Inspect(n, inspect)
				return false
			}
			return !yes
		})
	}
	return yes
}

// mentionsName reports whether an expression has a name, as a variable or as a field.
func mentionsName(e ast.Expr, name string) (yes bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		yes = yes || ok && id.Name == name
		return !yes
	})
	return yes
}
