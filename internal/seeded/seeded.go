// Package seeded makes property tests the same from run to run.
package seeded

import (
	"flag"

	_ "pgregory.net/rapid" // whose flag it is
)

// Fix gives the property tests of a package a seed, for its TestMain to call. The flag -rapid.seed gives another, 0 a
// random one.
func Fix() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
