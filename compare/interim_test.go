package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestEarlierAnalysisDecides: d2 is slower than d1 in ten blocks, which is not enough among two comparisons. Then
// it is faster in five. When the other comparison is rejected, the ten blocks become enough, and decide with their
// own numbers.
func TestEarlierAnalysisDecides(t *testing.T) {
	logs := make([][]float64, 3)
	for b := range 15 {
		turn := 0.1 * float64(2*(b%2)-1)
		d1, step := 0.115+turn, -0.143+turn
		if b >= 10 {
			step = 1
		}
		logs[0], logs[1], logs[2] = append(logs[0], 0), append(logs[1], d1), append(logs[2], d1+step)
	}
	rows, trials := sweepOf(names(3), logs)
	v := sequential().Verdicts(rows, trials)
	if v[0].Verdict != Faster || v[0].N != 15 {
		t.Errorf("d1 beside d0: %+v", v[0])
	}
	if v[1].Verdict != Slower || v[1].N != 10 || v[1].High >= 1 || *v[1].Interims != 2 {
		t.Errorf("d2 beside d1: %+v", v[1])
	}
}

// TestVerdictsAgreeWithTheirIntervals: for any blocks and failures, a difference excludes 1, equivalence excludes
// everything outside the margin, and an undecided verdict names a later analysis or none.
func TestVerdictsAgreeWithTheirIntervals(t *testing.T) {
	j := sequential()
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		blocks := rapid.IntRange(2, 40).Draw(t, "blocks")
		turn := rapid.IntRange(0, 40).Draw(t, "turn") // from here on the designs change
		noise := rapid.SampledFrom([]float64{0.003, 0.03, 0.1}).Draw(t, "noise")
		logs := make([][]float64, rapid.IntRange(2, 4).Draw(t, "designs"))
		for d := range logs {
			before, after := rapid.SampledFrom([]float64{0, 0.1, 0.2}).Draw(t, "before"),
				rapid.SampledFrom([]float64{0, 0.2, 1}).Draw(t, "after")
			for b := range blocks {
				logs[d] = append(logs[d], before+noise*r.NormFloat64())
				if b >= turn {
					logs[d][b] += after - before
				}
			}
		}
		rows, trials := sweepOf(names(len(logs)), logs)
		fails := rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "fails")
		for i := range trials {
			if r.Float64() < fails {
				trials[i].Status = result.Failed
			}
		}
		for _, v := range j.Verdicts(rows, trials) {
			seen[v.Verdict]++
			low, high := math.Log(float64(v.Low)), math.Log(float64(v.High))
			const near = 1e-3 // tolerance: levels are interpolated
			switch off := near * (high - low); {
			case v.Verdict == Faster && low < -off, v.Verdict == Slower && high > off:
				t.Fatalf("a difference: %+v", v)
			case v.Verdict == Equivalent && max(-low, high) > math.Log(1+v.Margin)+off:
				t.Fatalf("equivalent: %+v", v)
			case v.MoreBlocks != nil && (fails == 0 && !slices.Contains(InterimBlocks(), v.N+*v.MoreBlocks) ||
				*v.MoreBlocks <= 0):
				t.Fatalf("%d more are no look: %+v", *v.MoreBlocks, v)
			}
		}
	})
	for _, verdict := range []string{Faster, Slower, Equivalent, Undecided} {
		if seen[verdict] == 0 && !testing.Short() { // with -short, rapid draws 20 examples only
			t.Errorf("none was %s", verdict)
		}
	}
}

// TestOneFailureAtTheFirstInterim: nine blocks that agree decide, although no permutation of nine has a p-value as
// low as the level.
func TestOneFailureAtTheFirstInterim(t *testing.T) {
	rows, trials := sweepOf(names(2), steps(10, [2]float64{0.5, 0.05}))
	trials[3].Status = result.Failed
	if v := sequential().Verdicts(rows, trials)[0]; v.Verdict != Faster || v.N != 9 || *v.Interims != 1 {
		t.Errorf("%+v", v)
	}
}

// TestMoreBlocksAreAnInterim: the number of missing blocks leads to the first analysis whose own level is enough.
func TestMoreBlocksAreAnInterim(t *testing.T) {
	for _, c := range []struct {
		name         string
		blocks       int
		mean, spread float64
		nearly       string
		more         int // 0: none
	}{
		{"apart at the last look", 15, 0.03, 0.05, "", 25},
		{"apart at the next look", 15, 0.055, 0.05, "", 5},
		{"small, so that the next analysis is too soon", 10, 0.05, 0.04, "", 10},
		{"beyond the last look", 15, 0.025, 0.07, "", 0},
		{"equal, but too soon to say so", 10, 0, 0.002, Equivalent, 10},
		{"equal at the last look", 20, 0, 0.045, Equivalent, 20},
		{"equal beyond it", 20, 0, 0.08, Equivalent, 0},
		{"before the first look", 7, 1, 0.01, "", 3},
	} {
		rows, trials := sweepOf(names(2), steps(c.blocks, [2]float64{c.mean, c.spread}))
		v := sequential().Verdicts(rows, trials)[0]
		more := 0
		if v.MoreBlocks != nil {
			more = *v.MoreBlocks
		}
		if v.Verdict != Undecided || v.Nearly != c.nearly || more != c.more {
			t.Errorf("%s: %s, nearly %q, %d more; want %q, %d", c.name, v.Verdict, v.Nearly, more, c.nearly, c.more)
		}
		if beyond := c.more == 0; (v.MostBlocks == 40) != beyond || (v.EnoughBlocks > 40) != beyond ||
			v.EnoughBlocks%10 != 0 {
			t.Errorf("%s: %d blocks are enough, of at most %d", c.name, v.EnoughBlocks, v.MostBlocks)
		}
		want := fmt.Sprintf(" (about %d more blocks would decide).", more)
		if more == 0 {
			want = fmt.Sprintf(" (a count of about %d without a budget would decide).", v.EnoughBlocks)
		}
		rows = Rows(trials, []plan.Case{{Design: v.A, Point: v.Point}, {Design: v.B, Point: v.Point}})
		if got := NewAnswer(rows, []Verdict{v}, AnswerOptions{}).Text; !strings.HasSuffix(got[0], want) {
			t.Errorf("%s: %q does not end in %q", c.name, got, want)
		}
	}
}

// TestEnoughWithoutBudget checks that a run without a budget needs more blocks than one with a budget may have, and
// that a number above blocksLimit is not given.
func TestEnoughWithoutBudget(t *testing.T) {
	beyond := 0
	for mean := 0.0235; mean < 0.04; mean += 0.0002 {
		rows, trials := sweepOf(names(2), steps(15, [2]float64{mean, 0.05}))
		v := sequential().Verdicts(rows, trials)[0]
		if v.MostBlocks == 40 {
			beyond++
		}
		if v.MostBlocks > 0 != (v.EnoughBlocks > 40) || v.EnoughBlocks%10 != 0 {
			t.Errorf("%v apart: %d blocks are enough, of at most %d", mean, v.EnoughBlocks, v.MostBlocks)
		}
	}
	if beyond == 0 {
		t.Error("all were decided in time")
	}
	rows, trials := sweepOf(names(2), steps(15, [2]float64{0.0, 0.5}))
	if v := sequential().Verdicts(rows, trials)[0]; v.MostBlocks != 40 || v.EnoughBlocks != 0 {
		t.Errorf("noisy: %d blocks are enough, of at most %d", v.EnoughBlocks, v.MostBlocks)
	}

	c := sequential()
	rows, trials = sweepOf(names(2), steps(15, [2]float64{0.025, 0.07}))
	_, all := c.comparisons(rows, trials)
	state := c.judge(all)[0]
	for name, change := range map[string]func(*sequentialState){
		"the permutation test disagrees": func(s *sequentialState) { s.vetoed = true },
		"blocks add nothing":             func(s *sequentialState) { s.ended = true },
		"layouts are the replicates":     func(s *sequentialState) { s.layouts = 5 },
	} {
		s := state
		change(&s)
		var before, v Verdict
		c.fill(&before, &state, 1)
		if c.fill(&v, &s, 1); before.EnoughBlocks == 0 || v.EnoughBlocks != 0 || v.MostBlocks > 0 != (s.layouts > 1) {
			t.Errorf("%s: %d blocks are enough, %d otherwise", name, v.EnoughBlocks, before.EnoughBlocks)
		}
	}
	if one, ten := c.enoughWithoutBudget(&state, 1), c.enoughWithoutBudget(&state, 10); one >= ten {
		t.Errorf("%d blocks are enough for one comparison, and %d for each of ten", one, ten)
	}
}

// TestEquivalenceTakesItsTime: a design with rare slow trials may have none in its first blocks, and then seem
// equal to one without any.
func TestEquivalenceTakesItsTime(t *testing.T) {
	for blocks, want := range map[int]string{10: Undecided, 15: Undecided, 20: Equivalent} {
		for _, mean := range []float64{0, 0.01} { // a difference within the margin is equivalent
			rows, trials := sweepOf(names(2), steps(blocks, [2]float64{mean, 0.002}))
			if v := sequential().Verdicts(rows, trials)[0]; v.Verdict != want {
				t.Errorf("%d blocks, %v apart: %+v", blocks, mean, v)
			}
		}
	}
}
