package explain

import (
	"go/ast"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// memoryUpdateShare returns the fraction of the goroutines' CPU time on lines that add to a field or an element, or
// that run after these: a sample has the instruction after the one that takes long. Goroutines whose fields share a
// cache line slow each other down (false sharing).
func (a *analysis) memoryUpdateShare() float64 {
	if !a.hasSamples() {
		return 0
	}

	share := 0.0
	for i := range a.cpu.list {
		w := &a.cpu.list[i]
		if w.root != "" && len(w.stack) > 0 && a.prog.isOwn(w.stack[0]) &&
			(updatesMemory(a.prog.sourceLine(w.stack[0])) || a.prog.followsUpdate(w.stack[0])) {
			share += w.weight / math.Max(a.cpu.user, 1e-9)
		}
	}

	return share
}

var increments = regexp.MustCompile(`[A-Za-z0-9_)](\.[A-Za-z_0-9]+|\])\s*(\+\+|--|[-+|^&]=)`)

var fields = regexp.MustCompile(`^\s*([A-Za-z_][A-Za-z0-9_.]*\.[A-Za-z_0-9]+) (<<|>>|&\^|[*/%])?= (.*)`)

var operands = regexp.MustCompile(`\.?[A-Za-z_][A-Za-z0-9_.]*[(\[]?`)

// updatesMemory reports whether a line adds to a field or an element, or computes a field from its old value. Other
// computed elements mostly belong to one goroutine.
func updatesMemory(line string) bool {
	if increments.MatchString(line) {
		return true
	}
	m := fields.FindStringSubmatch(line)
	return m != nil && (m[2] != "" || slices.Contains(operands.FindAllString(m[3], -1), m[1]))
}

// followsUpdate reports whether what runs before a line updates memory: the line above, or, for a loop, the last
// statement of its body or of the function that this calls.
func (p program) followsUpdate(at evidence.Frame) bool {
	if p.Source == nil {
		return false
	}
	if at.Line > 1 && updatesMemory(p.Source(at.File, at.Line-1)) {
		return true
	}
	if !strings.HasPrefix(p.sourceLine(at), "for ") {
		return false
	}
	loop := p.innermostLoop(at)
	if loop == nil || p.line(loop.Pos()) != at.Line {
		return false
	}
	body, _ := loopParts(loop)
	last := p.lastLine(body)
	if updatesMemory(p.Source(at.File, last)) {
		return true
	}
	if len(body.List) == 0 {
		return false
	}
	s, ok := body.List[len(body.List)-1].(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := s.X.(*ast.CallExpr)
	return ok && slices.ContainsFunc(p.declaredIn(p.parsedFile(at.File))[calleeName(c)],
		func(fn *ast.FuncDecl) bool {
			return fn.Body != nil && updatesMemory(p.Source(at.File, p.lastLine(fn.Body)))
		})
}

// lastLine returns the line on which the last statement of a block begins, or 0.
func (p program) lastLine(b *ast.BlockStmt) int {
	if len(b.List) == 0 {
		return 0
	}
	return p.line(b.List[len(b.List)-1].Pos())
}
