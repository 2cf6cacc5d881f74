package sim

import (
	"fmt"
	"strings"
	"testing"
)

// TestDescribe: few are listed one by one, many by what they have in common, and the text is short however many and
// long they are.
func TestDescribe(t *testing.T) {
	if got, want := Describe([]Waiting{{"a", "sleeps"}, {"a#2", "sleeps"}}), "a sleeps; a#2 sleeps"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var many []Waiting
	for i := range 20_000 {
		many = append(many, Waiting{fmt.Sprintf("worker#%d", i+2), "receives from jobs"})
	}
	many = append(many, Waiting{"load", "waits for a group"}, Waiting{"worker#7", "sleeps"})
	if got, want := Describe(many), "worker (20000) receives from jobs; load waits for a "+
		"group; worker#7 sleeps"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range 20_000 {
		many = append(many, Waiting{strings.Repeat("x", 1000) + fmt.Sprint(i),
			"receives from " + strings.Repeat("y", 1000)})
	}
	if got := Describe(many); len(got) > 900 || !strings.HasSuffix(got, "more") {
		t.Errorf("%d characters: %s", len(got), got)
	}
}
