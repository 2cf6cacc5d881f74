// Package seeded makes property tests repeatable.
package seeded

import (
	"flag"

	_ "pgregory.net/rapid" // which defines the flag
)

// Fix gives the property tests of a package a fixed seed; call it in TestMain. The test flag -rapid.seed
// overrides it, 0 with a random seed.
func Fix() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
