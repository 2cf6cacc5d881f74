package virtual

import (
	"fmt"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/envtest"
	"github.com/brewput/brewput/sim"
)

// TestLaws tries every law of env, on few and on many CPUs; where operations take time, those that are not
// about exact times.
func TestLaws(t *testing.T) {
	costly := sim.Costs{Wake: sim.Quantiles(3000, 5000, 60_000), Deep: sim.Ns(90_000), DeepAfter: 1_000_000, Spin: sim.Ns(300), SpinFor: 3000,
		Steal: sim.Ns(3000), Switch: sim.Ns(200), Spawn: sim.Ns(300), Chan: sim.Ns(80), Lock: sim.Ns(20), Timer: sim.Ns(100), Syscall: sim.Ns(150),
		LockSpin: sim.Ns(400)}
	for _, cpus := range []int{1, 2, 4, 64, sim.Unlimited} {
		for name, costs := range map[string]sim.Costs{"": {}, " and costs": costly} {
			t.Run(fmt.Sprintf("%d CPUs%s", cpus, name), func(t *testing.T) {
				envtest.Run(t, func(_ testing.TB, cfg envtest.Config) envtest.World {
					w := New(Config{CPUs: cpus, Seed: cfg.Seed, Costs: costs})
					return envtest.World{
						Run:             func(body func(env.Env)) error { return w.Run("body", body) },
						Meters:          w.Meters,
						Violations:      w.Violations,
						ExactTime:       name == "",
						TimedLocks:      true,
						DetectsDeadlock: true,
					}
				})
			})
		}
	}
}
