package cli

import (
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/sweep"
)

// costOptions are flags of sim for the costs of real code and of the scheduler.
type costOptions struct {
	recordCosts string
	replayCosts string
	sensitivity bool
}

func (o *costOptions) costFlags(f *pflag.FlagSet) {
	f.StringVar(&o.recordCosts, "record-costs", "", "record the CPU time of real code in `FILE`")
	f.StringVar(&o.replayCosts, "replay-costs", "", "use the CPU time of real code recorded in `FILE`: the same "+
		"each time, also on other --cpus")
	f.BoolVar(&o.sensitivity, "sensitivity", false, "repeat with each scheduler cost halved and doubled, and "+
		"with one burn that lasts longer; show the ranges")
}

// recalculates reports whether trials are calculated more than once, so that their costs must be the same each time.
func (o *runOptions) recalculates() bool { return o.timeline != "" || o.sensitivity }

// checkSensitivity refuses --sensitivity for runs that have none.
func (o *runOptions) checkSensitivity(h *sweep.Header) error {
	switch {
	case !o.sensitivity:
		return nil
	case h.World != result.Virtual:
		return usage("--sensitivity: %s was measured live, so the scheduler's costs cannot be varied", o.resume)
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
