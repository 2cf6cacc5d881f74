package compare

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// contaminated returns logarithms of samples of which one in ten is 30% slow.
func contaminated(r *rand.Rand, n int, level float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = level + 0.005*r.NormFloat64()
		if r.Float64() < 0.1 {
			xs[i] -= math.Log(1.3)
		}
	}
	return xs
}

// TestRanksSeeTheLevel: two designs differ by 3%, and one sample in ten is 30% slow. The mean finds almost none of
// the differences. Ranks find all of them in two runs, and most in paired blocks, and the verdict says so.
func TestRanksSeeTheLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 0))
	const sets = 60
	for _, paired := range []bool{true, false} {
		byMean, byRank := 0, 0
		for range sets {
			a, b := contaminated(r, 20, math.Log(1.03)), contaminated(r, 20, 0)
			v := verdictOn(paired, a, b)
			byMean += boolToInt(v.Verdict == Faster)
			if v.RankComparison == nil || !(v.RankLow > 1) {
				continue
			}
			byRank++
			if v.Verdict != Faster && !strings.HasPrefix(v.Note, outliersHide) {
				t.Errorf("mean %v (%v to %v), rank %v (%v to %v): %q", v.Ratio, v.Low, v.High, v.RankRatio, v.RankLow,
					v.RankHigh, v.Note)
			}
		}
		if least := map[bool]int{true: 40, false: 60}[paired]; byMean > 10 || byRank < least {
			t.Errorf("paired %v: of %d the mean finds %d, ranks find %d", paired, sets, byMean, byRank)
		}
	}
}

// verdictOn returns the verdict on two designs of a run, or on one design in two runs.
func verdictOn(paired bool, a, b []float64) Verdict {
	if paired {
		rows, trials := sweepOf([]string{"b", "a"}, [][]float64{b, a})
		return DefaultCriteria("", nil).Verdicts(rows, trials)[0]
	}
	newer, older := runOf("new", []string{"x"}, a), runOf("old", []string{"x"}, b)
	return *DefaultCriteria("", nil).CompareRuns(newer, older).Matches[0].Verdict
}

// TestOutliersNotLevel: a few blocks make the means differ.
func TestOutliersNotLevel(t *testing.T) {
	s := newStates(1)[0]
	logs := make([]float64, 40)
	for i := range logs {
		logs[i] = 0.002 * float64(i*7%5-2)
		if i%5 == 0 {
			logs[i] = -0.35
		}
	}
	v := verdictOn(true, logs, make([]float64, 40))
	s = DefaultCriteria("", nil).judge([]blockSeries{seriesOf(logs)})[0]
	if s.verdict != differs || v.Verdict != Slower ||
		!strings.HasPrefix(v.Note, outliersOnly) {
		t.Errorf("%s: %+v, ranks %+v", s.verdict, v, v.RankComparison)
	}
	var keys map[string]any
	line, err := json.Marshal(v)
	if err != nil || json.Unmarshal(line, &keys) != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"rank_ratio", "rank_low", "rank_high", "note"} {
		if keys[key] == nil {
			t.Errorf("no %s in %s", key, line)
		}
	}
}

// TestRanksSeldomDisagree: with equal designs and normal errors, hardly any verdict has such a note.
func TestRanksSeldomDisagree(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 0))
	notes := 0
	for range 1000 {
		v := verdictOn(true, autoregressive(0)(r, 20), make([]float64, 20))
		notes += boolToInt(v.Note != "")
	}
	if notes > 10 {
		t.Errorf("%d of 1000 have a note", notes)
	}
}
