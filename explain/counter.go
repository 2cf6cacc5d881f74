package explain

import (
	"go/ast"
	"go/token"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// adjacentCost is the fraction of the goroutines' CPU time in a loop that updates a counter, not in what it calls.
const adjacentCost = 0.2

// adjacentCounter finds a counter of one goroutine next to those of others, as in t := &tallies[worker] before a loop
// with t.n++. Elements that a file pads do not share a cache line.
func (a *analysis) adjacentCounter() (evidence.Frame, bool) {
	if !a.hasSamples() {
		return evidence.Frame{}, false
	}
	type loop struct {
		file     string
		from, to int
	}
	shares := map[loop]float64{}
	for i := range a.cpu.list {
		w := &a.cpu.list[i]
		at, ok := a.prog.ownFrame(w.stack)
		if !ok || w.root == "" {
			continue
		}
		c := a.counterAround(at)
		if c.line == 0 {
			continue
		}
		l := loop{at.File, c.from, c.to}
		if shares[l] += w.weight / math.Max(a.cpu.user, 1e-9); shares[l] >= adjacentCost {
			return evidence.Frame{Function: at.Function, File: at.File, Line: c.line}, true
		}
	}
	return evidence.Frame{}, false
}

// counter is a pointer to an element, taken at a line, whose fields a loop updates.
type counter struct{ line, from, to int }

// counterAround returns the counter that a loop around a position updates; without one its line is 0.
func (a *analysis) counterAround(at evidence.Frame) (found counter) {
	file := a.prog.parsedFile(at.File)
	if file == nil || pads(file) {
		return counter{}
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && a.prog.covers(fn, at.Line) {
			a.findCounters(fn.Body, false, map[string]token.Pos{}, func(c counter) {
				if c.from <= at.Line && at.Line <= c.to {
					found = c
				}
			})
		}
	}
	return found
}

// findCounters calls a function for each loop that updates the fields of a pointer which was taken outside of all loops
// of its function, so that no loop chooses the element. taken has the pointers by name.
func (a *analysis) findCounters(body *ast.BlockStmt, inLoop bool, taken map[string]token.Pos, found func(counter)) {
	check := func(loop ast.Stmt, body *ast.BlockStmt) {
		if at := updatedIn(body, taken); at.IsValid() {
			found(counter{a.prog.line(at), a.prog.line(loop.Pos()), a.prog.line(loop.End())})
		}
		a.findCounters(body, true, taken, found)
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if name, ok := takesElement(n); ok && !inLoop {
				taken[name] = n.Pos()
			}
		case *ast.FuncLit:
			a.findCounters(n.Body, false, map[string]token.Pos{}, found)
			return false
		case *ast.ForStmt:
			check(n, n.Body)
			return false
		case *ast.RangeStmt:
			check(n, n.Body)
			return false
		}
		return true
	})
}

// updatedIn returns where a pointer was taken whose fields the body of a loop updates.
func updatedIn(body *ast.BlockStmt, taken map[string]token.Pos) (at token.Pos) {
	ast.Inspect(body, func(n ast.Node) bool {
		var of ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE && len(n.Lhs) == 1 {
				of = n.Lhs[0]
			}
		case *ast.IncDecStmt:
			of = n.X
		}
		if s, ok := of.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && taken[id.Name].IsValid() {
				at = taken[id.Name]
			}
		}
		return true
	})
	return at
}

// takesElement reports whether a statement sets a variable to the address of an element whose index is a variable.
func takesElement(n *ast.AssignStmt) (name string, ok bool) {
	if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 {
		return "", false
	}
	pointer, ok := n.Rhs[0].(*ast.UnaryExpr)
	if !ok || pointer.Op != token.AND {
		return "", false
	}
	element, ok := pointer.X.(*ast.IndexExpr)
	if !ok || len(identifiers(element.Index)) == 0 {
		return "", false
	}
	names := identifiers(n.Lhs...)
	return names[0], true
}

// pads reports whether a struct type of a file has a field that keeps its elements apart: an array or a type named
// CacheLinePad, blank or called pad.
func pads(file *ast.File) (yes bool) {
	isPad := func(f *ast.Field) bool {
		if s, ok := f.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "CacheLinePad" {
			return true
		}
		array, ok := f.Type.(*ast.ArrayType)
		if zero, is := arrayLength(array, ok); is && zero == "0" {
			return false
		}
		return ok && slices.ContainsFunc(f.Names, func(id *ast.Ident) bool {
			return id.Name == "_" || strings.HasPrefix(strings.TrimPrefix(id.Name, "_"), "pad")
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			yes = yes || slices.ContainsFunc(s.Fields.List, isPad)
		}
		return !yes
	})
	return yes
}

// arrayLength returns the length of an array type, if it is a literal.
func arrayLength(t *ast.ArrayType, isArray bool) (string, bool) {
	if !isArray || t.Len == nil {
		return "", false
	}
	l, ok := t.Len.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	return l.Value, true
}
