package set

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/sim"
)

// runIn runs body in virtual time, on two CPUs.
func runIn(seed uint64, body func(env.Env)) error {
	return virtual.New(virtual.Config{CPUs: 2, Seed: seed, Costs: sim.Typical()}).Run("test", body)
}
