// Package labtest tests performance with go test: that a function scales with CPUs, that it is no slower than another
// one, or that its latency stays below a bound.
//
//	func TestScales(t *testing.T) {
//		labtest.Speedup(t, func() { sum(data) }, labtest.Options{CPUs: 2, AtLeast: 1.5})
//	}
//
// A test passes if the whole confidence interval meets the requirement, and fails if the whole interval violates it.
// Each error has a probability of at most 5%. Otherwise the test is inconclusive, as it is if other processes used the
// CPUs; the reason names the busiest that still runs. An inconclusive test is skipped, or fails if [Options].Strict is
// set or the environment has BREWPUT_STRICT=1. Two functions are measured in interleaved blocks of alternating order,
// so that changes of the machine affect both.
//
// Under the race detector, with coverage and with -short, where times would be meaningless, every test is skipped. The
// measured blocks are stored in [testing.T.ArtifactDir].
//
// All functions run in the process of the test and share its heap. A garbage collection runs before each measurement;
// its time is not measured.
//
// No test that uses this package can run in parallel with others: [testing.T.Parallel] panics in it.
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

// confidence is the two-sided confidence of every interval: each end is wrong with a probability of 5%.
const confidence = 0.90

// outcome is the result of a test, as it is stored.
type outcome struct {
	Name    string    `json:"name"`
	Asked   string    `json:"asked"`       // the requirement in words
	Found   float64   `json:"found"`       // estimate of the ratio, or of the quantile in ns
	Low     float64   `json:"low"`         // confidence interval of Found
	High    float64   `json:"high"`        //
	A       []float64 `json:"a"`           // ns an operation, by block
	B       []float64 `json:"b,omitempty"` // the same for the second function
	Verdict string    `json:"verdict"`     // pass, fail or inconclusive
	Reason  string    `json:"reason,omitempty"`
	CPUs    int       `json:"cpus"`
	// OtherCPUs is the mean number of CPUs that other processes used; negative if it is not known.
	OtherCPUs float64 `json:"others_cpus"`
	// Busiest is the other process that still runs and used most CPU time; "" if it is not known.
	Busiest string `json:"busiest,omitempty"`
	// Throttled is the number of periods in which a CPU quota stopped the process; negative if it is not known.
	Throttled float64 `json:"throttled_periods"`
	Duration  string  `json:"duration"` // of one measurement
}

// Speedup tests that f is at least AtLeast times as fast on CPUs CPUs as on one. It sets GOMAXPROCS during the test; f
// has to use the CPUs itself. Options: CPUs, AtLeast, Blocks and Duration.
func Speedup(t testing.TB, f func(), o Options) {
	t.Helper()
	o.check(t, "Speedup", map[string]func(){"f": f}, "CPUs", "AtLeast", "Blocks", "Duration")
	o.fill(t)
	switch {
	case o.CPUs < 2:
		o.inconclusive(t, "GOMAXPROCS is 1, and a speed-up needs 2 CPUs or more")
	case o.CPUs > runtime.NumCPU():
		o.inconclusive(t, fmt.Sprintf("a speed-up on %d CPUs cannot be measured on a machine with %d", o.CPUs,
			runtime.NumCPU()))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := compared(side{f, 1}, side{f, o.CPUs}, o)
	r.Name = "speedup"
	asked, found := r.words(o.AtLeast, ratioText)
	r.Asked = fmt.Sprintf("a speed-up of at least %s on %d CPUs", asked, o.CPUs)
	r.decide(r.Low >= o.AtLeast, r.High < o.AtLeast)
	r.conclude(t, found, o)
}

// NoSlowerThan tests that f takes at most 1+Within times the time of baseline. Options: Within, Blocks and Duration.
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
	r.conclude(t, found, o)
}

// Latency tests that a quantile of the times of calls of f is at most AtMost. Its interval is that of the median of the
// blocks' quantiles. Each time includes a clock read of about 50ns. Options: AtMost, which must be set, Quantile,
// Blocks and Duration.
func Latency(t testing.TB, f func(), o Options) {
	t.Helper()
	o.check(t, "Latency", map[string]func(){"f": f}, "Quantile", "AtMost", "Blocks", "Duration")
	o.fill(t)

	r := outcome{Name: "latency", CPUs: runtime.GOMAXPROCS(0)}
	interference := watch()
	calls := math.MaxInt
	for range o.Blocks {
		times := latencies(f, o.Duration)
		calls = min(calls, len(times))
		r.A = append(r.A, quantile(times, o.Quantile))
	}
	interference(&r)

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
	r.conclude(t, found, o)
}

// inconclusive skips the test, or fails it if it is strict.
func (o Options) inconclusive(t testing.TB, why string) {
	t.Helper()
	if o.Strict || strictEnvironment() {
		t.Fatal("inconclusive, and the test is strict: " + why)
	}
	t.Skip("inconclusive: " + why)
}

// strictEnvironment reports whether all tests are strict.
func strictEnvironment() bool {
	strict, _ := strconv.ParseBool(os.Getenv("BREWPUT_STRICT"))
	return strict
}

// fill sets defaults, and skips the test if times would be meaningless.
func (o *Options) fill(t testing.TB) {
	t.Helper()
	// Setenv panics in a parallel test, whose neighbours would be measured too.
	t.Setenv("BREWPUT_LABTEST", "alone")

	o.CPUs = cmp.Or(o.CPUs, runtime.GOMAXPROCS(0)) // respects the CPU quota of a container
	o.AtLeast = cmp.Or(o.AtLeast, defaultEfficiency*float64(o.CPUs))
	o.Within = cmp.Or(o.Within, defaultWithin)
	o.Quantile = cmp.Or(o.Quantile, defaultQuantile)
	o.Blocks = cmp.Or(o.Blocks, defaultBlocks)
	o.Duration = cmp.Or(o.Duration, defaultDuration)

	switch race := host.Read().Race; {
	case testing.Short():
		t.Skip("inconclusive: -short measures nothing")
	case race != nil && *race:
		t.Skip("inconclusive: the race detector distorts times")
	case testing.CoverMode() != "":
		t.Skip("inconclusive: coverage distorts times")
	}
}

// The verdicts of a test.
const (
	pass         = "pass"
	fail         = "fail"
	inconclusive = "inconclusive"
)

// othersLimit is the mean number of CPUs that other processes may use during a test.
const othersLimit = 0.10

// decide sets the verdict. The interval meets the requirement if within is true, and violates it if excluded is true.
func (r *outcome) decide(within, excluded bool) {
	switch {
	case r.OtherCPUs > othersLimit:
		r.Verdict, r.Reason = inconclusive, fmt.Sprintf("other processes used %.2f of a CPU during the test; the "+
			"busiest that still runs: %s",
			r.OtherCPUs, cmp.Or(r.Busiest, "unavailable"))
	case r.Throttled > 0:
		r.Verdict, r.Reason = inconclusive,
			fmt.Sprintf("a CPU quota throttled the process in %.0f periods: use fewer CPUs, or raise the quota",
				r.Throttled)
	case within:
		r.Verdict = pass
	case excluded:
		r.Verdict = fail
	default:
		r.Verdict, r.Reason = inconclusive, "the interval includes the limit; give more Blocks or a longer Duration"
	}
}

// words returns the bound, and the estimate with its interval, as text. They have 4 significant digits, or more if
// rounding moved a number across the bound: a test that fails by a small margin must not look as if it passed.
func (r *outcome) words(bound float64, word func(float64) string) (asked, found string) {
	digits := 4
	crosses := func(x float64) bool { return cmp.Compare(rounded(x, digits), bound) != cmp.Compare(x, bound) }
	for digits < 17 && (crosses(r.Found) || crosses(r.Low) || crosses(r.High)) {
		digits++
	}
	in := func(x float64) string { return word(rounded(x, digits)) }
	return word(rounded(bound, 15)), fmt.Sprintf("%s (interval %s to %s)", in(r.Found), in(r.Low), in(r.High))
}

// rounded returns x rounded to a number of significant digits.
func rounded(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	return y
}

func ratioText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) + "x" }

func timeText(ns float64) string { return time.Duration(ns).String() }

// conclude stores the outcome and passes, fails or skips the test.
func (r *outcome) conclude(t testing.TB, found string, o Options) {
	t.Helper()
	if text, err := json.MarshalIndent(r, "", "\t"); err == nil {
		path := filepath.Join(t.ArtifactDir(), "labtest-"+r.Name+".json")
		for n := 2; ; n++ { // a test may call this package several times
			if _, err := os.Stat(path); err != nil {
				break
			}
			path = filepath.Join(t.ArtifactDir(), fmt.Sprintf("labtest-%s-%d.json", r.Name, n))
		}
		if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
			t.Logf("the measurements could not be stored: %v", err)
		}
	}
	text := "want " + r.Asked + "; got " + found
	switch r.Verdict {
	case pass:
		t.Log("labtest: " + text)
	case fail:
		t.Error("labtest: " + text)
	default:
		o.inconclusive(t, text+": "+r.Reason)
	}
}
