package source

import (
	"go/ast"
	"strings"
)

// reach marks the declarations that from uses, directly or indirectly. Types are not resolved, so that the count may be
// too high, or too low for a method that only another package calls.
func (p *packageSource) reach(from *declaration, reached map[*declaration]bool) {
	selected := map[string]bool{} // by marked code
	p.mark(from, reached, selected)
	for grown := true; grown; {
		grown = false
		for _, dc := range p.order {
			typeName, method, ok := strings.Cut(dc.name, ".")
			if ok && !reached[dc] && p.own[dc.file] && p.calls(p.decls[typeName], method, reached, selected) {
				p.mark(dc, reached, selected)
				grown = true
			}
		}
	}
}

// calls reports whether a design uses a method of a type. Other files than those of designs, and other packages, call
// methods through interfaces.
func (p *packageSource) calls(t *declaration, method string, reached map[*declaration]bool,
	selected map[string]bool) bool {
	switch {
	case t == nil || !p.own[t.file]: // all designs share the type
		return selected[method]
	case !reached[t]:
		return false
	}
	return selected[method] || p.shared[method] || !p.selected[method]
}

// mark marks a declaration and the functions, types, constants and variables that it uses, and adds the names that it
// selects.
func (p *packageSource) mark(from *declaration, reached map[*declaration]bool, selected map[string]bool) {
	if reached[from] || !p.own[from.file] {
		return
	}
	reached[from] = true
	selections(from, selected)
	ast.Inspect(from.node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && p.decls[id.Name] != nil {
			p.mark(p.decls[id.Name], reached, selected)
		}
		return true
	})
}

// selections adds the names that a declaration selects: m of x.m.
func selections(dc *declaration, names map[string]bool) {
	ast.Inspect(dc.node, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			names[s.Sel.Name] = true
		}
		return true
	})
}
