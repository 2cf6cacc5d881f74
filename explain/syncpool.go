package explain

import (
	"go/ast"
	"path"

	"github.com/brewput/brewput/evidence"
)

// poolGet makes a value if the [sync.Pool] is empty.
const poolGet = "sync.(*Pool).Get"

// poolMisses is the fraction of all bytes that a pool makes anew.
const poolMisses = 0.3

// describePool says of a pool that is often empty whether no Put was seen.
func describePool(a *analysis, f *Finding, bytes float64, get evidence.Frame) {
	if a.neverPuts(get) {
		f.Claim = "No Put was seen: Get often finds its sync.Pool empty, and makes a new value."
		return
	}
	f.Claim = "Get often finds its sync.Pool empty: what it makes anew is " + percent(bytes) + " of all bytes."
	f.Fix = "Put each back. Two collections drop it: raise GOGC if memory allows."
}

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
		if containsAny(a.cpu.list[i].stack, "sync.(*Pool).Put") {
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
