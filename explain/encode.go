package explain

import (
	"go/ast"
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
// as its file shows, in a line that is repeated.
func (a *analysis) encodedAgain() []Finding {
	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		return a.prog.caller(w.stack, encoders...)
	})
	for _, g := range groups {
		if g.share < encodeShare {
			break
		}
		value, ok := a.sameValue(g.at)
		if !ok || !a.repeats(g.sample, a.prog.parsedFile(g.at.File)) {
			continue
		}
		f := a.newFinding(HotFunction, "Each call encodes %s again: that takes %s of the CPU time.", value,
			percent(g.share))
		a.locateCalls(&f, g, 0.1)
		f.citef("nothing in this file seems to change %s after it is made", value)
		f.Alternative = "Other code changes " + value + ", its methods add the time, or each call has another one."
		f.Fix = "Encode it once, and keep the bytes until the value changes."
		f.Experiment = "Keep the bytes of the first call: the time should fall by their share."
		return []Finding{f}
	}
	return nil
}

// repeats reports whether a call is repeated, as far as the stack and the file of the call show: in a loop, or in a
// goroutine of a library, such as a server's, or in one that a loop starts.
func (a *analysis) repeats(stack []evidence.Frame, file *ast.File) bool {
	if _, loops := a.loopAround(stack); loops {
		return true
	}
	start := startFunction(stack)
	i := slices.IndexFunc(stack, func(f evidence.Frame) bool { return f.Function == start })
	if i < 0 || !a.prog.isOwn(stack[i]) {
		return i >= 0
	}
	name := start[strings.LastIndexByte(start, '.')+1:]
	loops := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			loops = loops || starts(n.Body, name)
		case *ast.RangeStmt:
			loops = loops || starts(n.Body, name)
		}
		return !loops
	})
	return loops
}

// starts reports whether code starts a function or a method of a name in a goroutine.
func starts(code ast.Node, name string) (yes bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		path := selected(startedFunction(n))
		yes = yes || len(path) > 0 && path[len(path)-1] == name
		return !yes
	})
	return yes
}

// uses returns how often a file mentions a function other than in its declaration.
func uses(file *ast.File, function string) (n int) {
	var visit func(ast.Node) bool
	in := func(x ast.Node) bool {
		ast.Inspect(x, visit)
		return false
	}
	visit = func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncDecl:
			return x.Body != nil && in(x.Body)
		case *ast.SelectorExpr: // the name of a field or a method is another
			return in(x.X)
		case *ast.Field:
			return in(x.Type)
		case *ast.Ident:
			if x.Name == function {
				n++
			}
		}
		return true
	}
	for _, d := range file.Decls {
		ast.Inspect(d, visit)
	}
	return n
}

// sameValue returns the argument of the call of an encoder at a line, if it is a variable of the package, or a field of
// a receiver of which there seems to be one, and if nothing in the file changes it once it is made.
func (a *analysis) sameValue(at evidence.Frame) (value string, ok bool) {
	file := a.prog.parsedFile(at.File)
	if file == nil || marshals(file) {
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
			v.use, v.path = c, selected(c.Args[0])
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

// marshals reports whether a file has methods that encode values, which may add what is in no field.
func marshals(file *ast.File) bool {
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv != nil && strings.HasPrefix(fn.Name.Name, "Marshal")
	})
}

// constructorName matches the names of functions that make values, and so may assign to their fields.
var constructorName = regexp.MustCompile(`^([Nn]ew|[Ll]oad|[Oo]pen|[Ii]nit)([A-Z]|$)`)

// constructs reports whether a function makes values: a constructor, not a method.
func constructs(fn *ast.FuncDecl) bool {
	return fn.Recv == nil && constructorName.MatchString(fn.Name.Name)
}

// hasOneReceiver reports whether a name is that of the receiver of a method, of a type of which its file makes one
// value: in main or a variable of the package, or in a constructor that only these call, outside of loops; no list, map
// or channel holds such values.
func hasOneReceiver(file *ast.File, fn *ast.FuncDecl, name string) bool {
	of := receiverType(fn)
	if of == "" || receiverName(fn) != name {
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
		case *ast.ValueSpec:
			_, pointer := n.Type.(*ast.StarExpr)
			return n.Type != nil && !pointer && len(n.Values) == 0 && is(n.Type)
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
			if g, ok := n.(*ast.GoStmt); ok && is(g.Call) {
				only = false // it runs while other code does
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
				only = only && runsOnce(file, fn)
			default:
				only = false
			}
			return true
		}
		ast.Inspect(d, visit)
	}
	return found == 1 && only
}
