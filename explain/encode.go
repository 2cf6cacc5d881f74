package explain

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// encodeShare is the fraction of the goroutines' CPU time in calls at one line that encode the same value.
const encodeShare = 0.2

// encoders make bytes of a value, which mean the same if the value is the same. encoderNames are their names.
var (
	encoders = []string{"encoding/json.Marshal", "encoding/json.(*Encoder).Encode", "encoding/xml.Marshal",
		"encoding/xml.(*Encoder).Encode", "encoding/asn1.Marshal", "google.golang.org/protobuf/proto.Marshal"}
	encoderNames = []string{"Marshal", "MarshalIndent", "Encode"}
)

// encodedAgain finds a line that is repeated, and that encodes a value which does not depend on the call and which no
// code changes, as far as its file shows. A file cannot show that surely, so the finding has low confidence.
func (a *analysis) encodedAgain() []Finding {
	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) { return a.prog.encodingCall(w.stack) })
	for _, g := range groups {
		if g.share < encodeShare {
			break
		}
		value, ok := a.sameValue(g.at)
		if !ok || a.marshalsItself(g.at) || !a.repeats(g.sample[len(below(g.sample, encoders...))+1:], g.at.File) {
			continue
		}
		f := a.newFinding(HotFunction, "Calls that encode %s take %s of the CPU time.", value, percent(g.share))
		a.locateCalls(&f, g, 0.1)
		f.Confidence = Low
		f.citef("nothing in this file seems to change %s after it is made", value)
		f.Alternative = "Each call has another " + value + ", or code changes it that this rule does not see."
		f.Fix = "If " + value + " seldom changes, encode it once, and keep the bytes until it does."
		f.Experiment = "Keep the bytes of the first call: the time should fall."
		return []Finding{f}
	}
	return nil
}

// encodingCall returns the program's own line that calls an encoder, unless the sample is in what writes the bytes.
func (p program) encodingCall(stack []evidence.Frame) (evidence.Frame, bool) {
	at, ok := p.caller(stack, encoders...)
	if !ok || slices.ContainsFunc(below(stack, encoders...), func(f evidence.Frame) bool {
		return strings.HasSuffix(f.Function, ".Write") && !hasAnyPrefix(f.Function, "bytes.", "bufio.", "encoding/")
	}) {
		return evidence.Frame{}, false
	}
	return at, true
}

// marshalsItself reports whether a line encodes a value by a method of the program, which may add what is in no field.
func (a *analysis) marshalsItself(line evidence.Frame) bool {
	return slices.ContainsFunc(a.cpu.list, func(w weightedSample) bool {
		at, ok := a.prog.encodingCall(w.stack)
		return ok && at == line && slices.ContainsFunc(below(w.stack, encoders...), func(f evidence.Frame) bool {
			return a.prog.isOwn(f) && strings.HasPrefix(functionName(f.Function), "Marshal")
		})
	})
}

// functionName returns the name of a function or method without its package, its receiver and its type arguments.
func functionName(function string) string {
	function = strings.ReplaceAll(function, "[...]", "")
	return function[strings.LastIndexByte(function, '.')+1:]
}

// repeats reports whether a call is repeated, as far as its callers and its file show: in a loop, or in a goroutine of
// a library, such as a server's, or in one that a loop starts.
func (a *analysis) repeats(stack []evidence.Frame, file string) bool {
	if _, loops := a.loopAround(stack); loops {
		return true
	}
	start := startFunction(stack)
	i := slices.IndexFunc(stack, func(f evidence.Frame) bool { return f.Function == start })
	if i < 0 || !a.prog.isOwn(stack[i]) {
		return i >= 0 && start != "testing.tRunner"
	}
	name, loops := functionName(start), false
	ast.Inspect(a.prog.parsedFile(file), func(n ast.Node) bool {
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
		path := selected(genericFunction(startedFunction(n)))
		yes = yes || len(path) > 0 && path[len(path)-1] == name
		return !yes
	})
	return yes
}

// sameValue returns the argument of the call of an encoder at a line, if it is a variable of the package, a variable of
// a function that runs once in a function literal of it, or a field of a receiver of which there seems to be one, and
// if nothing in the file changes it once it is made.
func (a *analysis) sameValue(at evidence.Frame) (value string, ok bool) {
	file := a.prog.parsedFile(at.File)
	if file == nil || marshals(file) {
		return "", false
	}
	fn := a.prog.functionAt(file, at.Line)
	if fn == nil {
		return "", false
	}
	var encoding []*ast.CallExpr
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && a.prog.line(c.Pos()) == at.Line && encodes(c) {
			encoding = append(encoding, c)
		}
		return true
	})
	if len(encoding) != 1 {
		return "", false
	}
	argument := encoding[0].Args[0]
	v := &encoded{file: file, start: startFunctions(file), seen: map[nameIn]bool{}, call: encoding[0],
		path: selected(argument)}
	value = strings.Join(v.path, ".")
	switch {
	case len(v.path) == 0:
		return "", false
	case captures(fn, v.call, v.path[0]):
		o := origin{of: v}
		return value, runsOnce(fn, v.start) && !o.changedAs(argument, fn) && !o.keeps()
	case constructs(fn):
		return "", false
	case declares(file, v.path[0]) && !binds(fn, v.path[0]):
	case len(v.path) == 1 || !v.hasOneReceiver(fn):
		return "", false
	default:
		v.path, v.receiver = v.path[1:], receiverType(fn)
	}
	return value, !v.changes()
}

// encodes reports whether a call encodes its first argument and returns the bytes, or writes them to the writer of an
// encoder, as its name says.
func encodes(c *ast.CallExpr) bool {
	name := calleeName(c)
	return len(c.Args) > 0 && slices.Contains(encoderNames, name) && (name != "Encode" || len(c.Args) == 1)
}

// captures reports whether a node is in a function literal that uses a variable which its function declares once,
// outside of loops and of function literals.
func captures(fn *ast.FuncDecl, use ast.Node, name string) bool {
	inLiteral, bound := false, false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		literal, ok := n.(*ast.FuncLit)
		if !ok || use.Pos() < literal.Pos() || literal.End() < use.End() {
			return true
		}
		inLiteral, bound = true, binds(literal, name)
		return false
	})
	declared := 0
	outsideLoops(fn.Body, func(n ast.Node) {
		if s, ok := n.(*ast.AssignStmt); ok && s.Tok != token.DEFINE {
			return
		}
		if slices.Contains(setNames(n), name) {
			declared++
		}
	})
	return inLiteral && !bound && declared == 1
}

// marshals reports whether a file has methods that encode values, which may add what is in no field.
func marshals(file *ast.File) bool {
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv != nil && strings.HasPrefix(fn.Name.Name, "Marshal")
	})
}
