package costs

import (
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// check adds the readings of the microprograms in virtual time with all costs, with as many repetitions as in live
// runs.
func (f *fitter) check(all []parameter) error {
	much := full()
	much.syscall, much.cycles = brief().syscall, 2*rounds*much.cycles
	virtual := map[string]readings{}
	for _, p := range all {
		i := slices.IndexFunc(f.prices, func(x result.CostEstimate) bool { return x.Cost == p.name })
		if i < 0 {
			continue // there were no readings
		}
		if virtual[p.program] == nil {
			r, err := f.simulate(p.program, much, f.costs)
			if err != nil {
				return err
			}
			virtual[p.program] = r
		}
		f.prices[i].Virtual = result.Value(median(pick(virtual[p.program], p.readings)))
	}
	if r := virtual["handoff"]; r != nil {
		f.handOvers = f.compareHandOvers(all, r)
	}
	return nil
}

// compareHandOvers compares the quantiles of hand-overs in live runs and in virtual time: for each idle time that has
// a cost of its own, and for all of them.
func (f *fitter) compareHandOvers(all []parameter, virtual readings) (hs []result.HandOver) {
	whole := parameter{program: "handoff", readings: after("handoff", naps)}
	for _, p := range append(slices.Clone(all), whole) {
		if p.program != "handoff" || p.readings == nil || p.name == "rouse" {
			continue
		}
		h := result.HandOver{Cost: p.name, Reading: p.title()}
		h.Live, h.Virtual = quantiles(sorted(f.rounds(p))), quantiles(sorted([][]float64{pick(virtual, p.readings)}))
		hs = append(hs, h)
	}
	return hs
}

// quantiles returns the quantiles of times in ns, in ascending order.
func quantiles(ns []float64) result.UpperQuantiles {
	return result.UpperQuantiles{
		P50: result.Value(stat.Quantile(ns, 0.5)), P90: result.Value(stat.Quantile(ns, 0.9)),
		P99: result.Value(stat.Quantile(ns, 0.99)),
	}
}
