package explain

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/evidence"
)

const kitchen = `package main

func (k *Kitchen) Make(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer log.Flush()
	for i := range n {

		// one after the other
		k.cups += i
	}
}

func main() {
	go func() {
		defer func() {
			done()
		}()
		work()
	}()
	if ready {
		a()
	} else if late {
		b()
	} else {
		c()
	}
}
`

// A location is a statement: never a brace, a blank line or a comment.
func TestStatement(t *testing.T) {
	lines := strings.Split(kitchen, "\n")
	source := func(_ string, n int) string {
		if n < 1 || n > len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[n-1])
	}
	for _, c := range []struct {
		name, callee, function string
		line, want             int
	}{
		{"a statement", "", "main.(*Kitchen).Make", 10, 10},
		{"the end of a loop", "", "main.(*Kitchen).Make", 11, 7},
		{"a blank line", "", "main.(*Kitchen).Make", 8, 7},
		{"a comment", "", "main.(*Kitchen).Make", 9, 7},
		{"a deferred call", "sync.(*Mutex).Unlock", "main.(*Kitchen).Make", 12, 5},
		{"another deferred call", "log.Flush", "main.(*Kitchen).Make", 12, 6},
		{"a go statement", "runtime.newproc", "main.main", 20, 15},
		{"a deferred function literal", "main.main.func1.1", "main.main.func1", 20, 16},
		{"the end of a deferred function literal", "", "main.main.func1.1", 18, 16},
		{"else if", "", "main.main", 23, 23},
		{"else", "", "main.main", 25, 23},
		{"the end of a function", "", "main.main", 28, 14},
		{"no source", "", "main.main", 100, 100},
	} {
		p := newProgram(&evidence.Program{Source: source})
		stack := []evidence.Frame{{Function: c.callee}, {Function: c.function, File: "main.go", Line: c.line}}
		if got := p.statement(stack, 1); got.Line != c.want || got.Function != c.function {
			t.Errorf("%s: line %d, want %d", c.name, got.Line, c.want)
		}
		if c.callee != "" {
			stack = []evidence.Frame{stack[0], {Function: "runtime.deferreturn"}, stack[1]}
			if got := p.statement(stack, 2); got.Line != c.want {
				t.Errorf("%s by runtime.deferreturn: line %d, want %d", c.name, got.Line, c.want)
			}
		}
	}

	p := newProgram(&evidence.Program{Source: source})
	at := p.position(evidence.Frame{Function: "main.(*Kitchen).Make", File: "main.go", Line: 12})
	if at != "main.go:5" || p.functions[at] != "(*Kitchen).Make" {
		t.Errorf("%s in %s", at, p.functions[at])
	}
	if at := p.position(evidence.Frame{Function: "main.f", File: "main.go", Line: 11}); at != "main.go:7" {
		t.Errorf("another function: %s", at)
	}
	broken := newProgram(&evidence.Program{Source: func(string, int) string { return "}" }})
	if at := broken.position(evidence.Frame{Function: "main.f", File: "main.go", Line: 3}); at != "main.go:3" {
		t.Errorf("no Go: %s", at)
	}
}
