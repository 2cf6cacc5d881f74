package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// readCosts reads a recording of the CPU time of a workload's real code.
func readCosts(ctx context.Context, path string, w *workload.Workload) (*trial.Recording, *InputFile, error) {
	f, err := input.Open(ctx, path, input.Costs)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	sum := sha256.New()
	r, err := trial.ReadRecording(io.TeeReader(f, sum), w)
	if errors.Is(err, input.ErrRefused) || ctx.Err() != nil {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s, %w", path, err)
	}
	return r, &InputFile{path, hex.EncodeToString(sum.Sum(nil))}, nil
}

// reloadCosts reads the recorded costs of a resumed sweep. It is an error if the file has changed.
func (s *Sweep) reloadCosts(ctx context.Context) error {
	was := s.Header.ReplayedFile
	if was == nil {
		return nil
	}
	costs, is, err := readCosts(ctx, was.Path, s.Workload)
	if err != nil {
		return err
	}
	if *is != *was {
		return fmt.Errorf("%s has changed since the run began, so the costs of real code would differ; restore the "+
			"file or start a new run", was.Path)
	}
	s.Costs = costs
	return nil
}

// checkCosts returns an error if the recording lacks the costs of a trial of the plan. Pilots need no recording of
// their own; see pilotSeed.
func (s *Sweep) checkCosts() error {
	for b := range s.Plan.Blocks {
		for _, spec := range s.specsOf(b, s.allCases()) {
			if err := s.Costs.Covers(spec); err != nil {
				return err
			}
		}
	}

	for _, c := range s.closedLoops() {
		for round := range capacityTrials {
			if err := s.Costs.Covers(s.capacitySpec(c.Design, c.Point, round)); err != nil {
				return fmt.Errorf("the capacity, in a closed loop: %w", err)
			}
		}
	}
	return nil
}

// Variant runs trials with one scheduler cost multiplied by a factor or, if Delay is set, with one prolonged burn.
// Ahead may be nil.
type Variant struct {
	Cost   string
	Factor float64
	Delay  time.Duration
	Part   float64 // fraction of the window, 0 to 1, after which that burn begins
	Run    func(context.Context, trial.Spec) (trial.Outcome, error)
	Ahead  func([]trial.Spec)
}

// countUndisturbed returns the number of trials that were not tested with a disturbed burn, because they are not
// periodic.
func countUndisturbed(trials []result.Trial) int {
	n := 0
	for i := range trials {
		if t := &trials[i]; t.Kind == result.KindTrial && t.Disturbed == nil {
			n++
		}
	}
	return n
}

// Sensitivities repeats the trials of a sweep in virtual time once for each variant, and reports how much the
// predictions change. Seeds are the same, so all differences come from the variant. A variant with a delay skips
// trials that were already disturbed.
func (s *Sweep) Sensitivities(ctx context.Context, trials []result.Trial,
	variants []Variant) ([]compare.Sensitivity, error) {
	cases := map[string]int{}
	for i, c := range s.Plan.Cases {
		cases[c.Design+" "+c.Point.String()] = i
	}

	var varied []compare.VariedRun
	for _, v := range variants {
		var specs []trial.Spec
		var anew []result.Trial
		for _, t := range trials {
			i, ok := cases[t.Design+" "+t.Point.String()]
			switch {
			case !ok || t.Kind != result.KindTrial:
			// The trial already contains its disturbance.
			case v.Delay > 0 && t.Disturbed != nil:
				anew = append(anew, t)
			default:
				spec := s.spec(plan.Step{Block: t.Block, Order: t.Order, Case: i})
				specs = append(specs, v.apply(spec, &t))
			}
		}
		if v.Ahead != nil {
			v.Ahead(specs)
		}
		for _, spec := range specs {
			o, err := v.Run(ctx, spec)
			if err != nil {
				return nil, err
			}
			s.declare(&o.Trial, spec)
			anew = append(anew, o.Trial)
		}
		varied = append(varied, compare.VariedRun{Cost: v.Cost, Factor: v.Factor,
			Rows: compare.Rows(anew, s.Plan.Cases)})
	}
	return compare.Sensitivities(compare.Rows(trials, s.Plan.Cases), varied), nil
}

// apply returns the specification of a trial in the variant.
func (v *Variant) apply(spec trial.Spec, t *result.Trial) trial.Spec {
	if v.Delay > 0 {
		window := t.WallSeconds * float64(time.Second)
		spec.Disturb = false
		spec.Disturbance = &trial.Disturbance{At: spec.Warmup + time.Duration(v.Part*window), Delay: v.Delay}
	}
	return spec
}
