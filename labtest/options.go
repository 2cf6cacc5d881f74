package labtest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// The defaults of options.
const (
	usualEfficiency = 0.7 // of CPUs
	usualWithin     = 0.05
	usualQuantile   = 0.5
	usualBlocks     = 20
	usualDuration   = 20 * time.Millisecond
	leastBlocks     = 6
)

// Options say what is asked for. Each test says which of them it reads: it fails where one that it does not read is
// set, or one is not possible. 0 is the default.
type Options struct {
	CPUs     int           // Speedup: compared with one CPU, at least 2; default GOMAXPROCS
	AtLeast  float64       // Speedup: the least speed-up; default 0.7 of CPUs
	Within   float64       // NoSlowerThan: 0.05 allows 5 % more time; default 0.05
	Quantile float64       // Latency: of all calls, such as 0.99; default 0.5
	AtMost   time.Duration // Latency: the bound; it has no default

	Blocks   int           // how often each side is measured; default 20, at least 6
	Duration time.Duration // of one measurement; default 20ms
}

// field is an option as a test finds it.
type field struct {
	name     string
	value    any
	unset    bool
	possible bool
	need     string // what is possible
}

func (o Options) fields() []field {
	// A comparison with NaN is false, so that it is set and not possible.
	number := func(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }
	return []field{
		{"CPUs", o.CPUs, o.CPUs == 0, o.CPUs == 0 || o.CPUs >= 2, "2 or more, or leave it out for GOMAXPROCS"},
		{"AtLeast", o.AtLeast, o.AtLeast == 0, number(o.AtLeast),
			fmt.Sprintf("a speed-up above 0, such as 1.5, or leave it out for %v of CPUs", usualEfficiency)},
		{"Within", o.Within, o.Within == 0, number(o.Within),
			fmt.Sprintf("a share above 0, such as 0.1 for 10%% more time, or leave it out for %v", usualWithin)},
		{"Quantile", o.Quantile, o.Quantile == 0, o.Quantile >= 0 && o.Quantile < 1,
			fmt.Sprintf("a number between 0 and 1, such as 0.99, or leave it out for %v", usualQuantile)},
		{"AtMost", o.AtMost, o.AtMost == 0, o.AtMost > 0, "the bound, a time above 0, such as time.Millisecond"},
		{"Blocks", o.Blocks, o.Blocks == 0, o.Blocks == 0 || o.Blocks >= leastBlocks,
			fmt.Sprintf("%d or more, or leave it out for %d", leastBlocks, usualBlocks)},
		{"Duration", o.Duration, o.Duration == 0, o.Duration >= 0,
			fmt.Sprintf("a time above 0, or leave it out for %v", usualDuration)},
	}
}

// check fails the test where a function is missing or an option makes no sense: what can never be measured is wrong
// use, and no reason to skip. reads are the options that the test reads.
func (o Options) check(t testing.TB, test string, functions map[string]func(), reads ...string) {
	t.Helper()
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if functions[name] == nil {
			wrong = append(wrong, name+" is nil: give the function to measure")
		}
	}
	for _, f := range o.fields() {
		switch read := slices.Contains(reads, f.name); {
		case read && !f.possible:
			wrong = append(wrong, fmt.Sprintf("Options.%s is %v: give %s", f.name, f.value, f.need))
		case !read && !f.unset:
			wrong = append(wrong, fmt.Sprintf("Options.%s is %v, and %s reads no %s: leave it out", f.name, f.value,
				test, f.name))
		}
	}
	if len(wrong) > 0 {
		t.Fatal("labtest." + test + ": " + strings.Join(wrong, "; "))
	}
}
