package virtual

import (
	"testing"

	"github.com/brewput/brewput/env"
)

// TestPollingSees: who looks at an Atomic sees what another CPU stores at the same instant, and an Atomic can be
// read when the world is over.
func TestPollingSees(t *testing.T) {
	var ready *env.Atomic[int]
	says(t, func(e env.Env) {
		ready = env.NewAtomic[int](e, "ready")
		e.Go("other", func(e env.Env) { ready.Store(7) })
		for ready.Load() == 0 {
		}
	})
	if got := ready.Load(); got != 7 {
		t.Errorf("the value is %d, want 7", got)
	}
}
