package sweep

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
)

// Variants returns the ways in which [Sweep.Sensitivities] simulates the trials again: each of the scheduler's costs x
// 1/2 and x 2, and, for trials that do not repeat themselves, one burn that lasts longer. The notes say how many there
// are.
func (s *Sweep) Variants(trials []result.Trial) (list []Variant, notes []string, err error) {
	costs, err := sim.ParseCosts(s.Header.Costs)
	if err != nil {
		return nil, nil, err
	}
	limit := time.Duration(s.Header.Settings.TimeLimit)
	for _, name := range costs.Names() {
		for _, by := range [][2]int64{{1, 2}, {2, 1}} {
			m := trial.NewSimulations(s.Workload, costs.Scaled(name, by[0], by[1]), limit)
			list = append(list, Variant{Cost: name, Factor: float64(by[0]) / float64(by[1]), Run: m.Run,
				Ahead: m.Ahead})
		}
	}
	notes = append(notes, fmt.Sprintf("sensitivity: each case is simulated %d more times, with one cost halved or "+
		"doubled",
		len(list)))

	if n := countUndisturbed(trials); n > 0 {
		for i := range trial.Delays {
			m := trial.NewSimulations(s.Workload, costs, limit)
			list = append(list, Variant{Delay: trial.Delay(i), Part: (float64(i) + 0.5) / trial.Delays, Run: m.Run,
				Ahead: m.Ahead})
		}
		notes = append(notes, fmt.Sprintf("sensitivity: %s that do not repeat are simulated %d more times, each "+
			"with one longer burn", result.Count(n, "trial"), trial.Delays))
	}
	return list, notes, nil
}
