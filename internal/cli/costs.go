package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
)

// costOptions are flags of sim: where the costs of real code come from, and what the scheduler's do.
type costOptions struct {
	recordCosts string
	replayCosts string
	sensitivity bool
}

func (o *costOptions) costFlags(f *pflag.FlagSet) {
	f.StringVar(&o.recordCosts, "record-costs", "", "keep what real code costs in `FILE`")
	f.StringVar(&o.replayCosts, "replay-costs", "", "take what real code costs from `FILE`: the same each time, "+
		"also on other --cpus")
	f.BoolVar(&o.sensitivity, "sensitivity", false, "calculate all again with each of the scheduler's costs x 1/2 "+
		"and x 2, and with a burn that lasts longer, and show the ranges")
}

// again reports whether trials are calculated more than once, and so must cost the same each time.
func (o *runOptions) again() bool { return o.timeline != "" || o.sensitivity }

// checkSensitivity refuses a question that has no answer.
func (o *runOptions) checkSensitivity(h *sweep.Header) error {
	switch {
	case !o.sensitivity:
		return nil
	case h.World != result.Virtual:
		return usage("--sensitivity: %s was measured live, and the scheduler took what it took", o.resume)
	case o.format == "csv" || o.format == "bench":
		return usage("--sensitivity has no effect on --format %s, which holds trials alone; use table, json or md",
			o.format)
	}
	costs, err := sim.ParseCosts(h.Costs)
	if err != nil {
		return err
	}
	if len(costs.Names()) == 0 {
		return usage("--sensitivity: with --cost none no cost can be varied; give costs, as in --cost wake=60us")
	}
	return nil
}

// prepareCosts says where a new run in virtual time has the costs of real code from.
func (o *runOptions) prepareCosts(ctx context.Context, s *sweep.Sweep) error {
	if o.recordCosts != "" && o.replayCosts != "" {
		return errBothCosts()
	}
	if err := o.checkSensitivity(&s.Header); err != nil {
		return err
	}
	switch {
	case o.recordCosts != "":
		if err := writable("--record-costs", o.recordCosts); err != nil {
			return err
		}
		s.Header.Records = o.recordCosts
		s.Costs = trial.NewRecording(s.Workload.Name, true)
	case o.replayCosts != "":
		if s.Header.Precision != nil {
			return usage("--replay-costs %s has the replications that it has: give --count in place of --precision",
				o.replayCosts)
		}
		var err error
		if s.Costs, s.Header.Replayed, err = sweep.ReadCosts(ctx, o.replayCosts, s.Workload); err != nil {
			return usage("--replay-costs: %w", err)
		}
		if err := s.CheckCosts(); err != nil {
			return usage("--replay-costs %s: %w", o.replayCosts, err)
		}
	case o.again():
		s.Costs = trial.NewRecording(s.Workload.Name, false)
	}
	return nil
}

// resumeCosts is prepareCosts for a run that goes on; runs says that trials will be calculated.
func (o *runOptions) resumeCosts(ctx context.Context, s *sweep.Sweep, runs bool) error {
	if err := o.checkSensitivity(&s.Header); err != nil || s.Header.World != result.Virtual {
		return err
	}
	if s.Header.Replayed != nil {
		if !runs { // it is shown again, whatever became of the file
			return nil
		}
		if err := s.RereadCosts(ctx); err != nil {
			return asUsage(err)
		}
		return nil
	}
	measured := slices.ContainsFunc(s.Done, func(t result.Trial) bool { return t.RealCode != "" })
	switch {
	case s.Header.Records != "" && !s.Complete:
		return usage("%s was to end with the costs of its real code in %s, and those measured before it was stopped "+
			"are lost: start a new run", o.resume, s.Header.Records)
	case measured && o.again():
		return usage("%s measured its real code, which would cost something else now: start a new run with "+
			"--record-costs FILE, or with --replay-costs FILE where there is one, and these flags", o.resume)
	case measured && runs:
		if err := host.Read().SameMachine(s.Header.Environment); err != nil {
			return usage("%s measured real code and cannot be continued on this machine: %w; continue it there, "+
				"or start a new run", o.resume, err)
		}
	}
	if o.again() {
		s.Costs = trial.NewRecording(s.Workload.Name, false)
	}
	return nil
}

// writeCosts writes what the real code of a run cost, once all of it is calculated.
func (a *app) writeCosts(s *sweep.Sweep) error {
	path := s.Header.Records
	if path == "" || s.Complete {
		return nil
	}
	if err := replaceFile(path, s.Costs.Write); err != nil {
		return exitError{fmt.Errorf("the costs of real code could not be written: %w", err), exitFailed}
	}
	text := fmt.Sprintf("costs of real code in %s: %s of %s", path, result.Count(s.Costs.Sections(), "section"),
		result.Count(s.Costs.Trials(), "trial"))
	if s.Costs.Sections() == 0 {
		text += "; no design has real code (env.Begin)"
	}
	fmt.Fprintln(a.stderr, text)
	return nil
}

// vary says by how much what was calculated depends on the scheduler's costs.
func (a *app) vary(ctx context.Context, s *sweep.Sweep, trials []result.Trial) ([]compare.Sensitivity, error) {
	costs, err := sim.ParseCosts(s.Header.Costs)
	if err != nil {
		return nil, err
	}
	var variants []sweep.Variant
	limit := time.Duration(s.Header.Settings.TimeLimit)
	for _, name := range costs.Names() {
		for _, by := range [][2]int64{{1, 2}, {2, 1}} {
			m := trial.NewSimulations(s.Workload, costs.Scaled(name, by[0], by[1]), limit)
			variants = append(variants, sweep.Variant{Cost: name, Factor: float64(by[0]) / float64(by[1]), Run: m.Run,
				Ahead: m.Ahead})
		}
	}
	fmt.Fprintf(a.stderr, "sensitivity: all is calculated %d times more, with one cost x 1/2 or x 2\n", len(variants))
	if n := sweep.Disturbable(trials); n > 0 {
		for i := range trial.Delays {
			m := trial.NewSimulations(s.Workload, costs, limit)
			variants = append(variants, sweep.Variant{Delay: trial.Delay(i), Part: (float64(i) + 0.5) / trial.Delays,
				Run: m.Run, Ahead: m.Ahead})
		}
		fmt.Fprintf(a.stderr, "sensitivity: %s that do not repeat themselves are calculated %d times more, with one "+
			"burn that lasts longer\n", result.Count(n, "trial"), trial.Delays)
	}
	before := s.Costs.Sections()
	list, err := s.Vary(ctx, trials, variants)
	if err == nil && s.Costs.Sections() > before { // where it goes faster more is done
		err = a.writeCosts(s)
	}
	return list, err
}
