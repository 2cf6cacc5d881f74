package report

import (
	"slices"
	"testing"

	"github.com/brewput/brewput/compare"
)

// TestFormulaNotes checks that a reason why formulas predict nothing appears once, with its designs.
func TestFormulaNotes(t *testing.T) {
	row := func(design, reason string, n int) compare.Row {
		r := compare.Row{Formula: &compare.Formula{N: n, Reason: reason}}
		r.Design = design
		return r
	}
	f := &frame{rows: []compare.Row{row("a", "it rains", 0), row("b", "it snows", 0), row("c", "it rains", 0),
		row("d", "", 3), row("c", "it rains", 0), {}}}
	want := []string{"none : the formula gives no prediction for a, c: it rains",
		"none : the formula of b gives no prediction: it snows"}
	if got := f.formulaNotes([]column{{head: "formula"}}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := f.formulaNotes(nil); got != nil {
		t.Errorf("%q without the column", got)
	}
}
