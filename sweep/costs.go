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

// ReadCosts reads a file of what real code of a workload costs.
func ReadCosts(ctx context.Context, path string, w *workload.Workload) (*trial.Recording, *Recorded, error) {
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
	return r, &Recorded{path, hex.EncodeToString(sum.Sum(nil))}, nil
}

// RereadCosts reads the costs of a sweep that goes on. They must be those it began with.
func (s *Sweep) RereadCosts(ctx context.Context) error {
	was := s.Header.Replayed
	if was == nil {
		return nil
	}
	costs, is, err := ReadCosts(ctx, was.Path, s.Workload)
	if err != nil {
		return err
	}
	if *is != *was {
		return fmt.Errorf("%s has changed since the run began: real code would cost something else; restore the file "+
			"or start a new run", was.Path)
	}
	s.Costs = costs
	return nil
}

// CheckCosts is an error if the costs of some trial of the plan are not there. Pilots do without their own: see
// pilotSeed.
func (s *Sweep) CheckCosts() error {
	for b := range s.Plan.Blocks {
		for _, spec := range s.specsOf(b, s.all()) {
			if err := s.Costs.Covers(spec); err != nil {
				return err
			}
		}
	}
	for _, c := range s.closed() {
		for round := range capacityTrials {
			if err := s.Costs.Covers(s.capacitySpec(c.Design, c.Point, round)); err != nil {
				return fmt.Errorf("the capacity, in a closed loop: %w", err)
			}
		}
	}
	return nil
}

// Variant calculates trials with one cost of the scheduler multiplied by a factor, or, with Delay, with one burn that
// lasts longer.
type Variant struct {
	Cost   string
	Factor float64
	Delay  time.Duration
	Part   float64 // of a trial's window, after which that burn begins, 0 to 1
	Run    func(context.Context, trial.Spec) (trial.Outcome, error)
	Ahead  func([]trial.Spec)
}

// Disturbable are the trials of which it is not known what a disturbed burn does: those that do not repeat themselves.
func Disturbable(trials []result.Trial) int {
	n := 0
	for i := range trials {
		if t := &trials[i]; t.Kind == result.KindTrial && t.Disturbed == nil {
			n++
		}
	}
	return n
}

// Vary calculates the trials of a sweep in virtual time anew, once for each variant, and says by how much what
// they show depends on it. The seeds are the same, and so what differs is the variant's doing. A variant with a delay
// leaves out the trials that have been disturbed.
func (s *Sweep) Vary(ctx context.Context, trials []result.Trial, variants []Variant) ([]compare.Sensitivity, error) {
	cases := map[string]int{}
	for i, c := range s.Plan.Cases {
		cases[c.Design+" "+c.Point.String()] = i
	}
	var varied []compare.Varied
	for _, v := range variants {
		var specs []trial.Spec
		var anew []result.Trial
		for _, t := range trials {
			i, ok := cases[t.Design+" "+t.Point.String()]
			switch {
			case !ok || t.Kind != result.KindTrial:
			case v.Delay > 0 && t.Disturbed != nil:
				anew = append(anew, t)
			default:
				spec := s.spec(plan.Step{Block: t.Block, Order: t.Order, Case: i})
				specs = append(specs, v.of(spec, &t))
			}
		}
		v.Ahead(specs)
		for _, spec := range specs {
			o, err := v.Run(ctx, spec)
			if err != nil {
				return nil, err
			}
			s.declare(&o.Trial, spec)
			anew = append(anew, o.Trial)
		}
		varied = append(varied, compare.Varied{Cost: v.Cost, Factor: v.Factor, Rows: compare.Rows(anew, s.Plan.Cases)})
	}
	return compare.Sensitivities(compare.Rows(trials, s.Plan.Cases), varied), nil
}

// of is the specification of a trial in the variant.
func (v *Variant) of(spec trial.Spec, t *result.Trial) trial.Spec {
	if v.Delay > 0 {
		window := t.WallSeconds * float64(time.Second)
		spec.Disturb = false
		spec.Disturbance = &trial.Disturbance{At: spec.Warmup + time.Duration(v.Part*window), Delay: v.Delay}
	}
	return spec
}
