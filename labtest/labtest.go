// Package labtest tests performance in go test: that a function is faster on more CPUs, that it is no slower than
// another, that its latency stays under a bound.
//
// A test passes, fails, or is inconclusive: then it is skipped, with the reason. It fails only where the interval of what
// was measured excludes what was asked for, and passes only where the interval lies within it; the chance of either being
// wrong is at most 5 %. What is measured of two sides is measured block by block, in an order that changes, so that what
// the machine does meanwhile falls on both.
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
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/stat"
)

// Options say what is asked for. Each test says which of them it reads.
type Options struct {
	CPUs     int           // Speedup: compared with one CPU; default GOMAXPROCS
	AtLeast  float64       // Speedup: the least speed-up; default 0.7 of CPUs
	Within   float64       // NoSlowerThan: 0.05 allows 5 % more time; default 0.05
	Quantile float64       // Latency: of all calls, such as 0.99; default 0.5
	AtMost   time.Duration // Latency: the bound

	Blocks   int           // how often each side is measured; default 20, at least 6
	Duration time.Duration // of one measurement; default 20ms
}

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

// Speedup tests that f is at least AtLeast times as fast on CPUs CPUs as on one. f uses the CPUs itself; GOMAXPROCS is set
// for it.
func Speedup(t testing.TB, f func(), o Options) {
	t.Helper()
	if o.CPUs == 0 {
		o.CPUs = runtime.GOMAXPROCS(0) // which a quota of the container makes fewer than there are
	}
	if o.AtLeast == 0 {
		o.AtLeast = 0.7 * float64(o.CPUs)
	}
	o.fill(t)
	if o.CPUs < 2 || o.CPUs > runtime.NumCPU() {
		t.Skipf("inconclusive: a speed-up on %d CPUs cannot be seen on a machine of %d", o.CPUs, runtime.NumCPU())
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := compared(side{f, 1}, side{f, o.CPUs}, o)
	r.Name = "speedup"
	r.Asked = fmt.Sprintf("a speed-up of at least %.3g on %d CPUs", o.AtLeast, o.CPUs)
	r.decide(r.Low >= o.AtLeast, r.High < o.AtLeast)
	r.conclude(t, fmt.Sprintf("%.3gx", r.Found))
}

// NoSlowerThan tests that f takes at most 1+Within times the time of baseline.
func NoSlowerThan(t testing.TB, baseline, f func(), o Options) {
	t.Helper()
	if o.Within == 0 {
		o.Within = 0.05
	}
	o.fill(t)
	n := runtime.GOMAXPROCS(0)
	r := compared(side{f, n}, side{baseline, n}, o)
	r.Name = "no-slower"
	r.Asked = fmt.Sprintf("at most %.3g times the time of the baseline", 1+o.Within)
	r.decide(r.High <= 1+o.Within, r.Low > 1+o.Within)
	r.conclude(t, fmt.Sprintf("%.3g times", r.Found))
}

// Latency tests that the quantile of the times that calls of f take is at most AtMost. The interval is that of the
// median of the blocks' quantiles; reading the clock, some 50ns, is part of each time.
func Latency(t testing.TB, f func(), o Options) {
	t.Helper()
	if o.Quantile == 0 {
		o.Quantile = 0.5
	}
	o.fill(t)
	if o.AtMost <= 0 || o.Quantile < 0 || o.Quantile >= 1 {
		t.Fatalf("labtest.Latency needs AtMost and a Quantile from 0 to below 1, not %v and %v", o.AtMost, o.Quantile)
	}
	r := outcome{Name: "latency", CPUs: runtime.GOMAXPROCS(0), Asked: fmt.Sprintf("a %.4g quantile of at most %v", o.Quantile, o.AtMost)}
	seen := watch()
	calls := math.MaxInt
	for range o.Blocks {
		times := latencies(f, o.Duration)
		calls = min(calls, len(times))
		r.A = append(r.A, quantile(times, o.Quantile))
	}
	r.Busy, r.Throttled = seen()
	var ok bool
	r.Found, r.Low, r.High, ok = stat.MedianInterval(r.A, confidence)
	bound := float64(o.AtMost)
	r.decide(ok && r.High <= bound, ok && r.Low > bound)
	if float64(calls)*(1-o.Quantile) < 10 {
		r.Verdict, r.Reason = inconclusive, fmt.Sprintf("a block holds %d calls, too few for this quantile; give a longer Duration", calls)
	}
	r.Duration = o.Duration.String()
	r.conclude(t, fmt.Sprintf("%v", time.Duration(r.Found)))
}

// fill sets defaults, and skips where times say nothing.
func (o *Options) fill(t testing.TB) {
	t.Helper()
	t.Setenv("BREWPUT_LABTEST", "alone") // which no parallel test may do: what runs beside it would be measured too
	if o.Blocks == 0 {
		o.Blocks = 20
	}
	if o.Duration == 0 {
		o.Duration = 20 * time.Millisecond
	}
	if o.Blocks < 6 || o.Duration < 0 || o.AtLeast < 0 || o.Within < 0 {
		t.Fatalf("labtest: %d blocks of %v: at least 6 of a positive duration are needed, and nothing negative", o.Blocks, o.Duration)
	}
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
		r.Verdict, r.Reason = inconclusive, fmt.Sprintf("a CPU quota stopped the process in %.0f periods: ask for fewer CPUs, or raise the quota", r.Throttled)
	case within:
		r.Verdict = pass
	case excluded:
		r.Verdict = fail
	default:
		r.Verdict, r.Reason = inconclusive, "the interval holds both what was asked for and what was not; give more Blocks or a longer Duration"
	}
}

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
	text := fmt.Sprintf("asked for %s; found %s (interval %.4g to %.4g)", r.Asked, found, r.Low, r.High)
	switch r.Verdict {
	case pass:
		t.Log("labtest: " + text)
	case fail:
		t.Error("labtest: " + text)
	default:
		t.Skip("inconclusive: " + text + ": " + r.Reason)
	}
}
