package explain

import (
	"go/ast"
	"go/token"
	"math"
	"regexp"
	"slices"

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
		f.Level = ProfileLevel
		f.Where = []string{a.prog.position(g.at)}
		f.Share = g.share
		d := a.shareHalfWidth(g.share)
		saved := g.share * a.activeFraction()
		f.Gain = newGain(0.85*saved, 0.4*math.Max(0, saved-d), saved)
		f.citef("%s of the goroutines' CPU time is below %s", percent(g.share), a.quote(g.at))
		f.citef("nothing in this file assigns to %s, except where it is made", value)
		f.Alternative = "Other code changes " + value + " between the calls."
		f.Fix = "Encode it once, and keep the bytes until the value changes."
		f.Experiment = "Keep the bytes of the first call: the time should fall by their share."
		f.Confidence = High
		return []Finding{f}
	}
	return nil
}

// constructors matches the names of functions that make values, and so may assign to their fields.
var constructors = regexp.MustCompile(`^([Nn]ew|[Mm]ake|[Ll]oad|[Oo]pen|[Ii]nit|main$)`)

// sameValue returns the argument of the call of an encoder at a line, if it is a field of the receiver or a variable of
// the package, to which only constructors in its file assign.
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
	var names []string
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		c, is := n.(*ast.CallExpr)
		if is && a.prog.line(c.Pos()) == at.Line && len(c.Args) > 0 &&
			slices.Contains([]string{"Marshal", "MarshalIndent"}, calleeName(c)) {
			names = selected(c.Args[0])
		}
		return true
	})
	if len(names) == 0 || len(names) == 1 && !declares(file, names[0]) || constructors.MatchString(fn.Name.Name) ||
		len(names) > 1 && !isReceiver(fn, names[0]) && !declares(file, names[0]) || changes(file, names) {
		return "", false
	}
	value = names[0]
	for _, n := range names[1:] {
		value += "." + n
	}
	return value, true
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

// isReceiver reports whether a name is that of the receiver of a method.
func isReceiver(fn *ast.FuncDecl, name string) bool {
	return fn.Recv != nil && len(fn.Recv.List) == 1 && len(fn.Recv.List[0].Names) == 1 &&
		fn.Recv.List[0].Names[0].Name == name
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

// changes reports whether a function of a file other than a constructor assigns to the last of some names, to a part of
// it, or calls a method of it.
func changes(file *ast.File, names []string) (yes bool) {
	last := names[len(names)-1]
	is := func(e ast.Expr) bool { return mentionsName(e, last) }
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || constructors.MatchString(fn.Name.Name) {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				yes = yes || slices.ContainsFunc(n.Lhs, is)
			case *ast.IncDecStmt:
				yes = yes || is(n.X)
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok {
					yes = yes || is(s.X)
				}
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
