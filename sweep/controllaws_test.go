package sweep

import (
	"errors"
	"slices"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestRules compares the segment that each rule returns at a block with the expected one.
func TestRules(t *testing.T) {
	good := func(s *Sweep, blocks int) (trials []result.Trial) {
		for b := range blocks {
			for i, c := range s.Plan.Cases {
				tr := result.Trial{Kind: result.KindTrial, Status: result.OK, Block: b, Design: c.Design,
					Point: c.Point}
				if i == 1 {
					tr.Status = result.Failed
				}
				trials = append(trials, tr)
			}
		}
		return trials
	}
	s := testSweep(&memory{}, succeed)
	all, blocks := s.allCases(), s.Plan.Blocks
	if len(all) < 2 || blocks < 2 {
		t.Fatalf("%d cases and %d blocks are too few for this test", len(all), blocks)
	}
	s.Next = func(b int, _ []result.Trial) (int, error) { return map[int]int{0: 2, 2: 3}[b], nil }
	first := slices.Concat(all[:1], all[2:])
	for _, c := range []struct {
		name   string
		rule   controlLaw
		b      int
		before segment
		want   segment
	}{
		{"plan", fixedLaw{s}, 0, segment{}, segment{all, blocks, blocks}},
		{"plan, later", fixedLaw{s}, 1, segment{all, blocks, blocks}, segment{all, blocks, blocks}},
		{"callback", callbackLaw{s}, 0, segment{}, segment{all, 2, 0}},
		{"callback within a segment", callbackLaw{s}, 1, segment{all, 2, 0}, segment{all, 2, 0}},
		{"callback at an end", callbackLaw{s}, 2, segment{all, 2, 0}, segment{all, 5, 0}},
		{"callback ends", callbackLaw{s}, 5, segment{all, 5, 0}, segment{all, 5, 0}},
		{"prediction", predictionLaw{&execution{Sweep: s}}, 0, segment{}, segment{all, blocks, 1}},
		{"prediction of what has a number", predictionLaw{&execution{Sweep: s}}, 1, segment{},
			segment{first, blocks, blocks}},
		{"interleaved prediction", predictionLaw{&execution{Sweep: s, interleaved: true}}, 1, segment{},
			segment{first, blocks, 2}},
		{"precision", precisionLaw{NewPrecision(0.1), s}, 0, segment{}, segment{all, 10, 10}},
		{"precision within a segment", precisionLaw{NewPrecision(0.1), s}, 3, segment{all, 10, 10},
			segment{all, 10, 10}},
	} {
		got, err := c.rule.next(c.before, c.b, good(s, c.b))
		if err != nil || !slices.Equal(got.cases, c.want.cases) || got.until != c.want.until ||
			got.ahead != c.want.ahead {
			t.Errorf("%s: block %d: %+v, %v, want %+v", c.name, c.b, got, err, c.want)
		}
	}

	wrong := errors.New("wrong")
	s.Next = func(int, []result.Trial) (int, error) { return 1, wrong }
	if _, err := (callbackLaw{s}).next(segment{}, 0, nil); !errors.Is(err, wrong) {
		t.Errorf("the error of the callback is lost: %v", err)
	}
}

// TestNilCallbacks runs a sweep without any of the optional functions, and measures its capacities.
func TestNilCallbacks(t *testing.T) {
	s := testSweep(&memory{}, succeed)
	s.Notify, s.Ahead, s.BurnRatio, s.Next, s.Now = nil, nil, nil, nil, nil
	if _, err := s.Execute(t.Context()); err != nil {
		t.Error(err)
	}
	s.Plan.Cases[0].Point = s.Plan.Cases[0].Point.With("rate", plan.FloatLevel(40))
	if err := s.measureCapacities(t.Context(), nil); err != nil {
		t.Error(err)
	}
	specs := s.firstBlock()
	v := Variant{Run: s.Run}
	trials := []result.Trial{{Kind: result.KindTrial, Design: specs[0].Design, Point: specs[0].Point}}
	if _, err := s.Sensitivities(t.Context(), trials, []Variant{v}); err != nil {
		t.Error(err)
	}
}
