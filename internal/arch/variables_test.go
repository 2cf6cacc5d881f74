package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// variable is a package-level variable.
type variable struct {
	name  *ast.Ident
	value ast.Expr // nil: none
	embed bool     // filled in by go:embed
}

// packageVariables returns the package-level variables of a file.
func packageVariables(f *file) []variable {
	var list []variable
	for _, decl := range f.ast.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			spec := spec.(*ast.ValueSpec)
			for i, name := range spec.Names {
				v := variable{name: name, embed: embeds(g.Doc) || embeds(spec.Doc)}
				if i < len(spec.Values) {
					v.value = spec.Values[i]
				}
				list = append(list, v)
			}
		}
	}
	return list
}

// embeds reports whether a comment contains a go:embed directive.
func embeds(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if strings.HasPrefix(c.Text, "//go:embed ") {
			return true
		}
	}
	return false
}

// variableRule finds package-level variables that are not in the policy. It permits errors, patterns, embedded files,
// interface assertions and unexported tables. The catalog may have only embedded files, because two trials would share
// any other variable.
func variableRule(f *file) (wrong []string) {
	if f.test {
		return nil
	}
	for _, v := range packageVariables(f) {
		name := f.pkg + "." + v.name.Name
		switch {
		case v.embed && v.value == nil || v.name.Name == "_":
		case strings.HasPrefix(f.path, "catalog/"):
			wrong = append(wrong, fmt.Sprintf("%s: the package-level variable %s; two trials would share it",
				f.at(v.name), name))
		case made(f, v.value) || table(v.value) && !v.name.IsExported():
		case variables[name] == "":
			wrong = append(wrong, fmt.Sprintf("%s: the package-level variable %s; make it a constant, a function or "+
				"an unexported table, or add it to the policy's variables with the reason", f.at(v.name), name))
		}
	}
	return wrong
}

// made reports whether the value is a call of errors.New or regexp.MustCompile.
func made(f *file, value ast.Expr) bool {
	call, ok := value.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	use := ""
	if ok {
		use = f.names[x.Name] + "." + s.Sel.Name
	}
	return use == "errors.New" || use == "regexp.MustCompile"
}

// table reports whether the value is a literal of an array, slice or map.
func table(value ast.Expr) bool {
	literal, ok := value.(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch literal.Type.(type) {
	case *ast.ArrayType, *ast.MapType:
		return true
	}
	return false
}

// changes finds assignments to package-level variables and uses of their addresses, except in tests. It does not
// resolve names, so a local variable with the name of a package-level one counts too.
func changes(files []*file) (wrong []string) {
	known := map[string]bool{}
	for _, f := range files {
		if f.test {
			continue
		}
		for _, v := range packageVariables(f) {
			known[f.pkg+"."+v.name.Name] = true
		}
	}
	for _, f := range files {
		if f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			for _, target := range targets(n) {
				if name := root(f, target); known[name] {
					wrong = append(wrong,
						fmt.Sprintf("%s: the package-level variable %s is changed; pass a value along instead (or "+
							"rename a local variable of that name)", f.at(n), name))
				}
			}
			return true
		})
	}
	return wrong
}

// targets returns the expressions that a node may change.
func targets(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return []ast.Expr{n.X}
		}
	case *ast.CallExpr:
		if fn, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && (fn.Name == "delete" || fn.Name == "clear" ||
			fn.Name == "copy") {
			return n.Args[:1]
		}
	}
	return nil
}

// root returns the variable of which an expression is a part, with its package, or "". For result.Quantiles[0].Q it
// returns result.Quantiles.
func root(f *file, x ast.Expr) string {
	for {
		switch e := x.(type) {
		case *ast.IndexExpr:
			x = e.X
		case *ast.SliceExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		case *ast.SelectorExpr:
			if id, ok := e.X.(*ast.Ident); ok {
				if folder, ok := own(f.names[id.Name]); ok {
					return folder + "." + e.Sel.Name
				}
			}
			x = e.X
		case *ast.Ident:
			return f.pkg + "." + e.Name
		default:
			return ""
		}
	}
}
