package explain

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// sources holds what was read of the source of the program.
type sources struct {
	set        *token.FileSet
	files      map[string]*ast.File // nil if a file is not available or not valid Go
	statements map[call]evidence.Frame
	declared   map[*ast.File]map[string][]*ast.FuncDecl // see declaredIn
}

// call is a frame and the name of the function that it calls; "" if unknown.
type call struct {
	frame  evidence.Frame
	callee string
}

// maxFileLines is the largest number of lines read from a file.
const maxFileLines = 20000

// parsedFile returns the syntax tree of a file of the program, or nil. It reads the file once.
func (p program) parsedFile(file string) *ast.File {
	if p.Source == nil || file == "" {
		return nil
	}
	if f, ok := p.sources.files[file]; ok {
		return f
	}

	var text strings.Builder
	last := 0
	for n := 1; n < maxFileLines && n < last+200; n++ {
		line := p.Source(file, n)
		if line != "" {
			last = n
		}
		text.WriteString(line + "\n")
	}

	f, err := parser.ParseFile(p.sources.set, file, text.String(), parser.SkipObjectResolution)
	if err != nil {
		f = nil
	}

	p.sources.files[file] = f
	return f
}

// line returns the line of a position in a parsed file.
func (p program) line(at token.Pos) int { return p.sources.set.Position(at).Line }

// covers reports whether a syntax node includes a line of its file.
func (p program) covers(n ast.Node, line int) bool {
	return p.line(n.Pos()) <= line && line <= p.line(n.End())
}

// functionAt returns the function of a file that includes a line, or nil.
func (p program) functionAt(file *ast.File, line int) *ast.FuncDecl {
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && p.covers(fn, line) {
			return fn
		}
	}
	return nil
}

// innermostLoop returns the innermost loop around a position, or nil if the source is not available.
func (p program) innermostLoop(at evidence.Frame) ast.Stmt {
	if loops := p.loops(at); len(loops) > 0 {
		return loops[len(loops)-1]
	}
	return nil
}

// loops returns the loops around a position, the outermost first.
func (p program) loops(at evidence.Frame) (loops []ast.Stmt) {
	f := p.parsedFile(at.File)
	if f == nil {
		return nil
	}

	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if p.covers(n, at.Line) {
				loops = append(loops, n.(ast.Stmt))
			}
		}
		return true
	})

	return loops
}

// startsStatement reports whether a line of source holds more than the end of a block or of a call.
func startsStatement(line string) bool {
	return line != "" && !strings.HasPrefix(line, "//") && line != "{" && !strings.HasPrefix(line, ")") &&
		(!strings.HasPrefix(line, "}") || strings.HasPrefix(line, "} else if "))
}

// statement returns the i-th frame of a stack at the first line of its statement. The compiler gives the line of a
// closing brace to the calls of deferred functions, to the end of a loop, and to go statements with a function literal.
// A deferred call is then at its defer statement. Frames whose source is not available stay as they are.
func (p program) statement(stack []evidence.Frame, i int) evidence.Frame {
	f := stack[i]
	if p.Source == nil || f.File == "" || f.Line <= 0 || startsStatement(strings.TrimSpace(p.Source(f.File, f.Line))) {
		return f
	}

	key := call{f, ""}
	for by := i - 1; by >= 0 && (key.callee == "" || key.callee == "runtime.deferreturn"); by-- {
		key.callee = stack[by].Function
	}
	if known, ok := p.sources.statements[key]; ok {
		return known
	}

	at := f
	if file := p.parsedFile(f.File); file != nil {
		at.Line = cmp.Or(p.deferLine(file, key), p.enclosingLine(file, f.Line), f.Line)
	}
	p.sources.statements[key] = at
	return at
}

// enclosingLine returns the first line of the innermost statement or function that began before a line and includes
// it. It is 0 if there is none.
func (p program) enclosingLine(file *ast.File, line int) (first int) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.File, *ast.BlockStmt:
		case ast.Stmt, *ast.FuncDecl:
			if p.line(n.Pos()) < line && p.covers(n, line) {
				first = p.line(n.Pos())
			}
		}
		return true
	})
	return first
}

// literals matches the parts of a function's name that stand for function literals.
var literals = regexp.MustCompile(`\.(func)?\d+`)

// deferLine returns the line of the defer statement whose function is called at the end of the function of a frame, or
// 0 if the frame is not at the end of a function with a defer statement.
func (p program) deferLine(file *ast.File, c call) (line int) {
	var within []ast.Node
	depth := len(literals.FindAllString(strings.TrimPrefix(c.frame.Function, packagePath(c.frame.Function)), -1))
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			within = within[:len(within)-1]
			return false
		}
		within = append(within, n)

		d, ok := n.(*ast.DeferStmt)
		if !ok || line > 0 && !deferCalls(d, c.callee) {
			return true
		}
		nested, body := 0, (*ast.BlockStmt)(nil)
		for _, n := range within {
			switch n := n.(type) {
			case *ast.FuncDecl:
				body = n.Body
			case *ast.FuncLit:
				nested, body = nested+1, n.Body
			}
		}
		if nested == depth && body != nil && p.line(body.End()) == c.frame.Line {
			line = p.line(d.Pos())
		}
		return true
	})
	return line
}

// deferCalls reports whether a defer statement may call a function.
func deferCalls(d *ast.DeferStmt, function string) bool {
	if _, ok := d.Call.Fun.(*ast.FuncLit); ok {
		return literals.MatchString(function)
	}
	return strings.HasSuffix(function, "."+calleeName(d.Call))
}
