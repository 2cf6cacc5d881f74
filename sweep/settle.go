package sweep

import (
	"context"
	"fmt"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// mostExtensions is how often a window is doubled for a load that has not settled.
const mostExtensions = 4

// Settle finds the warm-up of a sweep in virtual time: it runs a pilot of every case, sees by MSER-5 how long each
// took to settle, and gives all the same warm-up, that of the slowest, so that compared designs are
// seen in the same stretch of time. A load that settles in the second half of its run, or not at all, makes the
// run twice as long. The warm-up and window that the header has are the least.
//
// The pilot of a sweep of one replication is that replication, as long as it need not be longer. With more of
// them its customers are others: a warm-up chosen by a trial's own requests leaves out what happens to be long at their
// beginning, and the mean of the others would be too short.
func (s *Sweep) Settle(ctx context.Context) error {
	set := &s.Header.Settings
	seed, apart := s.Plan.BlockSeed(0), s.Plan.Blocks > 1
	if apart {
		seed = s.Plan.BlockSeed(-1)
		defer func() { s.known = nil }()
	}
	for extended := 0; ; extended++ {
		if err := s.pilot(ctx, seed); err != nil {
			return err
		}
		transient, slowest, settled := transientOf(s.known)
		whole := time.Duration(set.Warmup + set.Duration)
		switch {
		case settled && transient <= time.Duration(set.Warmup):
			return nil
		case settled && 2*transient <= whole:
			set.Warmup = Duration(roundUp(transient))
			s.Header.Settled = fmt.Sprintf("warm-up %v for all: %s took %v to settle", time.Duration(set.Warmup), slowest, transient)
			if apart {
				return nil
			}
			return s.pilot(ctx, seed)
		case extended == mostExtensions:
			s.Header.Warnings = append(s.Header.Warnings, fmt.Sprintf("%s has not settled after %v: what it shows may be its beginning; give a longer --warmup and --duration", slowest, whole))
			return nil
		}
		set.Warmup, set.Duration = Duration(whole), Duration(whole)
		s.Header.Settled = fmt.Sprintf("warm-up and window %v for all: %s had not settled in half of %v", whole, slowest, whole)
	}
}

// pilot runs every case once, as in the first replication but for the seed.
func (s *Sweep) pilot(ctx context.Context, seed uint64) error {
	s.known = nil
	specs := s.First()
	for i := range specs {
		specs[i].Seed = seed
	}
	if s.Ahead != nil {
		s.Ahead(specs)
	}
	known := map[place]trial.Outcome{}
	for i, spec := range specs {
		s.Notify(Event{Case: plan.Case{Design: spec.Design, Point: spec.Point}, Done: i, Total: len(specs), Pilot: true})
		o, err := s.Run(ctx, spec)
		if err != nil {
			return err
		}
		known[place{spec.Block, spec.Order}] = o
	}
	s.known = known
	return nil
}

// transientOf is the longest transient of some trials, and whose it is. Trials that went wrong or are unstable
// have none.
func transientOf(outcomes map[place]trial.Outcome) (longest time.Duration, slowest string, settled bool) {
	settled = true
	for order := range len(outcomes) {
		t := outcomes[place{0, order}].Trial
		v, has := t.Metrics[result.Transient]
		if !has || !t.Good() || t.Unstable {
			continue
		}
		d := time.Duration(float64(v) * float64(time.Second))
		if !v.Known() {
			d = time.Duration(1 << 62)
		}
		if d > longest {
			longest, slowest = d, fmt.Sprintf("%s (%s)", t.Design, t.Point)
		}
		settled = settled && v.Known()
	}
	return longest, slowest, settled
}

// roundUp rounds a time up to two digits, so that it is told in few.
func roundUp(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d >= 100*unit {
		unit *= 10
	}
	return (d + unit - 1) / unit * unit
}
