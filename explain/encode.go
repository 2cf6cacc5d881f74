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

// encoders make bytes of a value, always the same bytes of the same value. encoderNames are the methods among them.
var (
	encoders = []string{"encoding/json.Marshal", "encoding/xml.Marshal", "encoding/asn1.Marshal",
		"google.golang.org/protobuf/proto.Marshal"}
	encoderNames = []string{"Marshal", "MarshalIndent"}
)

// encodedAgain finds a line that encodes a value which does not depend on the call, and which no code changes, as far
// as its file shows. The line runs again and again: in a loop, or not in the main goroutine.
func (a *analysis) encodedAgain() []Finding {
	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		return a.prog.caller(w.stack, encoders...)
	})
	for _, g := range groups {
		if g.share < encodeShare {
			break
		}
		value, ok := a.sameValue(g.at)
		if _, loops := a.loopAround(g.sample); !ok || !loops && containsAny(g.sample, "main.main") {
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

// encoded is a value that a call of an encoder takes.
type encoded struct {
	call     *ast.CallExpr
	path     []string // the names of a variable of the package and of fields, or of the fields of any receiver
	receiver string   // the type of the receiver; "" for a variable of the package
}

// sameValue returns the argument of the call of an encoder at a line, if it is a variable of the package, or a field of
// a receiver of which there seems to be one, and if nothing in the file changes it once it is made.
func (a *analysis) sameValue(at evidence.Frame) (value string, ok bool) {
	file := a.prog.parsedFile(at.File)
	if file == nil {
		return "", false
	}
	fn := a.prog.functionAt(file, at.Line)
	if fn == nil || constructs(fn) {
		return "", false
	}
	v := encoded{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		c, is := n.(*ast.CallExpr)
		if is && a.prog.line(c.Pos()) == at.Line && len(c.Args) > 0 && slices.Contains(encoderNames, calleeName(c)) {
			v.call, v.path = c, selected(c.Args[0])
		}
		return true
	})
	value = strings.Join(v.path, ".")
	switch {
	case len(v.path) == 0:
		return "", false
	case declares(file, v.path[0]) && !binds(fn, v.path[0]):
	case len(v.path) == 1 || !hasOneReceiver(file, fn, v.path[0]):
		return "", false
	default:
		v.path, v.receiver = v.path[1:], receiverType(fn)
	}
	return value, !v.changes(file)
}

// constructorName matches the names of functions that make values, and so may assign to their fields.
var constructorName = regexp.MustCompile(`^([Nn]ew|[Ll]oad|[Oo]pen|[Ii]nit)([A-Z]|$)`)

// constructs reports whether a function makes values: a constructor, not a method.
func constructs(fn *ast.FuncDecl) bool {
	return fn.Recv == nil && constructorName.MatchString(fn.Name.Name)
}

// hasOneReceiver reports whether a name is that of the receiver of a method, of a type of which its file makes one
// value: in main or a variable of the package, or in a constructor that only these call, outside of loops; no list, map
// or channel holds such values. A method that encodes its own receiver, such as MarshalJSON, has many.
func hasOneReceiver(file *ast.File, fn *ast.FuncDecl, name string) bool {
	of := receiverType(fn)
	if of == "" || receiverName(fn) != name || strings.HasPrefix(fn.Name.Name, "Marshal") {
		return false
	}
	is := func(e ast.Expr) bool { path := selected(e); return len(path) == 1 && path[0] == of }
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

// onceInMain reports whether a file has one node of a kind, in main or a package variable, outside of loops and
// function literals, or, if wanted, in a constructor that is called once there.
func onceInMain(file *ast.File, is func(ast.Node) bool, orConstructor bool) bool {
	found, only := 0, true
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
			found++
			switch {
			case repeats:
				only = false
			case !ok || fn.Recv == nil && fn.Name.Name == "main":
			case orConstructor && constructs(fn):
				only = only && onceInMain(file, func(n ast.Node) bool { return callsFunction(n, fn.Name.Name) }, false)
			default:
				only = false
			}
			return true
		}
		ast.Inspect(d, visit)
	}
	return found == 1 && only
}

// changes reports whether code of the file that may run between two calls may change the value: it assigns to a part of
// it or to what it is a part of, takes another name for it, calls its method, or passes it to a function other than in
// the call of the encoder. Constructors run before, except for their goroutines and function literals, and so does
// main, except for these and its loops.
func (v *encoded) changes(file *ast.File) (yes bool) {
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			fn = nil
		}
		inspect := func(n ast.Node) bool {
			yes = yes || v.changedBy(n, fn)
			return !yes
		}
		if ok && !constructs(fn) && (fn.Recv != nil || fn.Name.Name != "main") {
			ast.Inspect(fn, inspect)
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool { // only what is repeated, or runs later, and names for the value
			switch n := n.(type) {
			case *ast.AssignStmt:
				yes = yes || slices.ContainsFunc(n.Rhs, v.addressedBy)
			case *ast.ForStmt, *ast.RangeStmt:
				if ok && !constructs(fn) {
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
		return n.Value != nil && v.touchedBy(n.X)
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

// addressedBy reports whether an expression is the address of the value, of a part of it, or of what it is a part of.
func (v *encoded) addressedBy(e ast.Expr) bool {
	u, ok := e.(*ast.UnaryExpr)
	return ok && u.Op == token.AND && v.touchedBy(u.X)
}

// onlyReads reports whether a call is that of the encoder, or of a function that changes nothing.
func (v *encoded) onlyReads(c *ast.CallExpr) bool {
	return c == v.call || slices.Contains([]string{"len", "cap"}, calleeName(c))
}

// touchedBy reports whether an expression has the value, a part of it, or what it is a part of, other than to read it.
// A field of the same name counts as the value, since the types are unknown.
func (v *encoded) touchedBy(e ast.Expr) (yes bool) {
	last := v.path[len(v.path)-1]
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || yes {
			return !yes
		}
		if c, is := x.(*ast.CallExpr); is && v.onlyReads(c) {
			return false
		}
		if path := selected(x); path != nil {
			yes = v.overlaps(path)
			return false
		}
		s, ok := x.(*ast.SelectorExpr)
		yes = ok && s.Sel.Name == last
		return !yes
	})
	return yes
}

// overlaps reports whether a path of names is that of the value, of a part of it, or of what it is a part of.
func (v *encoded) overlaps(path []string) bool {
	if len(path) > 1 && slices.Contains(path[1:], v.path[len(v.path)-1]) {
		return true
	}
	if v.receiver != "" {
		path = path[1:]
	}
	n := min(len(path), len(v.path))
	return n > 0 && slices.Equal(path[:n], v.path[:n])
}
