package compare

import (
	"math"
	"slices"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// openLoopTrial returns a trial of an open loop.
func openLoopTrial(design string, block int, load, rate, response float64, unstable bool) result.Trial {
	p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)},
		plan.Setting{Factor: "load", Level: plan.FloatLevel(load)})
	return result.Trial{Kind: result.KindTrial, Workload: "w", Design: design, World: "live", Point: p, Block: block,
		Status: result.OK,
		Type:   result.Stream, Expected: true, Open: true, Unstable: unstable, Operations: 1000,
		Metrics: result.Metrics{result.Throughput: 500, "rate_per_s": result.Value(rate),
			result.ResponseP50: result.Value(response), result.OfferedLoad: result.Value(load)}}
}

// TestOpenLoopVerdicts: responses are compared at equal rates only, and not beyond capacity.
func TestOpenLoopVerdicts(t *testing.T) {
	var trials []result.Trial
	var cases []plan.Case
	add := func(design string, load, rate, response float64, unstable bool) {
		for b := range 10 {
			trials = append(trials, openLoopTrial(design, b, load, rate, response*(1+0.001*float64(b%3)), unstable))
		}
		cases = append(cases, plan.Case{Design: design, Point: trials[len(trials)-1].Point})
	}
	add("slow", 0.3, 100, 8e6, false)
	add("slow", 0.5, 200, 8e6, false)
	add("slow", 1.2, 400, math.NaN(), true)
	add("fast", 0.3, 100, 6e6, false)
	add("fast", 0.5, 300, 6e6, false) // at another rate than slow
	add("fast", 1.2, 400, 7e6, false) // slow is unstable there
	for _, spoil := range []func(*result.Trial){
		func(t *result.Trial) { t.Design, t.Bound, t.Status = "bound", true, result.StatusBound },
		func(t *result.Trial) { t.Design, t.Status = "wrong", result.Wrong },
	} { // neither is in a verdict
		x := openLoopTrial("", 0, 1.2, 400, math.NaN(), true)
		spoil(&x)
		trials, cases = append(trials, x), append(cases, plan.Case{Design: x.Design, Point: x.Point})
	}
	verdicts := DefaultCriteria("", []string{"cpus", "load"}).Verdicts(Rows(trials, cases), trials)
	if len(verdicts) != 2 {
		t.Fatalf("%d verdicts: %+v", len(verdicts), verdicts)
	}
	v := verdicts[0]
	if v.A != "fast" || v.B != "slow" || v.Verdict != Faster || v.Metric != result.ResponseP50 ||
		math.Abs(float64(v.Ratio)-0.75) > 0.01 || v.Point.Float("load") != 0.3 {
		t.Errorf("%+v", v)
	}
	if v = verdicts[1]; v.A != "slow" || v.Verdict != Unstable || v.Ratio != 1.2 || v.N != 10 {
		t.Errorf("%+v", v)
	}
}

// TestFamilyStands: with a budget, all verdicts are one family from the first analysis to the last. A later trial
// without a response neither removes its design's verdict nor creates new neighbours.
func TestFamilyStands(t *testing.T) {
	var trials []result.Trial
	var cases []plan.Case
	for d, design := range []string{"slow", "middle", "fast"} {
		for b := range 15 {
			trials = append(trials, openLoopTrial(design, b, 0.3, 100, (8e6-1e6*float64(d))*(1+0.001*float64(b%3)),
				false))
		}
		cases = append(cases, plan.Case{Design: design, Point: trials[len(trials)-1].Point})
	}
	pairs := func() (list []string) {
		for _, v := range sequential().Verdicts(Rows(trials, cases), trials) {
			list = append(list, v.A+" "+v.Verdict+" than "+v.B)
		}
		return list
	}
	want := []string{"middle faster than slow", "fast faster than middle"}
	if got := pairs(); !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	trials[15+12].Metrics[result.ResponseP50] = result.Unavailable
	if got := pairs(); !slices.Equal(got, want) {
		t.Errorf("after a trial without a response: %q, want %q", got, want)
	}
	trials[15+7].Metrics[result.ResponseP50] = result.Unavailable // before the first analysis
	if got := pairs(); !slices.Equal(got, []string{"fast faster than slow"}) {
		t.Errorf("without a response at the first look: %q", got)
	}
}

// TestLostResponsesEndASeries: with a budget, a comparison does not continue without the blocks that lost a
// response, because the others would be biased.
func TestLostResponsesEndASeries(t *testing.T) {
	s := blockSeries{blocks: []int{0, 1, 5, 10, 11, 12}, logs: []float64{1, 2, 3, 4, 5, 6}}
	s.truncate(10, map[int]bool{1: true, 11: true}, nil)
	if !slices.Equal(s.blocks, []int{0, 1, 5, 10}) || len(s.logs) != 4 || !s.truncated {
		t.Errorf("%+v", s)
	}
	if j := sequential(); j.blocksToInterim(ComparisonState{Blocks: 12, ended: true}) != 0 ||
		j.blocksToInterim(ComparisonState{Blocks: 12}) != 3 {
		t.Error("a truncated series has another analysis")
	}
	over, late := ComparisonState{Blocks: 12, Verdict: Undecided, ended: true},
		ComparisonState{A: 2, B: 3, Blocks: 40, Verdict: Undecided}
	for want, states := range map[string][]ComparisonState{LostResponses: {over}, NoBlocks: {over, late}} {
		if got := sequential().allocateBlocks(states, []float64{1, 1, 1, 1}, 100).Reason; got != want {
			t.Errorf("it ended because %q, want %q", got, want)
		}
	}
	s = blockSeries{truncated: true}
	for b := range 15 {
		s.blocks, s.logs = append(s.blocks, b), append(s.logs, 0.05*float64(b%3-1))
	}
	state, v := sequential().judge([]blockSeries{s})[0], Verdict{}
	sequential().fill(&v, &state, 1)
	if v.Verdict != Undecided || !v.Ended || v.MoreBlocks != nil || v.MostBlocks != 0 || v.EnoughBlocks != 0 {
		t.Errorf("more blocks would help a truncated series: %+v", v)
	}
	var trials []result.Trial
	for b := range 15 {
		trials = append(trials, openLoopTrial("a", b, 0.3, 100, 8e6, false))
	}
	trials[11].Metrics[result.ResponseP50], trials[11].Metrics[result.LostShare] = result.Unavailable, 0.6
	trials[10].Metrics[result.ResponseP50] = result.Unavailable // too few arrivals
	trials[12].Status = result.Failed                           // by chance
	trials[12].Metrics = result.Metrics{}
	trials[13].Unstable = true
	lost := lostResponses(trials)[trialKey(&trials[0])]
	if len(lost) != 2 || !lost[11] || !lost[13] {
		t.Errorf("%v", lost)
	}
}
