package explain

import (
	"go/ast"
	"path"

	"github.com/brewput/brewput/evidence"
)

// poolGet makes poolValue if the [sync.Pool] is empty.
const (
	poolGet   = "sync.(*Pool).Get"
	poolValue = "a value"
)

// missesPool reports whether Get of a pool calls New: something outside of sync and the runtime runs below it.
func missesPool(stack []evidence.Frame) bool {
	for _, f := range stack {
		if hasAnyPrefix(f.Function, poolGet) {
			return false
		}
		if !hasAnyPrefix(f.Function, "sync.", "internal/", "runtime.") {
			return true
		}
	}
	return false
}

// neverPuts reports whether the sources and samples of the package that calls Get of a pool show no call of a method
// Put. The sources are those of the functions in the CPU profile.
func (a *analysis) neverPuts(get evidence.Frame) bool {
	files := map[string]bool{get.File: true}
	for i := range a.cpu.list {
		for _, f := range a.cpu.list[i].stack {
			if a.prog.isOwn(f) && path.Dir(f.File) == path.Dir(get.File) {
				files[f.File] = true
			}
		}
		if put := (maker{functions: []string{"sync.(*Pool).Put"}}); put.called(a.cpu.list[i].stack) != "" {
			return false
		}
	}
	puts := false
	for file := range files {
		f := a.prog.parsedFile(file)
		if f == nil {
			return false
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				puts = puts || calleeName(c) == "Put"
			}
			return true
		})
	}
	return !puts
}
