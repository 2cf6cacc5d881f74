package report

import (
	"bytes"
	"testing"

	"github.com/brewput/brewput/explain"
)

func TestChangesGolden(t *testing.T) {
	changes := []explain.Change{
		{Rank: 1, What: "wall time", Unit: "seconds", Before: 1.2, After: 0.4, Clear: true},
		{Rank: 2, What: "function main.read", Unit: "seconds", Before: 0.9, After: 0.1, Clear: true,
			Where: []string{"read.go:31"}},
		{Rank: 3, What: "garbage collector", Unit: "seconds", Before: 0.011, After: 0.012},
		{Rank: 4, What: "user code", Unit: "seconds", Before: 0.5, After: 0.5},
		{Rank: 5, What: "finding unbuffered-io", Before: 1, Clear: true, Where: []string{"read.go:31"}},
		{Rank: 6, What: "finding gc-pressure", After: 1, Clear: true},
	}
	var b bytes.Buffer
	if err := Changes(&b, "old", "new", changes, []string{"other processes used 0.3 CPUs meanwhile"},
		Style{Width: 100, Unicode: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "explain-changes.txt", b.Bytes())
}
