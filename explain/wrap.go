package explain

import "strings"

// wrappers start goroutines for others: a goroutine that begins in one of them is that of the function it calls.
var wrappers = []string{"sync.(*WaitGroup).Go", "golang.org/x/sync/errgroup.", "github.com/sourcegraph/conc",
	"github.com/brewput/brewput/env"}

// burns compute in place of a design's own work: they are its work.
var burns = []string{"github.com/brewput/brewput/env/live.Spin", "github.com/brewput/brewput/env/live.(*World).Burn"}

// Wraps reports whether a function only runs what it was given, in a goroutine of its own.
func Wraps(function string) bool { return startsWith(function, wrappers...) }

// Begins is the outermost function of a stack that is not a wrapper's, the one a goroutine is for. Where there is none
// it is the outermost.
func Begins(stack []Frame) Frame {
	if len(stack) == 0 {
		return Frame{}
	}
	root := stack[len(stack)-1]
	if !Wraps(root.Function) {
		return root
	}
	for i := len(stack) - 2; i >= 0; i-- {
		if f := stack[i]; !Wraps(f.Function) {
			if strings.HasPrefix(f.Function, "runtime.") {
				break
			}
			return f
		}
	}
	return root
}
