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
	defaultEfficiency = 0.7 // of CPUs
	defaultWithin     = 0.05
	defaultQuantile   = 0.5
	defaultBlocks     = 20
	defaultDuration   = 20 * time.Millisecond
	minBlocks         = 6
)

// Options are the requirement of a test and the effort of its measurement. The zero value of a field selects its
// default. A test fails if a field is out of range, or if a field is set that the test does not use.
type Options struct {
	CPUs     int           // Speedup: number of CPUs, 2 or more; default GOMAXPROCS
	AtLeast  float64       // Speedup: required speed-up over one CPU; default 0.7 x CPUs
	Within   float64       // NoSlowerThan: permitted relative slow-down; default 0.05, which is 5%
	Quantile float64       // Latency: quantile of all calls, such as 0.99; default 0.5
	AtMost   time.Duration // Latency: upper bound of the quantile; it has no default

	Strict   bool          // an inconclusive test fails instead of skipping; also BREWPUT_STRICT=1
	Blocks   int           // number of measurements of each function, 6 or more; default 20
	Duration time.Duration // of one measurement; default 20ms
}

// field is an option with the result of its check.
type field struct {
	name     string
	value    any
	unset    bool
	possible bool
	need     string // which values are possible
}

// fields checks every option.
func (o Options) fields() []field {
	// A comparison with NaN is false, so NaN counts as set and impossible.
	number := func(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }
	return []field{
		{"CPUs", o.CPUs, o.CPUs == 0, o.CPUs == 0 || o.CPUs >= 2, "2 or more, or leave it out for GOMAXPROCS"},
		{"AtLeast", o.AtLeast, o.AtLeast == 0, number(o.AtLeast),
			fmt.Sprintf("a speed-up above 0, such as 1.5, or leave it out for %v of CPUs", defaultEfficiency)},
		{"Within", o.Within, o.Within == 0, number(o.Within),
			fmt.Sprintf("a share above 0, such as 0.1 for 10%% more time, or leave it out for %v", defaultWithin)},
		{"Quantile", o.Quantile, o.Quantile == 0, o.Quantile >= 0 && o.Quantile < 1,
			fmt.Sprintf("a number between 0 and 1, such as 0.99, or leave it out for %v", defaultQuantile)},
		{"AtMost", o.AtMost, o.AtMost == 0, o.AtMost > 0, "the bound, a time above 0, such as time.Millisecond"},
		{"Blocks", o.Blocks, o.Blocks == 0, o.Blocks == 0 || o.Blocks >= minBlocks,
			fmt.Sprintf("%d or more, or leave it out for %d", minBlocks, defaultBlocks)},
		{"Duration", o.Duration, o.Duration == 0, o.Duration >= 0,
			fmt.Sprintf("a time above 0, or leave it out for %v", defaultDuration)},
	}
}

// check fails the test if a function is nil, an option is out of range, or one is set that the test does not use. Such
// a test could never pass, so it is not skipped. The names of the options that the test uses are reads.
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
