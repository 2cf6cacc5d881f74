package report

import (
	"strings"
	"testing"
)

// TestLift: names that are too long for the page stand above their rows, once for those that follow each other, and no column
// is dropped for them; what fits stays in its row.
func TestLift(t *testing.T) {
	names, numbers := column{head: "benchmark", left: true, lifts: true}, column{head: "time/op", drop: 1}
	long := strings.Repeat("long", 8)
	for _, name := range []string{"Short", long + "A", long + "A", long + "B", "Short", long + "B"} {
		names.add(name, plain)
		numbers.add("12.00ns", plain)
	}
	const row = "           12.00ns\n"
	want := "benchmark  time/op\n------------------\nShort      12.00ns\n" + long + "A\n" + row + row + long + "B\n" + row + "Short      12.00ns\n" + long + "B\n" + row
	var b strings.Builder
	fitted(&b, []column{names, numbers}, func([]column) []string { return nil }, Style{Width: minWidth})
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	b.Reset()
	fitted(&b, []column{names, numbers}, func([]column) []string { return nil }, Style{Width: 50})
	if strings.Count(b.String(), "\n") != 8 {
		t.Errorf("there is room for all:\n%s", b.String())
	}
}
