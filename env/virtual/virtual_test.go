package virtual

import (
	"fmt"
	"maps"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/envtest"
	"github.com/brewput/brewput/sim"
)

// TestLaws tries every law of env, on few and on many CPUs; where operations take time, those that are not
// about exact times.
func TestLaws(t *testing.T) {
	costly := sim.Costs{Wake: sim.Quantiles(3000, 5000, 60_000), WakeDeep: sim.Ns(90_000), DeepIdleAfter: 1_000_000,
		Spin: sim.Ns(300), SpinFor: 3000,
		Steal: sim.Ns(3000), Switch: sim.Ns(200), Spawn: sim.Ns(300), Chan: sim.Ns(80), Lock: sim.Ns(20),
		Timer: sim.Ns(100), Syscall: sim.Ns(150),
		LockSpin: sim.Ns(400)}
	for _, cpus := range []int{1, 2, 4, 64, sim.Unlimited} {
		for name, costs := range map[string]sim.Costs{"": {}, " and costs": costly,
			" and slow channels": {Chan: sim.Ns(10_000), Timer: sim.Ns(100)}} {
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

// TestViolations: they are counted by station.
func TestViolations(t *testing.T) {
	w := New(Config{})
	err := w.Run("body", func(e env.Env) {
		a, b := e.Station("a"), e.Station("b")
		clash := func(s *env.Station) {
			s.Enter()
			s.Enter()
			s.Leave()
			s.Leave()
		}
		clash(a)
		clash(b)
		clash(a)
		e.Work(func() { clash(b) })
	})
	if got, want := w.ViolationsByStation(), map[string]int64{"a": 2, "b": 2}; err != nil || !maps.Equal(got, want) ||
		w.Violations() != 4 {
		t.Errorf("%d violations, %v, want 4, %v: %v", w.Violations(), got, want, err)
	}
	metered := int64(0)
	for _, m := range w.Meters() {
		metered += m.Read().Violations
	}
	if metered != 4 {
		t.Errorf("%d violations by the meters, want 4", metered)
	}
}
