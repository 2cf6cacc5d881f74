package evidence

import (
	"slices"
	"strings"
)

// wrappers start goroutines for others: a goroutine that begins in one of them is that of the function it calls.
var wrappers = []string{"sync.(*WaitGroup).Go", "golang.org/x/sync/errgroup.", "github.com/sourcegraph/conc",
	"github.com/brewput/brewput/env"}

// Wraps reports whether a function only runs what it was given, in a goroutine of its own.
func IsWrapper(function string) bool {
	return slices.ContainsFunc(wrappers, func(w string) bool { return strings.HasPrefix(function, w) })
}

// Begins is the outermost function of a stack that is not a wrapper's, the one a goroutine is for. Where there is none
// it is the outermost.
func StartFrame(stack []Frame) Frame {
	if len(stack) == 0 {
		return Frame{}
	}
	root := stack[len(stack)-1]
	if !IsWrapper(root.Function) {
		return root
	}
	for i := len(stack) - 2; i >= 0; i-- {
		if f := stack[i]; !IsWrapper(f.Function) {
			if strings.HasPrefix(f.Function, "runtime.") {
				break
			}
			return f
		}
	}
	return root
}
