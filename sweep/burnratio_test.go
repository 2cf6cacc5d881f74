package sweep

import (
	"context"
	"testing"

	"github.com/brewput/brewput/trial"
)

// TestBurnRatio: all trials of a block use the ratio at its beginning, and implausible ratios are ignored.
func TestBurnRatio(t *testing.T) {
	ratios, asked := []float64{1.25, 0.8, 40, 0.2}, 0
	rates := map[int]map[float64]int{}
	s := testSweep(&memory{}, func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
		if rates[spec.Block] == nil {
			rates[spec.Block] = map[float64]int{}
		}
		rates[spec.Block][spec.BurnRate]++
		if spec.BurnRate*spec.BurnRatio != 2 {
			t.Errorf("a rate of %v at a ratio of %v", spec.BurnRate, spec.BurnRatio)
		}
		return trial.Outcome{Trial: trial.Blank(spec)}, nil
	})
	s.Header.Burn.Rate = 2
	s.BurnRatio = func(rate float64) float64 {
		if rate != 2 {
			t.Errorf("asked for the ratio at %v, not of what was calibrated", rate)
		}
		asked++
		return ratios[asked-1]
	}
	if _, err := s.Execute(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.probeBurnRatio(); s.burnRate() != 2 {
		t.Errorf("after a ratio of 0.2 the rate is %v", s.burnRate())
	}
	for b, want := range []float64{1.6, 2.5, 2} {
		if each := s.trialsPerCase() * 2; rates[b][want] != each || len(rates[b]) != 1 {
			t.Errorf("block %d has rates %v, want %d times %v", b, rates[b], each, want)
		}
	}
}
