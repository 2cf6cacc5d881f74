package costs

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
)

// steadiness judges invented costs, one for each round.
func steadiness(costs map[string][]float64) error {
	f := fitter{found: map[string][][]float64{}}
	for name, values := range costs {
		f.prices = append(f.prices, result.CostEstimate{Cost: name, Live: result.Value(2 * median(values))})
		for _, v := range values {
			f.found[name] = append(f.found[name], []float64{v})
		}
	}
	return f.steady()
}

// TestSteady: halves that disagree by more than their scatter are told, however they are cut, and nothing else is.
func TestSteady(t *testing.T) {
	rounds := func(v ...float64) []float64 { return v }
	for _, x := range []struct {
		what  string
		deep  []float64
		wants []string // in the error; none is no error
	}{
		{"always the same", slices.Repeat(rounds(27_000), 16), nil},
		{"a scatter", rounds(27_000, 29_000, 26_000, 31_000, 27_500, 26_500, 28_000, 35_000, 27_200, 33_000, 26_100,
			29_500, 26_900, 27_700, 30_000, 28_400), nil},
		{"two states at random", rounds(27_000, 42_000, 27_000, 27_100, 42_000, 42_100, 27_200, 42_000, 42_000, 27_000,
			27_000, 42_000, 27_000, 27_000, 42_000, 42_000), nil},
		{"one bad round", rounds(27_000, 27_100, 27_200, 27_300, 27_400, 27_500, 27_600, 27_700, 27_050, 27_150, 27_250,
			90_000, 27_350, 27_450, 27_550, 27_650), nil},
		{"a clear but small change", append(slices.Repeat(rounds(27_000), 8), slices.Repeat(rounds(28_000), 8)...),
			nil},
		{"disturbed later", rounds(27_000, 26_500, 27_400, 26_900, 27_700, 27_100, 26_800, 27_000, 42_000, 41_000,
			44_000, 39_000, 42_500, 43_000, 41_500, 42_200),
			[]string{"deep is 27µs in the first half of the rounds and 42.1µs in the second (1.56x " +
				"apart, p = 0.00016)"}},
		{"disturbed at first", rounds(42_000, 41_000, 44_000, 39_000, 42_500, 43_000, 41_500, 42_200, 27_000, 26_500,
			90_000, 26_900, 27_700, 27_100, 26_800, 27_000),
			[]string{"deep is 42.1µs in the first half"}},
		{"disturbed every other round", rounds(27_000, 42_000, 27_000, 43_000, 27_100, 44_000, 27_200, 41_000, 27_000,
			45_000, 26_900, 42_000, 26_500, 42_000, 27_000, 42_000),
			[]string{"deep is 27µs in the odd rounds and 42µs in the even ones"}},
		{"it costs nothing, and then something",
			append(slices.Repeat(rounds(0), 8), slices.Repeat(rounds(20_000), 8)...),
			[]string{"deep is 0ns in the first half of the rounds and 20µs in the second (p = "}},
	} {
		err := steadiness(map[string][]float64{"deep": x.deep, "chan": slices.Repeat(rounds(20), 16)})
		if (err != nil) != (x.wants != nil) {
			t.Errorf("%s: %v", x.what, err)
		}
		for _, want := range x.wants {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "chan") {
				t.Errorf("%s: %v; want %s", x.what, err, want)
			}
		}
	}
	err := steadiness(map[string][]float64{"burn": append(slices.Repeat(rounds(990_000), 8),
		slices.Repeat(rounds(1_300_000), 8)...)})
	if err == nil || !strings.Contains(err.Error(), "burn is 99.0% in the first half of the rounds and 130.0% "+
		"in the second (1.31x") {
		t.Errorf("burns: %v", err)
	}
}

// TestSteadyByChance: of calibrations of a steady machine, whose rounds scatter by a quarter, at most one in twenty is
// refused.
func TestSteadyByChance(t *testing.T) {
	draws := rand.New(rand.NewPCG(5, 0))
	const n = 200
	refused := 0
	for range n {
		costs := map[string][]float64{}
		for _, name := range []string{"steal", "spin", "wake", "deep", "rouse", "chan"} {
			for range rounds {
				costs[name] = append(costs[name], 20_000*(1+0.25*draws.NormFloat64()))
			}
		}
		if steadiness(costs) != nil {
			refused++
		}
	}
	if refused > n/20+6 { // two standard deviations
		t.Errorf("%d of %d are refused", refused, n)
	}
}

// TestMeasureRefusesDisturbed: nothing comes of a calibration during which the machine became another.
func TestMeasureRefusesDisturbed(t *testing.T) {
	disturbed := truth()
	disturbed.WakeDeep = sim.Ns(90_000)
	_, err := Measure(t.Context(), 1, 2, func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		if spec.Block >= rounds/2 {
			return invented(t, disturbed, brief())(ctx, spec)
		}
		return invented(t, truth(), brief())(ctx, spec)
	})
	var u *Unsteady
	if !errors.As(err, &u) || !strings.Contains(err.Error(), "deep is 57µs in the first half of the rounds and 90µs "+
		"in the second (1.58x apart, p = ") {
		t.Errorf("got %v", err)
	}
}
