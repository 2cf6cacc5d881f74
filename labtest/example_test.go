package labtest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/brewput/brewput/labtest"
)

var words = strings.Fields(strings.Repeat("coffee latte espresso ", 100))

func join() { strings.Join(words, " ") }

func concatenate() {
	text := ""
	for _, w := range words {
		text += " " + w
	}
	runtime.KeepAlive(text)
}

// An A/B of two functions: the test fails if join takes over 5% longer than concatenate. It is skipped if the
// measurements do not decide.
func ExampleNoSlowerThan() {
	var t *testing.T // of func TestJoin(t *testing.T)
	labtest.NoSlowerThan(t, concatenate, join, labtest.Options{Within: 0.05})
}

// Impossible options fail the test before anything is measured: an interval needs 6 blocks.
func ExampleOptions() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		labtest.NoSlowerThan(printer{}, concatenate, join, labtest.Options{Within: 0.05, Blocks: 3})
	}()
	<-done
	// Output: labtest.NoSlowerThan: Options.Blocks is 3: give 6 or more, or leave it out for 20
}

// printer replaces the *testing.T of a test, which an example does not have.
type printer struct{ testing.TB }

func (printer) Helper() {}

func (printer) Fatal(a ...any) {
	fmt.Println(a...)
	runtime.Goexit()
}
