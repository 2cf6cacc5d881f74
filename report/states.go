package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// maxStates is the largest number of steady states of a row that a sentence names.
const maxStates = 4

// severalStates marks an interval that spans steady states.
const severalStates = "states"

// stateTexts returns a sentence for each row that has several steady states.
func stateTexts(rows []compare.Row) []string {
	var texts []string
	for _, r := range rows {
		if s := r.Measure(); len(s.States) > 0 {
			texts = append(texts, stateText(&r, s))
		}
	}
	return texts
}

// stateText lists the steady states of a row with their shares.
func stateText(r *compare.Row, s result.Summary) string {
	words := map[string]string{result.Throughput: "throughput", result.ResponseP50: "median response"}
	value := func(v result.Value) string { return number(v, result.UnitOf(s.Metric), digits) }
	list := slices.Clone(s.States)
	slices.SortStableFunc(list, func(a, b result.State) int { return cmp.Compare(b.Share, a.Share) })
	parts := make([]string, 0, maxStates+1)
	for _, x := range list[:min(maxStates, len(list))] {
		parts = append(parts, fmt.Sprintf("%.0f%% at %s", 100*x.Share, value(x.Value)))
	}
	if more := len(list) - maxStates; more > 0 {
		parts = append(parts, "the rest at "+result.Count(more, "other value"))
	}
	return fmt.Sprintf("%s (%s) has %s: its %s is %s if no burn is longer; after one longer burn it settles to %s",
		r.Design, r.Point,
		result.Count(len(list), "steady state"), words[s.Metric], value(s.Median), strings.Join(parts, ", "))
}

// writeStates writes the sentences of stateTexts.
func writeStates(b *strings.Builder, rows []compare.Row, st Style) {
	writeList(b, rows, stateTexts(rows), "steady states",
		"Brewput lengthens one burn at a time and lets the load settle", st)
}
