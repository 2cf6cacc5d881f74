package sim

import (
	"fmt"
	"strings"
	"testing"
)

// TestDescribe: few goroutines are listed one by one, and many in groups. The text stays short for any number and any
// length of names.
func TestDescribe(t *testing.T) {
	if got, want := describe([]waiting{{"a", "sleeps"}, {"a#2", "sleeps"}}), "a sleeps; a#2 sleeps"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var many []waiting
	for i := range 20_000 {
		many = append(many, waiting{fmt.Sprintf("worker#%d", i+2), "receives from jobs"})
	}
	many = append(many, waiting{"load", "waits for a group"}, waiting{"worker#7", "sleeps"})
	if got, want := describe(many), "worker (20000) receives from jobs; load waits for a "+
		"group; worker#7 sleeps"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range 20_000 {
		many = append(many, waiting{strings.Repeat("x", 1000) + fmt.Sprint(i),
			"receives from " + strings.Repeat("y", 1000)})
	}
	if got := describe(many); len(got) > 900 || !strings.HasSuffix(got, "more") {
		t.Errorf("%d characters: %s", len(got), got)
	}
}
