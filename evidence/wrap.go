package evidence

import (
	"slices"
	"strings"
)

// wrappers are prefixes of functions that start a goroutine to run a function of the caller.
var wrappers = []string{"sync.(*WaitGroup).Go", "golang.org/x/sync/errgroup.", "github.com/sourcegraph/conc",
	"github.com/brewput/brewput/env"}

// IsWrapper reports whether a function only runs another function in a new goroutine, as sync.WaitGroup.Go does.
func IsWrapper(function string) bool {
	return slices.ContainsFunc(wrappers, func(w string) bool { return strings.HasPrefix(function, w) })
}

// StartFrame returns the outermost function of a stack that is not a wrapper: the one that the goroutine was started
// for. If all are wrappers, it returns the outermost function.
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
