package report

import (
	"bytes"
	"testing"

	"github.com/brewput/brewput/explain"
)

func TestChangesGolden(t *testing.T) {
	changes := []explain.Change{
		{Rank: 1, Name: "wall time", Unit: "seconds", Before: 1.2, After: 0.4, Significant: true},
		{Rank: 2, Name: "function main.read", Unit: "seconds", Before: 0.9, After: 0.1, Significant: true,
			Where: []string{"read.go:31"}},
		{Rank: 3, Name: "garbage collector", Unit: "seconds", Before: 0.011, After: 0.012},
		{Rank: 4, Name: "user code", Unit: "seconds", Before: 0.5, After: 0.5},
		{Rank: 5, Name: "finding unbuffered-io", Before: 1, Significant: true, Where: []string{"read.go:31"}},
		{Rank: 6, Name: "finding gc-pressure", After: 1, Significant: true},
	}
	for name, full := range map[string]bool{"explain-changes.txt": false, "explain-changes-full.txt": true} {
		var b bytes.Buffer
		if err := Changes(&b, "old", "new", changes, []string{"other processes used 0.3 CPUs"},
			Style{Width: 100, Unicode: true, Full: full}); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}
