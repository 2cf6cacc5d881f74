package virtual

import (
	"fmt"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/envtest"
)

// TestLaws tries every law of env, on few and on many CPUs.
func TestLaws(t *testing.T) {
	for _, cpus := range []int{1, 2, 4, 64} {
		t.Run(fmt.Sprintf("%d CPUs", cpus), func(t *testing.T) {
			envtest.Run(t, func(_ testing.TB, cfg envtest.Config) envtest.World {
				w := New(Config{CPUs: cpus, Seed: cfg.Seed})
				return envtest.World{
					Run:             func(body func(env.Env)) error { return w.Run("body", body) },
					Meters:          w.Meters,
					Violations:      w.Violations,
					ExactTime:       true,
					TimedLocks:      true,
					DetectsDeadlock: true,
				}
			})
		})
	}
}
