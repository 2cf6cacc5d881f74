package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// footnotes explains the signs that the columns show.
func (f *frame) footnotes(columns []column) []string {
	interval := func(c column) bool { return c.head == "95% interval" }
	has := func(sign string) bool { return showsSign(columns, sign) }

	var notes []string
	measured := slices.ContainsFunc(f.rows, func(r compare.Row) bool { return r.N > 0 })
	need := "at least 6 trials"
	if f.virtual() {
		need = "at least 2 replications, or more if they vary much"
	}
	if measured && !f.open && !slices.ContainsFunc(columns, interval) {
		notes = append(notes, "no intervals: an interval needs "+need)
	} else if has(noInterval) {
		notes = append(notes, noInterval+" : an interval needs "+need)
	}

	if has(exactSign) {
		notes = append(notes, exactSign+" : with this seed the load repeats exactly; rate and times are those of "+
			"one period")
	}
	if slices.ContainsFunc(f.rows, func(r compare.Row) bool { return len(r.Measure().States) > 0 }) {
		notes = append(notes, severalStates+" : the load repeats, but one longer burn can move it to another steady "+
			"state; the interval spans these states")
	}

	if has(noQuantile) {
		text := noQuantile + " : too few operations for this quantile"
		if f.open || f.anyPositive(result.ErrorShare) {
			text = noQuantile + " : in some trial, too few requests for this quantile, or too many lost"
		}
		notes = append(notes, text)
	}

	if has(tooShort) {
		notes = append(notes, tooShort+" : the formula assumes a steady state, and the trials are too short to "+
			"reach it; "+f.longestDuration()+" would be long enough")
	}
	if has(timeSliced) {
		notes = append(notes, timeSliced+" : requests share the CPU in time slices, but the formula assumes one at "+
			"a time")
	}

	notes = append(notes, f.formulaNotes(columns)...)
	notes = append(notes, f.predictionNotes(columns)...)
	if has(notAvailable) {
		notes = append(notes, notAvailable+" : unavailable")
	}
	return notes
}

// showsSign reports whether a cell of the columns is the sign.
func showsSign(columns []column, sign string) bool {
	return slices.ContainsFunc(columns, func(c column) bool {
		return slices.ContainsFunc(c.cells,
			func(x cell) bool { return x.text == sign || x.text == Style{}.ascii(sign) })
	})
}

// noteColumn returns the column of notes. It has no cells if no row has a note.
func (f *frame) noteColumn() column {
	c := column{head: "note", left: true}
	found := false
	for _, r := range f.rows {
		text, t := rowNote(r), dim
		if f.predicted(r) {
			text = strings.TrimSuffix(predictedNote+", "+text, ", ")
		}
		if r.Unexpected > 0 {
			t = alarm
		}
		found = found || text != ""
		c.add(text, t)
	}
	if !found {
		c.cells = nil
	}
	return c
}

// rowNote says how a row's trials ended, unless all were right. "failed 2/10" is 2 of 10 trials.
func rowNote(r compare.Row) string {
	var words []string
	if r.Bound {
		words = append(words, "bound")
	}
	if r.Reference {
		words = append(words, "reference")
	}
	if r.Overloaded() {
		words = append(words, "unstable")
	}

	total := trials(r)
	if r.Late > 0 {
		words = append(words, fmt.Sprintf("late %d/%d", r.Late, total))
	}
	for _, s := range []struct {
		status result.Status
		word   string
	}{{result.Wrong, "wrong answer"}, {result.Violated, "violated"}, {result.Failed, "failed"}} {
		n := r.Statuses[s.status]
		if s.status == result.Failed {
			n -= r.Late
		}
		if n == total && n > 0 {
			words = append(words, s.word)
		} else if n > 0 {
			words = append(words, fmt.Sprintf("%s %d/%d", s.word, n, total))
		}
	}
	return strings.Join(words, ", ")
}
