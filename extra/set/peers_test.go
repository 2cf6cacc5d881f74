package set

import (
	"testing"

	"github.com/brewput/brewput/catalog/set"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/settest"
)

// TestLinearizable checks short histories of every design.
func TestLinearizable(t *testing.T) {
	openers := map[string]func(env.Env, []uint64) set.Opened{"golang-set": openGolangSet, "xsync": openXsync}
	for _, d := range Workload().Designs {
		open, ok := openers[d.Name]
		if !ok {
			t.Errorf("the test does not open %s", d.Name)
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			settest.Check(t, func(e env.Env, first []uint64) (func(env.Env) settest.Set, func()) {
				o := open(e, first)
				return func(e env.Env) settest.Set { return o.View(e) }, o.Stop
			}, false)
		})
	}
}
