package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// ReadCosts reads a file of what real code of a workload costs.
func ReadCosts(path string, w *workload.Workload) (*trial.Recording, *Recorded, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	sum := sha256.New()
	r, err := trial.ReadRecording(io.TeeReader(f, sum), w)
	if err != nil {
		return nil, nil, fmt.Errorf("%s, %w", path, err)
	}
	return r, &Recorded{path, hex.EncodeToString(sum.Sum(nil))}, nil
}

// RereadCosts reads the costs of a sweep that goes on. They must be those it began with.
func (s *Sweep) RereadCosts() error {
	was := s.Header.Replayed
	if was == nil {
		return nil
	}
	costs, is, err := ReadCosts(was.Path, s.Workload)
	if err != nil {
		return err
	}
	if *is != *was {
		return fmt.Errorf("%s has changed since the run began: real code would cost something else; restore the file or start a new run", was.Path)
	}
	s.Costs = costs
	return nil
}

// CheckCosts is an error if the costs of some trial of the plan are not there; settles says that Settle comes first.
func (s *Sweep) CheckCosts(settles bool) error {
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
	for _, spec := range s.First() {
		d, _ := s.Workload.Find(spec.Design)
		if spec.Seed = s.Plan.BlockSeed(-1); settles && s.Plan.Blocks > 1 && d.Stream != nil {
			if err := s.Costs.Covers(spec); err != nil {
				return fmt.Errorf("the pilot that finds the warm-up (give --warmup to do without): %w", err)
			}
		}
	}
	return nil
}

// Variant calculates trials with one cost of the scheduler multiplied by a factor.
type Variant struct {
	Cost   string
	Factor float64
	Run    func(context.Context, trial.Spec) (trial.Outcome, error)
	Ahead  func([]trial.Spec)
}

// Vary calculates the trials of a sweep in virtual time anew, once for each variant, and says by how much what
// they show depends on it. The seeds are the same, and so what differs is the cost's doing.
func (s *Sweep) Vary(ctx context.Context, trials []result.Trial, variants []Variant) ([]compare.Sensitivity, error) {
	cases := map[string]int{}
	for i, c := range s.Plan.Cases {
		cases[c.Design+" "+c.Point.String()] = i
	}
	var specs []trial.Spec
	for _, t := range trials {
		if i, ok := cases[t.Design+" "+t.Point.String()]; ok && t.Kind == result.KindTrial {
			specs = append(specs, s.spec(plan.Step{Block: t.Block, Order: t.Order, Case: i}))
		}
	}
	var varied []compare.Varied
	for _, v := range variants {
		v.Ahead(specs)
		anew := make([]result.Trial, 0, len(specs))
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
