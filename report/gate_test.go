package report

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// TestGateNarrow checks which column is left out of a table that is too wide: the change, which the cost repeats, and
// not the number of blocks.
func TestGateNarrow(t *testing.T) {
	g := Gate{Title: "p", Decision: compare.Undecided, MaxRegression: 0.05, List: []compare.GateDecision{{
		Design: "Unmarshal", Metric: result.TimePerOp, Base: 1217, Head: 1749, Cost: 1.45, Low: 1.24, High: 1.75, N: 80,
		Decision: compare.Undecided}}}
	for width, want := range map[int]string{120: "metric base head change cost bounds n decision",
		75: "metric base head cost bounds n decision"} {
		var b strings.Builder
		if err := g.Table(&b, Style{Width: width, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		_, head, _ := strings.Cut(b.String(), "benchmark ")
		head, _, _ = strings.Cut(head, "\n")
		if got := strings.Join(strings.Fields(head), " "); got != want {
			t.Errorf("%d columns: %s\n%s", width, got, &b)
		}
	}
}

// TestGateLoaded checks that the load of other processes is the reason of an undecided time whose bounds exceed the
// limit. Too few blocks and missing results come first.
func TestGateLoaded(t *testing.T) {
	more := 3
	g := Gate{Loaded: true, Decision: compare.Undecided, MaxRegression: 0.1, List: []compare.GateDecision{
		{Design: "Register", Metric: result.TimePerOp, Cost: 1.27, Low: 1.22, High: 1.32, N: 22,
			Decision: compare.Undecided},
		{Design: "Few", Metric: result.TimePerOp, Cost: 1.27, Low: 1.22, High: 1.32, N: 2, MoreBlocks: &more,
			Decision: compare.Undecided},
		{Design: "Empty", Metric: result.TimePerOp, Cost: result.Unavailable, Decision: compare.Undecided}}}
	want := "Register time/op: undecided after 22 blocks, because other processes loaded the machine; " +
		"Few time/op: undecided: noisy metrics need at least 6 blocks, and there are 2; " +
		"Empty time/op: it has no usable results"
	if got := strings.Join(g.reasons(true), "; "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestGatePage checks that benchmarks that are not judged are named and counted, and that a missing interval is
// explained.
func TestGatePage(t *testing.T) {
	g := Gate{Title: "p", Decision: compare.Error, MaxRegression: 0.05,
		NotJudged: []result.NotJudged{{Design: "Sour", Reason: result.HeadFails, Output: "it fails: no milk"}},
		List: []compare.GateDecision{{Design: "Sweet", Metric: result.TimePerOp, Base: 1, Head: 1, Cost: 1, Low: 0.1,
			High: 9,
			N:    2, Decision: compare.Undecided}}}
	layouts := g
	layouts.Layouts = 3
	var page strings.Builder
	if err := layouts.Table(&page, Style{Width: 100, Unicode: true}); err != nil ||
		!strings.Contains(page.String(), "the interval is wider than 10x") {
		t.Errorf("%v, of layouts:\n%s", err, &page)
	}
	one := g
	one.List = []compare.GateDecision{{Design: "Sweet", Metric: result.TimePerOp, Base: 1, Head: 1,
		Cost: result.Unavailable, Low: result.Unavailable, High: result.Unavailable, N: 1, Decision: compare.Undecided}}
	if got, want := strings.Join(one.reasons(true)[1:], " "), "Sweet time/op: undecided: noisy metrics need at least "+
		"6 blocks, and there is 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for name, write := range map[string]func(*strings.Builder) error{
		"table":    func(b *strings.Builder) error { return g.Table(b, Style{Width: 100, Unicode: true}) },
		"markdown": func(b *strings.Builder) error { return g.Markdown(b) },
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"±?", "the interval is wider than 10x",
			"Sour: not judged: it fails in the head: no milk",
			"gate: error: 1 of 1 undecided: Sweet +0.0%; 1 not judged."} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, &b)
			}
		}
	}
}
