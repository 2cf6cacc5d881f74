// Package labtest tests performance in go test: that a function is faster on more CPUs, that it is no slower than
// another, that its latency stays under a bound.
//
// A test passes, fails, or is inconclusive: then it is skipped, with the reason. It fails only where the interval of
// what was measured excludes what was asked for, and passes only where the interval lies within it; the chance of
// either being wrong is at most 5 %. What is measured of two sides is measured block by block, in an order that
// changes, so that what the machine does meanwhile falls on both.
//
// Times measured under the race detector, with coverage, or under load by other processes say nothing: there such tests
// are skipped, as under -short. Each block is stored in the test's [testing.T.ArtifactDir].
//
//	func TestScales(t *testing.T) {
//		labtest.Speedup(t, func() { sum(data) }, labtest.Options{CPUs: 2, AtLeast: 1.5})
//	}
//
// All sides run in the test's own process: what one leaves on the heap, the other meets. A garbage collection stands
// before each measurement, and none of its time is measured.
package labtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/stat"
)

// confidence is that of every interval.
const confidence = 0.90 // two-sided: each bound is wrong with a chance of 5 %

// outcome is what a test came to.
type outcome struct {
	Name    string    `json:"name"`
	Asked   string    `json:"asked"`
	Found   float64   `json:"found"`
	Low     float64   `json:"low"`
	High    float64   `json:"high"`
	A       []float64 `json:"a"` // by block, nanoseconds an operation
	B       []float64 `json:"b,omitempty"`
	Verdict string    `json:"verdict"` // pass, fail, inconclusive
	Reason  string    `json:"reason,omitempty"`
	CPUs    int       `json:"cpus"`
	Busy    float64   `json:"others_cpus"` // used by other processes; negative where it is not known
	// Throttled are the periods in which a CPU quota stopped the process; negative where it is not known.
	Throttled float64 `json:"throttled_periods"`
	Duration  string  `json:"duration"`
}

// Speedup tests that f is at least AtLeast times as fast on CPUs CPUs as on one. f uses the CPUs itself; GOMAXPROCS is
// set for it. It reads CPUs, AtLeast, Blocks and Duration of the options.
func Speedup(t testing.TB, f func(), o Options) {
	t.Helper()
	o.check(t, "Speedup", map[string]func(){"f": f}, "CPUs", "AtLeast", "Blocks", "Duration")
	o.fill(t)
	switch {
	case o.CPUs < 2:
		t.Skip("inconclusive: GOMAXPROCS is 1, and a speed-up needs 2 CPUs or more")
	case o.CPUs > runtime.NumCPU():
		t.Skipf("inconclusive: a speed-up on %d CPUs cannot be seen on a machine of %d", o.CPUs, runtime.NumCPU())
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := compared(side{f, 1}, side{f, o.CPUs}, o)
	r.Name = "speedup"
	asked, found := r.words(o.AtLeast, ratioText)
	r.Asked = fmt.Sprintf("a speed-up of at least %s on %d CPUs", asked, o.CPUs)
	r.decide(r.Low >= o.AtLeast, r.High < o.AtLeast)
	r.conclude(t, found)
}

// NoSlowerThan tests that f takes at most 1+Within times the time of baseline. It reads Within, Blocks and Duration of
// the options.
func NoSlowerThan(t testing.TB, baseline, f func(), o Options) {
	t.Helper()
	o.check(t, "NoSlowerThan", map[string]func(){"baseline": baseline, "f": f}, "Within", "Blocks", "Duration")
	o.fill(t)
	n := runtime.GOMAXPROCS(0)
	r := compared(side{f, n}, side{baseline, n}, o)
	r.Name = "no-slower"
	asked, found := r.words(1+o.Within, ratioText)
	r.Asked = fmt.Sprintf("at most %s the time of the baseline", asked)
	r.decide(r.High <= 1+o.Within, r.Low > 1+o.Within)
	r.conclude(t, found)
}

// Latency tests that the quantile of the times that calls of f take is at most AtMost. The interval is that of the
// median of the blocks' quantiles; reading the clock, some 50ns, is part of each time. It reads Quantile, AtMost,
// Blocks and Duration of the options, of which AtMost must be given.
func Latency(t testing.TB, f func(), o Options) {
	t.Helper()
	o.check(t, "Latency", map[string]func(){"f": f}, "Quantile", "AtMost", "Blocks", "Duration")
	o.fill(t)
	r := outcome{Name: "latency", CPUs: runtime.GOMAXPROCS(0)}
	seen := watch()
	calls := math.MaxInt
	for range o.Blocks {
		times := latencies(f, o.Duration)
		calls = min(calls, len(times))
		r.A = append(r.A, quantile(times, o.Quantile))
	}
	r.Busy, r.Throttled = seen()
	r.Found, r.Low, r.High, _ = stat.MedianInterval(r.A, confidence) // at least 6 blocks
	bound := float64(o.AtMost)
	asked, found := r.words(bound, timeText)
	r.Asked = fmt.Sprintf("a %.4g quantile of at most %s", o.Quantile, asked)
	r.decide(r.High <= bound, r.Low > bound)
	if float64(calls)*(1-o.Quantile) < 10 {
		r.Verdict, r.Reason = inconclusive,
			fmt.Sprintf("a block holds %d calls, too few for this quantile; give a longer Duration", calls)
	}
	r.Duration = o.Duration.String()
	r.conclude(t, found)
}

// fill sets defaults, and skips where times say nothing.
func (o *Options) fill(t testing.TB) {
	t.Helper()
	// which no parallel test may do: what runs beside it would be measured too
	t.Setenv("BREWPUT_LABTEST", "alone")
	o.CPUs = cmp.Or(o.CPUs, runtime.GOMAXPROCS(0)) // which a quota of the container makes fewer than there are
	o.AtLeast = cmp.Or(o.AtLeast, usualEfficiency*float64(o.CPUs))
	o.Within = cmp.Or(o.Within, usualWithin)
	o.Quantile = cmp.Or(o.Quantile, usualQuantile)
	o.Blocks = cmp.Or(o.Blocks, usualBlocks)
	o.Duration = cmp.Or(o.Duration, usualDuration)
	switch race := host.Read().Race; {
	case testing.Short():
		t.Skip("inconclusive: -short measures nothing")
	case race != nil && *race:
		t.Skip("inconclusive: under the race detector times say nothing")
	case testing.CoverMode() != "":
		t.Skip("inconclusive: with coverage times say nothing")
	}
}

const (
	pass         = "pass"
	fail         = "fail"
	inconclusive = "inconclusive"
)

// othersLimit is how much of a CPU other processes may use on average.
const othersLimit = 0.10

// decide sets the verdict.
func (r *outcome) decide(within, excluded bool) {
	switch {
	case r.Busy > othersLimit:
		r.Verdict, r.Reason = inconclusive, fmt.Sprintf("other processes used %.2f of a CPU meanwhile", r.Busy)
	case r.Throttled > 0:
		r.Verdict, r.Reason = inconclusive,
			fmt.Sprintf("a CPU quota stopped the process in %.0f periods: ask for fewer CPUs, or raise the quota",
				r.Throttled)
	case within:
		r.Verdict = pass
	case excluded:
		r.Verdict = fail
	default:
		r.Verdict, r.Reason = inconclusive, "the interval holds both what was asked for and what was not; give more "+
			"Blocks or a longer Duration"
	}
}

// words are the bound that was asked for and what was found, with its interval: in 4 digits, or as many more as it
// takes to leave each on its side of the bound. A test that fails by a little must not look as if it had passed.
func (r *outcome) words(bound float64, word func(float64) string) (asked, found string) {
	digits := 4
	crosses := func(x float64) bool { return cmp.Compare(rounded(x, digits), bound) != cmp.Compare(x, bound) }
	for digits < 17 && (crosses(r.Found) || crosses(r.Low) || crosses(r.High)) {
		digits++
	}
	in := func(x float64) string { return word(rounded(x, digits)) }
	return word(rounded(bound, 15)), fmt.Sprintf("%s (interval %s to %s)", in(r.Found), in(r.Low), in(r.High))
}

// rounded is x in so many significant digits.
func rounded(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	return y
}

func ratioText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) + "x" }

func timeText(ns float64) string { return time.Duration(ns).String() }

// conclude stores what was measured and ends the test accordingly.
func (r *outcome) conclude(t testing.TB, found string) {
	t.Helper()
	if text, err := json.MarshalIndent(r, "", "\t"); err == nil {
		path := filepath.Join(t.ArtifactDir(), "labtest-"+r.Name+".json")
		for n := 2; ; n++ { // of several in one test
			if _, err := os.Stat(path); err != nil {
				break
			}
			path = filepath.Join(t.ArtifactDir(), fmt.Sprintf("labtest-%s-%d.json", r.Name, n))
		}
		if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
			t.Logf("what was measured could not be stored: %v", err)
		}
	}
	text := "asked for " + r.Asked + "; found " + found
	switch r.Verdict {
	case pass:
		t.Log("labtest: " + text)
	case fail:
		t.Error("labtest: " + text)
	default:
		t.Skip("inconclusive: " + text + ": " + r.Reason)
	}
}
