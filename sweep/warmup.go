package sweep

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

const (
	// mostExtensions is how often the window of a load that has not settled is doubled.
	mostExtensions = 4
	// noWarmupBeyond is the largest warm-up, as a fraction of a run, that a single pilot may ask for. A longer one
	// needs the agreement of further pilots.
	noWarmupBeyond = 0.1
	// pilotRounds is the number of pilots of a case whose first pilot asks for a longer warm-up.
	pilotRounds = 5
)

// FindWarmup finds the warm-up of a sweep in virtual time. It runs a pilot of every stream and finds with MSER-5
// how long each one's transient lasts. All cases get the warm-up of the slowest, so that compared designs are
// measured over the same period. If a load settles in the second half of its run or not at all, FindWarmup doubles
// the run. Warm-up and window never become shorter than the header says.
//
// Pilots and trials serve different requests. A warm-up chosen by a trial's own requests would skip those that
// happen to be long at its start, and bias the mean downwards. Pilots do not depend on the sweep's seed either, so
// the seed of a trial is enough to repeat it. A design without random draws does the same for every seed, and its
// pilot is its first trial.
//
// Near saturation successive requests are so correlated that MSER-5 can take a long busy period for a transient.
// Therefore a case that asks for more than a tenth of its run gets further pilots; see [transientOf].
func (s *Sweep) FindWarmup(ctx context.Context) error {
	set := &s.Header.Settings
	asked, before, restless := *set, *set, "" // as requested; before the last extension, and the case that needed it
	defer s.keepPeriodic()
	defer s.pruneLimited()
	for extended := 0; ; extended++ {
		transient, slowest, settled, err := s.transient(ctx)
		if err != nil {
			return err
		}
		// The recording of real code ended before the load settled: keep the last run that it covers.
		if extended > 0 && s.recordingExhausted() {
			set.Warmup, set.Duration, s.known = before.Warmup, before.Duration, nil
			s.Header.WarmupReason = ""
			s.Header.Warnings = append(s.Header.Warnings,
				fmt.Sprintf("%s had not settled after %v, where the recording ends, so its results may include "+
					"start-up effects; record a longer duration, or set the warm-up", restless,
					time.Duration(set.Warmup+set.Duration)))
			return nil
		}
		whole := time.Duration(set.Warmup + set.Duration)
		switch {
		case settled && transient <= time.Duration(set.Warmup):
			return nil
		case settled && 2*transient <= whole:
			set.Warmup, s.known = Duration(roundUp(transient)), nil
			s.Header.WarmupReason = fmt.Sprintf("all designs have a warm-up of %v, because %s took %v to "+
				"settle", time.Duration(set.Warmup),
				slowest, threeDigits(transient))
			return nil
		case extended == mostExtensions:
			s.Header.Warnings = append(s.Header.Warnings,
				fmt.Sprintf("%s had not settled after %v, so its results may include start-up effects; give a "+
					"longer warm-up and duration", slowest, whole))
			return nil
		}
		before, restless = *set, slowest
		set.Warmup, set.Duration = Duration(whole), Duration(whole)
		s.Header.WarmupReason = fmt.Sprintf("all designs have a warm-up of %v and a window of %v instead of %v and "+
			"%v, because %s had not settled after half of %v",
			whole, whole, time.Duration(asked.Warmup), time.Duration(asked.Duration), slowest, whole)
	}
}

// transient returns the longest transient of all streams, and its case. settled is false if some stream did not
// settle.
func (s *Sweep) transient(ctx context.Context) (longest time.Duration, slowest string, settled bool, err error) {
	set := s.Header.Settings
	bound := max(time.Duration(set.Warmup), time.Duration(noWarmupBeyond*float64(set.Warmup+set.Duration)))

	specs := s.pilots(0)
	if s.known, err = s.pilot(ctx, specs); err != nil {
		return 0, "", false, err
	}

	for _, spec := range specs { // further pilots only refine the transient
		if o := s.known[position{spec.Block, spec.Order}]; s.limited[caseOf(spec)] == nil {
			l := s.recordLimited(spec, o)
			l.pilot, l.warmup, l.window = true, set.Warmup, set.Duration
		}
	}

	rounds := map[position][]result.Trial{}
	var slow []trial.Spec
	for _, spec := range specs {
		at := position{spec.Block, spec.Order}
		rounds[at] = []result.Trial{s.known[at].Trial}
		if d, ok := transientOf(rounds[at], bound); !ok || d > bound {
			slow = append(slow, spec)
		}
	}

	for round := 1; round < pilotRounds && len(slow) > 0; round++ {
		for i := range slow {
			slow[i].Seed, slow[i].Disturb = s.pilotSeed(slow[i], round), false
		}
		outcomes, err := s.pilot(ctx, slow)
		if err != nil {
			return 0, "", false, err
		}
		for at, o := range outcomes {
			rounds[at] = append(rounds[at], o.Trial)
		}
		// The other pilots of a case that reached the limit would reach it too.
		slow = slices.DeleteFunc(slow,
			func(spec trial.Spec) bool { return outcomes[position{spec.Block, spec.Order}].Limited })
	}

	settled = true
	for _, spec := range specs {
		d, ok := transientOf(rounds[position{spec.Block, spec.Order}], bound)
		if settled = settled && ok; d > longest {
			longest, slowest = d, fmt.Sprintf("%s (%s)", spec.Design, spec.Point)
		}
	}
	return longest, slowest, settled, nil
}

// recordingExhausted reports whether a pilot needed more real code than its recording holds.
func (s *Sweep) recordingExhausted() bool {
	for _, o := range s.known {
		if s.Header.ReplayedFile != nil && o.Trial.Status == result.Failed {
			return true
		}
	}
	return false
}

// pilots returns the specifications of the pilots of all streams: those of the first block with other seeds.
func (s *Sweep) pilots(round int) (specs []trial.Spec) {
	for _, spec := range s.firstBlock() {
		if d, _ := s.Workload.Find(spec.Design); d.Stream != nil {
			spec.Seed = s.pilotSeed(spec, round)
			specs = append(specs, spec)
		}
	}
	return specs
}

// pilotSeed returns the seed of a pilot. If the recording of real code lacks this seed, the pilot serves the
// requests of the first trial.
func (s *Sweep) pilotSeed(spec trial.Spec, round int) uint64 {
	spec.Seed = plan.PilotSeed(round)
	if s.Costs != nil && s.Costs.Covers(spec) != nil {
		return s.Plan.BlockSeed(0)
	}
	return spec.Seed
}

// pilot runs pilots and returns their outcomes by their position in the first block.
func (s *Sweep) pilot(ctx context.Context, specs []trial.Spec) (map[position]trial.Outcome, error) {
	// A case that reached the limit would take as long again, and its outcome is known.
	if s.Ahead != nil {
		s.Ahead(slices.DeleteFunc(slices.Clone(specs),
			func(spec trial.Spec) bool { return s.limited[caseOf(spec)] != nil }))
	}

	outcomes := map[position]trial.Outcome{}
	for i, spec := range specs {
		if l := s.limited[caseOf(spec)]; l != nil {
			outcomes[position{spec.Block, spec.Order}] = l.outcome
			continue
		}
		s.notify(Event{Case: plan.Case{Design: spec.Design, Point: spec.Point}, Done: i, Total: len(specs),
			Pilot: true})
		o, err := s.Run(ctx, spec)
		if err != nil {
			return nil, err
		}
		outcomes[position{spec.Block, spec.Order}] = o
	}
	return outcomes, nil
}

// keepPeriodic keeps the pilots that do not depend on the seed. Each of them is the first trial of its case.
func (s *Sweep) keepPeriodic() {
	for at, o := range s.known {
		if o.Trial.Period == nil {
			delete(s.known, at)
			continue
		}
		o.Trial.Seed = strconv.FormatUint(s.Plan.BlockSeed(at.block), 10)
		s.known[at] = o
	}
}

// unsettled is the transient of a pilot that did not settle.
const unsettled = time.Duration(1 << 62)

// transientOf returns the transient of a case: the median over its pilots. If the median exceeds the bound but some
// pilot stays within it, the start of the load is not the cause, and the bound is enough. Failed and unstable
// pilots are left out.
func transientOf(pilots []result.Trial, bound time.Duration) (d time.Duration, settled bool) {
	var all []time.Duration
	for i := range pilots {
		t := &pilots[i]
		v, has := t.Metrics[result.Transient]
		switch {
		case !has || !t.Good() || t.Unstable:
		case !v.Known():
			all = append(all, unsettled)
		default:
			all = append(all, time.Duration(float64(v)*float64(time.Second)))
		}
	}

	if len(all) == 0 {
		return 0, true
	}

	slices.Sort(all)
	d = all[len(all)/2]
	if d > bound && all[0] <= bound {
		d = bound
	}
	return d, d < unsettled
}

// threeDigits rounds a duration to three significant digits.
func threeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit)
}

// roundUp rounds a duration up to two significant digits.
func roundUp(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d >= 100*unit {
		unit *= 10
	}
	return (d + unit - 1) / unit * unit
}
