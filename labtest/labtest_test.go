package labtest

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// fake is a testing.TB that records how the test ended.
type fake struct {
	testing.TB
	dir    string
	ended  string
	reason string
}

// wrongUse is the end of a test with impossible arguments.
const wrongUse = "wrong use"

func (f *fake) Helper()             {}
func (f *fake) Log(...any)          { f.ended = pass }
func (f *fake) Error(a ...any)      { f.ended, f.reason = fail, a[0].(string) }
func (f *fake) Skip(a ...any)       { f.ended, f.reason = inconclusive, a[0].(string); runtime.Goexit() }
func (f *fake) Fatal(a ...any)      { f.ended, f.reason = wrongUse, a[0].(string); runtime.Goexit() }
func (f *fake) ArtifactDir() string { return f.dir }

func (f *fake) Skipf(format string, a ...any) { f.Skip(fmt.Sprintf(format, a...)) }

// ending runs a test and returns how it ended.
func ending(t *testing.T, test func(*fake)) *fake {
	f := &fake{TB: t, dir: t.TempDir()}
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				f.ended, f.reason = "panic", fmt.Sprint(p)
			}
		}()
		test(f)
	}()
	<-done
	return f
}

// TestWrongUse checks that impossible arguments fail the test, with a message that says what is possible.
func TestWrongUse(t *testing.T) {
	nothing := func() {}
	speedup := func(o Options) func(*fake) { return func(f *fake) { Speedup(f, nothing, o) } }
	noSlower := func(o Options) func(*fake) { return func(f *fake) { NoSlowerThan(f, nothing, nothing, o) } }
	latency := func(o Options) func(*fake) { return func(f *fake) { Latency(f, nothing, o) } }
	for _, c := range []struct {
		test func(*fake)
		want string
	}{
		{speedup(Options{CPUs: -2}), "labtest.Speedup: Options.CPUs is -2: give 2 or more, or leave it " +
			"out for GOMAXPROCS"},
		{speedup(Options{CPUs: 1}), "labtest.Speedup: Options.CPUs is 1: give 2 or more, or leave it " +
			"out for GOMAXPROCS"},
		{speedup(Options{AtLeast: -1}), "labtest.Speedup: Options.AtLeast is -1: give a speed-up above 0, such as " +
			"1.5, or leave it out for 0.7 of CPUs"},
		{speedup(Options{AtLeast: math.NaN()}), "labtest.Speedup: Options.AtLeast is NaN: give a speed-up above 0, " +
			"such as 1.5, or leave it out for 0.7 of CPUs"},
		{speedup(Options{Blocks: -1, AtMost: 1}), "labtest.Speedup: Options.AtMost is 1ns, and Speedup reads no " +
			"AtMost: leave it out; Options.Blocks is -1: give 6 or more, or leave it out for 20"},
		{noSlower(Options{Within: -0.1}), "labtest.NoSlowerThan: Options.Within is -0.1: give a share above 0, such " +
			"as 0.1 for 10% more time, or leave it out for 0.05"},
		{noSlower(Options{Within: math.Inf(1)}), "labtest.NoSlowerThan: Options.Within is +Inf: give a share above " +
			"0, such as 0.1 for 10% more time, or leave it out for 0.05"},
		{noSlower(Options{Blocks: 5}), "labtest.NoSlowerThan: Options.Blocks is 5: give 6 or more, or " +
			"leave it out for 20"},
		{noSlower(Options{Quantile: math.NaN()}), "labtest.NoSlowerThan: Options.Quantile is NaN, and NoSlowerThan " +
			"reads no Quantile: leave it out"},
		{noSlower(Options{CPUs: 2, AtLeast: 2}), "labtest.NoSlowerThan: Options.CPUs is 2, and NoSlowerThan reads no " +
			"CPUs: leave it out; Options.AtLeast is 2, and NoSlowerThan reads no AtLeast: leave it out"},
		{latency(Options{}), "labtest.Latency: Options.AtMost is 0s: give the bound, a time above 0, such " +
			"as time.Millisecond"},
		{latency(Options{AtMost: 1, Quantile: 1}), "labtest.Latency: Options.Quantile is 1: give a number between 0 " +
			"and 1, such as 0.99, or leave it out for 0.5"},
		{latency(Options{AtMost: 1, Quantile: math.NaN()}), "labtest.Latency: Options.Quantile is NaN: give a number " +
			"between 0 and 1, such as 0.99, or leave it out for 0.5"},
		{latency(Options{AtMost: 1, Duration: -time.Second}), "labtest.Latency: Options.Duration is -1s: give a time " +
			"above 0, or leave it out for 20ms"},
		{latency(Options{AtMost: 1, Within: 0.1}), "labtest.Latency: Options.Within is 0.1, and Latency reads no " +
			"Within: leave it out"},
		{func(f *fake) { Speedup(f, nil, Options{}) }, "labtest.Speedup: f is nil: give the function to measure"},
		{func(f *fake) { NoSlowerThan(f, nil, nothing, Options{}) }, "labtest.NoSlowerThan: baseline is nil: give " +
			"the function to measure"},
		{func(f *fake) { NoSlowerThan(f, nil, nil, Options{}) }, "labtest.NoSlowerThan: baseline is nil: give the " +
			"function to measure; f is nil: give the function to measure"},
		{func(f *fake) { Latency(f, nil, Options{AtMost: 1}) }, "labtest.Latency: f is nil: give the " +
			"function to measure"},
	} {
		if f := ending(t, c.test); f.ended != wrongUse || f.reason != c.want {
			t.Errorf("%s: %s\nwant %s", f.ended, f.reason, c.want)
		}
	}
	// Too small a machine is no mistake of the caller.
	if f := ending(t, speedup(Options{CPUs: runtime.NumCPU() + 1})); f.ended != inconclusive {
		t.Errorf("more CPUs than there are: %s (%s)", f.ended, f.reason)
	}
}

// TestRead checks that each test accepts the options that its documentation names.
func TestRead(t *testing.T) {
	nothing := func() {}
	o := Options{Blocks: 6, Duration: time.Microsecond}
	for name, test := range map[string]func(*fake){
		"Speedup":      func(f *fake) { o := o; o.CPUs, o.AtLeast = 2, 1e-9; Speedup(f, nothing, o) },
		"NoSlowerThan": func(f *fake) { o := o; o.Within = 1e9; NoSlowerThan(f, nothing, nothing, o) },
		"Latency":      func(f *fake) { o := o; o.Quantile, o.AtMost = 0.1, time.Hour; Latency(f, nothing, o) },
	} {
		if f := ending(t, test); f.ended != pass && f.ended != inconclusive { // under load
			t.Errorf("%s: %s (%s)", name, f.ended, f.reason)
		}
	}
}

// TestStrict checks that an inconclusive test fails if its option or the environment is strict, and only then.
func TestStrict(t *testing.T) {
	t.Setenv("BREWPUT_STRICT", "0")
	conclude := func(o Options) func(*fake) {
		return func(f *fake) {
			r := outcome{Name: "ratio", Asked: "x", OtherCPUs: 0.5, Busiest: "web (PID 7), 0.45 of a CPU"}
			r.decide(true, false)
			r.conclude(f, "y", o)
		}
	}
	why := "want x; got y: other processes used 0.50 of a CPU during the test; the " +
		"busiest that still runs: web (PID 7), 0.45 of a CPU"
	check := func(name string, o Options, ended, reason string) {
		t.Helper()
		if f := ending(t, conclude(o)); f.ended != ended || f.reason != reason {
			t.Errorf("%s: %s (%s), want %s (%s)", name, f.ended, f.reason, ended, reason)
		}
	}
	strict := "inconclusive, and the test is strict: "
	check("default", Options{}, inconclusive, "inconclusive: "+why)
	check("option", Options{Strict: true}, wrongUse, strict+why)
	t.Setenv("BREWPUT_STRICT", "1")
	check("environment", Options{}, wrongUse, strict+why)
	f := ending(t, func(f *fake) { Speedup(f, func() {}, Options{CPUs: runtime.NumCPU() + 1}) })
	if f.ended != wrongUse {
		t.Errorf("strict, with more CPUs than there are: %s (%s)", f.ended, f.reason)
	}
}

// TestWords checks that numbers have 4 digits, or as many as keep them on their side of the bound.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		bound, found, low, high float64
		word                    func(float64) string
		asked, want             string
	}{
		{1.5, 1.45612, 1.4, 1.48888, ratioText, "1.5x", "1.456x (interval 1.4x to 1.489x)"},
		{1.5, 1.49996, 1.4, 1.499992, ratioText, "1.5x", "1.49996x (interval 1.4x to 1.49999x)"},
		{1.49996, 1.49994, 1.4, 1.499952, ratioText, "1.49996x", "1.49994x (interval 1.4x to 1.49995x)"},
		{math.Nextafter(1.14, 2), 1.13, 1.12, 1.15, ratioText, "1.14x", "1.13x (interval 1.12x to 1.15x)"},
		{1e6, 1000049, 1000003, 1100000, timeText, "1ms", "1.000049ms (interval 1.000003ms to 1.1ms)"},
		{1234567, 2345678, 2345678, 2345678, timeText, "1.234567ms", "2.346ms (interval 2.346ms to 2.346ms)"},
	} {
		r := outcome{Found: c.found, Low: c.low, High: c.high}
		if asked, found := r.words(c.bound, c.word); asked != c.asked || found != c.want {
			t.Errorf("%v: %s, %s; want %s, %s", c.bound, asked, found, c.asked, c.want)
		}
	}
}

// TestDecide checks the verdicts for intervals and for interference by other processes.
func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name             string
		low, high, cpus  float64
		throttled        float64
		want, wantReason string
	}{
		{"within", 1.01, 1.04, 0, 0, pass, ""},
		{"over", 1.06, 1.2, 0, 0, fail, "want x"},
		{"both", 1.01, 1.2, 0, 0, inconclusive, "more Blocks"},
		{"over, under load", 1.06, 1.2, 0.5, 0, inconclusive, "other processes used 0.50 of a CPU"},
		{"within, load unknown", 1.01, 1.04, -1, -1, pass, ""},
		{"over, stopped by a quota", 1.06, 1.2, 0, 3, inconclusive, "a CPU quota throttled the process in 3 periods"},
	} {
		f := ending(t, func(f *fake) {
			r := outcome{Name: "ratio", Asked: "x", Low: c.low, High: c.high, OtherCPUs: c.cpus,
				Throttled: c.throttled}
			r.decide(r.High <= 1.05, r.Low > 1.05)
			r.conclude(f, "y", Options{})
		})
		if f.ended != c.want || !strings.Contains(f.reason, c.wantReason) {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, f.ended, f.reason, c.want, c.wantReason)
		}
		text, err := os.ReadFile(filepath.Join(f.dir, "labtest-ratio.json"))
		if err != nil || !strings.Contains(string(text), `"verdict": "`+c.want+`"`) {
			t.Errorf("%s: stored %s, %v", c.name, text, err)
		}
	}
}

// TestCompared checks that both functions are measured in every block, in alternating order.
func TestCompared(t *testing.T) {
	var order []byte
	note := func(b byte) func() {
		return func() {
			if len(order) == 0 || order[len(order)-1] != b {
				order = append(order, b)
			}
		}
	}
	r := compared(side{note('a'), 1}, side{note('b'), 1}, Options{Blocks: 6, Duration: time.Microsecond})
	if len(r.A) != 6 || len(r.B) != 6 {
		t.Errorf("%d and %d blocks", len(r.A), len(r.B))
	}
	// The warm-up ab, then ab ba ab ba ab ba, without repetitions.
	if got := string(order); got != "ababababa" {
		t.Errorf("order %s", got)
	}
}

func TestQuantile(t *testing.T) {
	for q, want := range map[float64]float64{0: 1, 0.5: 2, 0.75: 3, 0.99: 4} {
		if got := quantile([]float64{4, 2, 3, 1}, q); got != want {
			t.Errorf("%v: %v, want %v", q, got, want)
		}
	}
}

// TestAlone checks that a test that measures cannot become parallel.
func TestAlone(t *testing.T) {
	t.Run("measuring", func(t *testing.T) {
		ending(t, func(f *fake) { new(Options).fill(f) })
		defer func() {
			if recover() == nil {
				t.Error("other tests may run beside it")
			}
		}()
		t.Parallel()
	})
}
