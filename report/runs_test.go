package report

import (
	"bytes"
	"errors"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// twoRuns are two runs of the shop with every kind of verdict, rows without one, and rows of one run only.
func twoRuns() RunComparison {
	judged := func(a, b compare.Row, verdict string, ratio, half float64) compare.Match {
		v := compare.Verdict{Kind: "verdict", SchemaVersion: 1, Workload: "coffee", World: "live",
			Metric: result.Throughput, A: a.Design, B: b.Design,
			Point: a.Point, ARun: "runs/new", BRun: "runs/old", N: 8, NA: 10, NB: 8, Margin: 0.02, Detectable: 1.0312,
			Verdict: verdict,
			Ratio:   result.Value(ratio), Low: result.Value(ratio * (1 - half)), High: result.Value(ratio * (1 + half)),
			P: 0.5, Permutation: 0.5}
		if verdict == compare.Undecided {
			v.MoreBlocks = ptr(13)
		}
		return compare.Match{A: a, B: b, Verdict: &v}
	}
	bound := shop("ideal", 1, 250, 0.01)
	bound.Bound = true
	failed := shop("parsteam", 2, 1, 0)
	failed.N, failed.Metrics, failed.Statuses = 0, nil, map[result.Status]int{result.Failed: 10}
	faster := judged(shop("locking", 1, 300, 0.02), shop("locking", 1, 250, 0.02), compare.Faster, 1.2, 0.01)
	faster.Verdict.MoreLines = ptr(4)
	alone := shop("linearpipe", 1, 240, 0.02)
	alone.Point = alone.Point.With("buffer", plan.IntLevel(4))
	few := compare.NewWarning("coffee", compare.WarnFewBlocks, "5 blocks are too few: measure more")
	few.Run = "runs/old"
	settings := compare.NewWarning("coffee", compare.WarnSettings, "a window is 1s long in the old "+
		"run and 2s in the new")
	return RunComparison{Workload: "coffee", A: "runs/new", B: "runs/old",
		Differences: []result.Difference{
			{Name: "vcs_revision", A: "0123456789abcdef0123456789abcdef01234567", B: "unknown"},
			{Name: "duration", A: "2s", B: "1s"}},
		Comparison: compare.RunComparison{
			Matches: []compare.Match{
				{A: bound, B: bound}, faster,
				judged(shop("locking", 2, 249, 0.02), shop("locking", 2, 250, 0.02), compare.Equivalent, 0.996, 0.01),
				judged(shop("finelocking", 1, 240, 0.02), shop("finelocking", 1, 250, 0.02), compare.Undecided, 0.96,
					0.06),
				judged(shop("finelocking", 2, 400, 0.02), shop("finelocking", 2, 500, 0.02), compare.Slower, 0.8, 0.01),
				{A: failed, B: shop("parsteam", 2, 500, 0.02)},
			},
			OnlyA: []compare.Row{alone}, OnlyB: []compare.Row{shop("multi", 1, 1, 0), shop("multi", 2, 1, 0)},
		},
		Warnings: []compare.Warning{settings, few},
	}
}

func TestBetweenGoldens(t *testing.T) {
	c, none := twoRuns(), twoRuns()
	none.Differences, none.Warnings, none.Comparison.Matches = nil, nil, none.Comparison.Matches[:1]
	for _, g := range []struct {
		name   string
		render func(*bytes.Buffer) error
	}{
		{"between-unicode-100.txt", func(b *bytes.Buffer) error {
			return c.Table(b,
				Style{Width: 100, Unicode: true})
		}},
		{"between-ascii-70.txt", func(b *bytes.Buffer) error { return c.Table(b, Style{Width: 70}) }},
		{"between-none.txt", func(b *bytes.Buffer) error { return none.Table(b, Style{Width: 100, Unicode: true}) }},
		{"between.md", func(b *bytes.Buffer) error { return c.Markdown(b) }},
		{"between.ndjson", func(b *bytes.Buffer) error { return c.JSON(b) }},
	} {
		t.Run(g.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := g.render(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, g.name, b.Bytes())
		})
	}
}

// TestWarningsOfARun checks that warnings of the run precede those of its rows.
func TestWarningsOfARun(t *testing.T) {
	rows := shops()
	warnings := []compare.Warning{compare.NewWarning("coffee", compare.WarnSteal,
		"the hypervisor gave 3.4% of the CPU time to others | neighbours")}
	var page, md bytes.Buffer
	if err := errors.Join(Table(&page, rows, nil, warnings, compare.Answer{}, Style{Full: true, Unicode: true}),
		Markdown(&md, rows, nil, warnings, compare.Answer{})); err != nil {
		t.Fatal(err)
	}
	if want := "\nwarnings\n! the hypervisor gave 3.4% of the CPU time to others | neighbours\n! " +
		"another process used"; !bytes.Contains(page.Bytes(), []byte(want)) {
		t.Errorf("the page has no %q", want)
	}
	if want := "\nWarnings:\n\n- the hypervisor gave 3.4% of the CPU time to others \\| " +
		"neighbours\n"; !bytes.HasSuffix(md.Bytes(), []byte(want)) {
		t.Errorf("the Markdown does not end in %q:\n%s", want, md.String())
	}
}

func TestBetweenFails(t *testing.T) {
	c := twoRuns()
	for name, err := range map[string]error{"Table": c.Table(failing{}, Style{}), "Markdown": c.Markdown(failing{}),
		"JSON": c.JSON(failing{})} {
		if err == nil {
			t.Errorf("%s hides that nothing was written", name)
		}
	}
}
