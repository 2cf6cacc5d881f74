package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/plan"
)

func ints(ns ...int) plan.Choice {
	var c plan.Choice
	for _, n := range ns {
		c.Levels = append(c.Levels, plan.IntLevel(n))
	}
	return c
}

// coffee has factors of each kind: followers, a follower of a follower, and one that is absent by default.
func coffee() []plan.Factor {
	return []plan.Factor{
		{Name: "cpus", Kind: plan.Int, Default: "all", Min: 1},
		{Name: "workers", Kind: plan.Int, Default: "cpus", Min: 1},
		{Name: "callers", Kind: plan.Int, Default: "workers", Max: 100},
		{Name: "rate", Kind: plan.Float},
		{Name: "stage", Kind: plan.Duration, Default: "1ms"},
		{Name: "dist", Kind: plan.Text, Default: "uniform", Words: []string{"uniform", "exponential"}},
	}
}

func TestPoints(t *testing.T) {
	for _, c := range []struct {
		name    string
		choices map[string]plan.Choice
		want    []string
	}{
		{"defaults and a chain of followers", map[string]plan.Choice{"cpus": ints(1, 2)}, []string{
			"cpus=1 workers=1 callers=1 stage=1ms dist=uniform",
			"cpus=2 workers=2 callers=2 stage=1ms dist=uniform"}},
		{"the first factor varies slowest",
			map[string]plan.Choice{"cpus": ints(2, 1), "workers": ints(3, 4), "callers": {Follow: "cpus"}}, []string{
				"cpus=2 workers=3 callers=2 stage=1ms dist=uniform",
				"cpus=2 workers=4 callers=2 stage=1ms dist=uniform",
				"cpus=1 workers=3 callers=1 stage=1ms dist=uniform",
				"cpus=1 workers=4 callers=1 stage=1ms dist=uniform"}},
		{"a follower of another kind", map[string]plan.Choice{"cpus": ints(2), "rate": {Follow: "cpus"}}, []string{
			"cpus=2 workers=2 callers=2 rate=2 stage=1ms dist=uniform"}},
		{"given ones", map[string]plan.Choice{"cpus": ints(1), "rate": ints(5),
			"stage": {Levels: []plan.Level{plan.DurationLevel(0), plan.DurationLevel(time.Second)}}}, []string{
			"cpus=1 workers=1 callers=1 rate=5 stage=0s dist=uniform",
			"cpus=1 workers=1 callers=1 rate=5 stage=1s dist=uniform"}},
	} {
		points, err := plan.Points(coffee(), c.choices)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var got []string
		for _, p := range points {
			got = append(got, p.String())
			if l, ok := p.Get("rate"); ok && l.Kind() != plan.Float {
				t.Errorf("%s: rate is a %v", c.name, l.Kind())
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	if points, err := plan.Points(nil, nil); err != nil || len(points) != 1 || points[0].String() != "" {
		t.Errorf("no factors: %v, %v; want the empty point", points, err)
	}
}

func TestPointsErrors(t *testing.T) {
	wide := plan.Choice{}
	for i := range 400 {
		wide.Levels = append(wide.Levels, plan.IntLevel(i+1))
	}
	with := func(name string, c plan.Choice) map[string]plan.Choice {
		return map[string]plan.Choice{"cpus": ints(1), name: c}
	}
	for _, c := range []struct {
		choices map[string]plan.Choice
		want    string
	}{
		{nil, `factor cpus: default "all"`},
		{with("wrokers", ints(1)), `no factor "wrokers"; did you mean workers?`},
		{with("cpus", plan.Choice{Follow: "workers"}), "follows workers, which is not a factor before it"},
		{with("workers", plan.Choice{Follow: "workers"}), "not a factor before it"},
		{with("stage", plan.Choice{Follow: "rate"}), "follows rate, which has no level; give rate a level"},
		{with("stage", plan.Choice{Follow: "cpus"}), "stage follows cpus: factor stage: 1 is a whole number"},
		{with("callers", plan.Choice{}), "callers: there is no level"},
		{with("callers", ints(101)), "101 is out of range"},
		{with("cpus", ints(101)), "callers follows workers: factor callers: 101 is out of range"},
		{map[string]plan.Choice{"cpus": wide, "workers": wide}, "more than 100000 points"},
	} {
		if _, err := plan.Points(coffee(), c.choices); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
}

func TestCases(t *testing.T) {
	points, err := plan.Points(coffee(), map[string]plan.Choice{"cpus": ints(2, 1), "workers": ints(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string][]string{"pipe": {"workers", "cpus"}, "lock": {"cpus"}, "none": nil}
	var got []string
	for _, c := range plan.Cases([]string{"pipe", "lock", "none"}, func(d string) []string { return uses[d] }, points) {
		got = append(got, c.Design+": "+c.Point.String())
	}
	want := []string{"pipe: cpus=2 workers=1", "pipe: cpus=2 workers=2", "pipe: cpus=1 workers=1",
		"pipe: cpus=1 workers=2",
		"lock: cpus=2", "lock: cpus=1", "none: "}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func planOf(seed uint64, cases int, observed bool) plan.Plan {
	return plan.Plan{Seed: seed, Blocks: 10, Cases: make([]plan.Case, cases), Instrumented: observed}
}

func TestBlockHoldsEachCaseOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "cases")
		b := rapid.IntRange(0, 1<<40).Draw(t, "block")
		p := planOf(rapid.Uint64().Draw(t, "seed"), n, rapid.Bool().Draw(t, "observed"))
		seen := map[string]int{}
		steps := p.Block(b)
		for i, s := range steps {
			if s.Order != i || s.Block != b {
				t.Fatalf("step %d is %+v", i, s)
			}
			seen[fmt.Sprint(s.Case, s.Instrumented)]++
		}
		want := n
		for i := range n {
			if seen[fmt.Sprint(i, false)] != 1 || p.Instrumented != (seen[fmt.Sprint(i, true)] == 1) {
				t.Fatalf("case %d: %v", i, seen)
			}
		}
		if p.Instrumented {
			want *= 2
		}
		if len(steps) != want {
			t.Fatalf("%d steps, want %d", len(steps), want)
		}
	})
}

func order(steps []plan.Step) string {
	var words []string
	for _, s := range steps {
		word := fmt.Sprint(s.Case)
		if s.Instrumented {
			word += "o"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// The order must not change: a later version must be able to resume a sweep.
func TestBlockGolden(t *testing.T) {
	if got, want := order(planOf(1, 6, true).Block(0)), "1 4o 3o 5 0 0o 2o 3 1o 4 2 5o"; got != want {
		t.Errorf("block 0: %s, want %s", got, want)
	}
	if got, want := order(planOf(1, 6, true).Block(1)), "3 4o 2 0 2o 0o 1 4 1o 5o 5 3o"; got != want {
		t.Errorf("block 1: %s, want %s", got, want)
	}
}

// TestBlockOf checks that some of the cases keep their order in the whole block.
func TestBlockOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := planOf(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 20).Draw(t, "cases"),
			rapid.Bool().Draw(t, "observed"))
		b := rapid.IntRange(0, 1000).Draw(t, "block")
		some := rapid.SliceOfDistinct(rapid.IntRange(0, len(p.Cases)-1), func(i int) int { return i }).Draw(t, "some")
		var want []plan.Step
		for _, s := range p.Block(b) {
			if slices.Contains(some, s.Case) {
				s.Order = len(want)
				want = append(want, s)
			}
		}
		if got := p.BlockOf(b, some); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
	if got, want := order(planOf(1, 6, true).BlockOf(0, []int{5, 0, 3})), "3o 5 0 0o 3 5o"; got != want {
		t.Errorf("block 0: %s, want %s", got, want)
	}
}

func TestBlocksDiffer(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(10) {
		for b := range 10 {
			p := planOf(seed, 20, false)
			p.Blocks = b // the number of blocks does not matter: a sweep can be lengthened
			if seen[order(p.Block(b))] {
				t.Errorf("seed %d, block %d: an order a second time", seed, b)
			}
			seen[order(p.Block(b))] = true
		}
	}
}

// All 24 orders of 4 cases are equally likely. The seed is fixed; 49.7 is the 0.999 quantile of
// chi-square with 23 degrees of freedom.
func TestShuffleIsUniform(t *testing.T) {
	const blocks = 24_000
	counts := map[string]int{}
	p := planOf(2026, 4, false)
	for b := range blocks {
		counts[order(p.Block(b))]++
	}
	chi2 := 0.0
	for _, n := range counts {
		d := float64(n) - blocks/24
		chi2 += d * d / (blocks / 24)
	}
	if len(counts) != 24 || chi2 > 49.7 {
		t.Errorf("%d orders, chi-square %.1f", len(counts), chi2)
	}
}

// TestBlockSeeds checks that the first block has the sweep's seed, and that no other blocks of sweeps with similar
// seeds have equal seeds.
func TestBlockSeeds(t *testing.T) {
	type at struct {
		seed  uint64
		block int
	}
	seen := map[uint64]at{}
	for seed := range uint64(200) {
		p := plan.Plan{Seed: seed}
		if p.BlockSeed(0) != seed {
			t.Errorf("block 0 of seed %d has seed %d", seed, p.BlockSeed(0))
		}
		for b := range 100 {
			s := p.BlockSeed(b)
			if was, had := seen[s]; had {
				t.Errorf("block %d of seed %d has the seed of block %d of seed %d", b, seed, was.block, was.seed)
			}
			seen[s] = at{seed, b}
		}
	}
	for round := range 10 {
		if was, had := seen[plan.PilotSeed(round)]; had {
			t.Errorf("pilot %d has the seed of block %d of seed %d", round, was.block, was.seed)
		}
	}
}
