package explain

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// declaredTypes returns the names of the types that a file declares outside functions.
func declaredTypes(f *ast.File) map[string]bool {
	types := map[string]bool{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			types[s.(*ast.TypeSpec).Name.Name] = true
		}
	}
	return types
}

// importsEnv reports whether a file imports package env.
func importsEnv(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
		return i.Path.Value == `"github.com/brewput/brewput/env"`
	})
}

// declaredIn returns the functions and methods that a file of the program declares, by name.
func (p program) declaredIn(f *ast.File) map[string][]*ast.FuncDecl {
	if known, ok := p.sources.declared[f]; ok {
		return known
	}
	declared := map[string][]*ast.FuncDecl{}
	p.sources.declared[f] = declared
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			declared[fn.Name.Name] = append(declared[fn.Name.Name], fn)
		}
	}
	return declared
}

// importName returns the name by which a file knows a package: the last part of its path without a version.
func importName(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	parts := strings.Split(strings.Trim(i.Path.Value, `"`), "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && versioned.MatchString(last) {
		last = parts[len(parts)-2]
	}
	return last
}

var versioned = regexp.MustCompile(`^v\d+$`)
