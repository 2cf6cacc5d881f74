package load

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
)

// times are the first n arrivals.
func times(a Arrivals, n int) []time.Duration {
	s := newSource(a, env.Rand{})
	var list []time.Duration
	for range n {
		_, at := s.peek()
		list = append(list, at)
		s.advance()
	}
	return list
}

func TestArrivals(t *testing.T) {
	if got := fmt.Sprint(times(Arrivals{Kind: Constant, Rate: 100}, 3)); got != "[5ms 15ms 25ms]" {
		t.Errorf("constant: %s", got)
	}
	gaps := []time.Duration{ms, 3 * ms}
	if got := fmt.Sprint(times(Arrivals{Gaps: gaps}, 4)); got != "[1ms 4ms 5ms 8ms]" {
		t.Errorf("recorded: %s", got)
	}
	if got := fmt.Sprint(times(Arrivals{Gaps: gaps, Rate: 250}, 4)); got != "[2ms 8ms 10ms 16ms]" {
		t.Errorf("recorded, at half the rate: %s", got)
	}
}

// TestPoisson: gaps of a Poisson process have mean and standard deviation 1/rate, and in a window as
// long as 10 gaps its counts have mean and variance 10.
func TestPoisson(t *testing.T) {
	const n, rate = 200_000, 1000.0
	all := times(Arrivals{Kind: Poisson, Rate: rate}, n)
	var sum, squares float64
	counts := map[time.Duration]float64{}
	for i, at := range all {
		gap := float64(at)
		if i > 0 {
			gap -= float64(all[i-1])
		}
		sum, squares = sum+gap, squares+gap*gap
		counts[at/(10*ms)]++
	}
	mean := sum / n
	if sd := math.Sqrt(squares/n - mean*mean); math.Abs(mean/1e6-1) > 0.01 || math.Abs(sd/1e6-1) > 0.01 {
		t.Errorf("gaps of %.4g ns with standard deviation %.4g, want 1e6 each", mean, sd)
	}
	variance, windows := 0.0, float64(all[n-1]/(10*ms))
	for w := range time.Duration(windows) {
		variance += (counts[w] - 10) * (counts[w] - 10) / windows
	}
	if math.Abs(variance/10-1) > 0.04 { // its standard error is sqrt(2/20,000) = 1 %
		t.Errorf("the variance of counts is %.3g, want 10", variance)
	}
}

func TestReadGaps(t *testing.T) {
	gaps, err := ReadGaps(strings.NewReader("# a comment\n0\n\n 0.5 \n750ms\n0.75\n1e0\n"))
	if err != nil || fmt.Sprint(gaps) != "[0s 500ms 250ms 0s 250ms]" || RateOf(gaps) != 5 {
		t.Errorf("%v, %v, rate %v", gaps, err, RateOf(gaps))
	}
	for text, want := range map[string]string{
		"":        "no arrival after time 0",
		"0\n0\n":  "no arrival after time 0",
		"1\nx\n":  `line 2: "x" is not a time`,
		"-1\n":    `line 1: "-1" is not a time`,
		"NaN\n":   `line 1: "NaN" is not a time`,
		"-3ms\n":  `line 1: "-3ms" is not a time`,
		"1e300\n": `line 1: "1e300" is not a time`,
		"1700000000\n1700000001\n": "the first arrival is at 1700000000 s and all others within 1s of it: times " +
			"count from the start; subtract 1700000000 s from all",
		"2\n# c\n\n1.5s\n": "line 4: 1.5s is before the arrival of the line above, 2s; sort the times",
	} {
		if _, err := ReadGaps(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestReadGapsWithAPause: a wait before the first that is shorter than the rest is part of what is repeated, and
// of a single arrival it is all there is.
func TestReadGapsWithAPause(t *testing.T) {
	for text, want := range map[string]string{"0.25": "[250ms]", "0.3\n0.31\n0.61\n": "[300ms 10ms 300ms]"} {
		if gaps, err := ReadGaps(strings.NewReader(text)); err != nil || fmt.Sprint(gaps) != want {
			t.Errorf("%q: %v, %v, want %s", text, gaps, err, want)
		}
	}
}

func FuzzReadGaps(f *testing.F) {
	f.Add("0.5\n1s\n")
	f.Add("# x\n\n1e-9\n")
	f.Fuzz(func(t *testing.T, text string) {
		gaps, err := ReadGaps(strings.NewReader(text))
		if err != nil {
			return
		}
		sum := time.Duration(0)
		for _, g := range gaps {
			if g < 0 {
				t.Fatalf("a gap of %v", g)
			}
			sum += g
		}
		if sum <= 0 || !(RateOf(gaps) > 0) {
			t.Fatalf("gaps of %v in all, rate %v", sum, RateOf(gaps))
		}
	})
}

func TestValidate(t *testing.T) {
	good := Open{Workers: 1, Arrivals: Arrivals{Rate: 10}, Window: time.Second, Op: func(env.Env, uint64) {}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*Open){
		"needs a worker":  func(o *Open) { o.Workers = 0 },
		"rate of 0 sends": func(o *Open) { o.Arrivals.Rate = 0 },
		"beyond the":      func(o *Open) { o.Arrivals.Rate = 2e6 },
		"beyond":          func(o *Open) { o.Arrivals = Arrivals{Gaps: []time.Duration{1}} },
		"negative":        func(o *Open) { o.Patience = -1 },
		"window":          func(o *Open) { o.Window = 0 },
		"an operation":    func(o *Open) { o.Op = nil },
		"must be Remote":  func(o *Open) { o.Send = transmit(nil) },
	} {
		o := good
		spoil(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestTimes checks that a run sends its requests at the times that Times returns for its seed.
func TestTimes(t *testing.T) {
	for _, a := range []Arrivals{{Kind: Poisson, Rate: 50}, {Kind: Constant, Rate: 50},
		{Gaps: []time.Duration{ms, 30 * ms}}} {
		var mu sync.Mutex
		sent := map[uint64]time.Duration{}
		var rand env.Rand
		runOpen(t, Open{Workers: 9, Arrivals: a, QueueLimit: -1, Warmup: time.Second, Window: 5 * time.Second,
			Op: func(e env.Env, request uint64) {
				mu.Lock()
				defer mu.Unlock()
				sent[request], rand = e.Now(), e.Rand()
			}})
		times := a.Times(rand, 6*time.Second)
		if len(times) < len(sent)-1 || len(sent) < 200 {
			t.Errorf("%v: %d requests, but %d times", a, len(sent), len(times))
		}
		for i, at := range times {
			if sent[uint64(i)] != at {
				t.Errorf("%v: request %d was sent at %v, not %v", a, i, sent[uint64(i)], at)
			}
		}
	}
}
