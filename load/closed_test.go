package load

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/hist"
)

// runLoad runs a closed loop in a bubble, where Sleep takes no real time and exactly its own.
func runLoad(t *testing.T, c Closed) (l ClosedResult, opened, closed time.Duration, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := live.New(live.Config{})
		var e0 env.Env
		c.AtBegin = func() { opened = e0.Now() }
		c.AtEnd = func() { closed = e0.Now() }
		left := w.Run("load", func(e env.Env) {
			e0 = e
			l, err = c.Run(e)
		})
		if left != nil {
			t.Error(left)
		}
	})
	return l, opened, closed, err
}

func sleepFor(d time.Duration) func(env.Env, uint64) {
	return func(e env.Env, _ uint64) { e.Sleep(d) }
}

func TestWindow(t *testing.T) {
	// Operations of 30 ms end at 30, 60, 90, ...; the window is [100, 250).
	l, opened, closed, err := runLoad(t,
		Closed{Op: sleepFor(30 * time.Millisecond), Workers: 2, Warmup: 100 * time.Millisecond,
			Window: 150 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if opened != 100*time.Millisecond || closed != 250*time.Millisecond {
		t.Errorf("the window was [%v, %v)", opened, closed)
	}
	if l.Inside != 10 { // 120, 150, 180, 210, 240, twice
		t.Errorf("%d operations ended inside the window, want 10", l.Inside)
	}
	if l.Total != 18 && l.Total != 19 { // up to 270, and one more by a worker that does not see the end yet
		t.Errorf("%d operations in all, want 18 or 19", l.Total)
	}
	if l.Window != 150*time.Millisecond || l.Concurrency != 2 {
		t.Errorf("window %v, concurrency %v", l.Window, l.Concurrency)
	}
	if l.Latency.Count() != 10 || l.Latency.Mean() != 30e6 {
		t.Errorf("%d latencies with mean %v ns", l.Latency.Count(), l.Latency.Mean())
	}
}

func TestOperationLongerThanTheWindow(t *testing.T) {
	_, _, _, err := runLoad(t, Closed{Op: sleepFor(time.Second), Workers: 1, Window: 10 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "use a longer duration") {
		t.Errorf("error %v", err)
	}
}

func TestOperationsInsteadOfWindow(t *testing.T) {
	l, _, closed, err := runLoad(t, Closed{Op: sleepFor(10 * time.Millisecond), Workers: 3, Operations: 7})
	if err != nil {
		t.Fatal(err)
	}
	if l.Total != 7 || l.Inside != 7 || l.Latency.Count() != 7 {
		t.Errorf("total %d inside %d latencies %d, want 7", l.Total, l.Inside, l.Latency.Count())
	}
	if l.Window != 30*time.Millisecond || closed != 30*time.Millisecond { // the shares are 3, 2, 2
		t.Errorf("window %v, closed at %v, want 30ms", l.Window, closed)
	}
}

func TestSampled(t *testing.T) {
	l, _, _, err := runLoad(t, Closed{Op: sleepFor(time.Millisecond), Workers: 1, Window: 100 * time.Millisecond,
		Sample: 10})
	if err != nil {
		t.Fatal(err)
	}
	// Groups of ten end at 10, 20, ..., 100 ms; the last is outside.
	if l.Inside != 90 || l.Latency.Count() != 9 || l.Latency.Mean() != 1e6 {
		t.Errorf("inside %d, %d latencies with mean %v", l.Inside, l.Latency.Count(), l.Latency.Mean())
	}
}

// TestProgress: operations across the ends of the window count by their share inside, so that operations of
// equal length make exactly the window by that length, wherever its ends fall.
func TestProgress(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []Closed{
		{Op: sleepFor(30 * ms), Workers: 2, Warmup: 100 * ms, Window: 150 * ms},
		{Op: sleepFor(7 * ms), Workers: 3, Warmup: 100 * ms, Window: 150 * ms},
		{Op: sleepFor(100 * ms), Workers: 1, Warmup: 90 * ms, Window: 20 * ms}, // one end inside
		{Op: sleepFor(13 * ms), Workers: 5, Window: 100 * ms},
		{Op: sleepFor(ms), Workers: 2, Warmup: 5 * ms, Window: 95 * ms, Sample: 10},
	} {
		l, _, _, err := runLoad(t, c)
		if err != nil {
			t.Fatal(err)
		}
		d := l.Latency.Mean()
		if want := float64(c.Workers) * float64(c.Window) / d; math.Abs(l.Progress-want) > 1e-9*want {
			t.Errorf("operations of %v ns in %v by %d workers: progress %v, want %v", d, c.Window, c.Workers,
				l.Progress, want)
		}
	}
	if l, _, _, err := runLoad(t, Closed{Op: sleepFor(ms), Workers: 3, Operations: 7}); err != nil || l.Progress != 7 {
		t.Errorf("7 operations that are counted out: progress %v, %v", l.Progress, err)
	}
}

// TestProgressIsUnbiased: operations of random length, of which long ones lie across an end more often.
func TestProgressIsUnbiased(t *testing.T) {
	const windows, workers = 400, 4
	sum, squares, counted := 0.0, 0.0, 0.0
	for seed := range uint64(windows) {
		var random [workers]*rand.Rand
		for i := range random {
			random[i] = rand.New(rand.NewPCG(seed, uint64(i)))
		}
		op := func(e env.Env, request uint64) { // 1 ms or 19 ms, as often
			e.Sleep(time.Duration(1+18*random[request%workers].IntN(2)) * time.Millisecond)
		}
		l, _, _, err := runLoad(t, Closed{Op: op, Workers: workers, Warmup: 200 * time.Millisecond,
			Window: 45 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		sum, squares, counted = sum+l.Progress, squares+l.Progress*l.Progress, counted+float64(l.Inside)
	}
	mean := sum / windows
	se := math.Sqrt((squares/windows - mean*mean) / windows)
	if want := float64(workers * 45 / 10); math.Abs(mean-want) > 3*se || se > 0.4 {
		t.Errorf("progress %.3f with a standard error of %.3f, want %v; counted %.3f", mean, se, want, counted/windows)
	}
}

// TestLoadGoesOn until the last operation across the window's end is done: it takes as long as under load.
func TestLoadGoesOn(t *testing.T) {
	op := func(e env.Env, request uint64) {
		if request%2 == 0 {
			e.Sleep(95 * time.Millisecond)
		} else {
			e.Sleep(10 * time.Millisecond)
		}
	}
	for window, want := range map[time.Duration]int64{
		50 * time.Millisecond: 1 + 10, // the other goes on to 100 ms
		30 * time.Millisecond: 1 + 6,  // but no longer than another window
	} {
		l, _, _, err := runLoad(t, Closed{Op: op, Workers: 2, Window: window})
		if err != nil || l.Total != want {
			t.Errorf("a window of %v: %d operations in all, %v; want %d", window, l.Total, err, want)
		}
	}
}

// TestRequestNumbers checks that each request is served once: its number is the key of random draws.
func TestRequestNumbers(t *testing.T) {
	seen := make([]int, 10)
	_, _, _, err := runLoad(t, Closed{Op: func(e env.Env, request uint64) {
		seen[request]++
		e.Sleep(time.Millisecond)
	}, Workers: 3, Operations: 10})
	if err != nil {
		t.Fatal(err)
	}
	for r, n := range seen {
		if n != 1 {
			t.Errorf("request %d was served %d times", r, n)
		}
	}
}

// TestRecorders: workers that run at the same time have a recorder each, others share one.
func TestRecorders(t *testing.T) {
	for oneByOne, want := range map[bool]int{false: 3, true: 1} {
		c := Closed{Workers: 3, OneByOne: oneByOne}
		tallies, recorders := newTallies(3, c.recorders())
		seen := map[*hist.Recorder]bool{}
		for _, t := range tallies {
			seen[t.latency] = true
		}
		if len(recorders) != want || len(seen) != want || !seen[recorders[0]] {
			t.Errorf("one by one %t: %d recorders, of which %d are used, want %d", oneByOne, len(recorders), len(seen),
				want)
		}
		free(recorders)
	}
}

// TestLittle breaks the identity on purpose: a worker's lost time must be noticed.
func TestLittle(t *testing.T) {
	c := Closed{Workers: 2, Window: time.Second}
	sum := func(a, b tally) (ClosedResult, error) {
		return c.sum([]tally{a, b}, []*hist.Recorder{a.latency, b.latency}, 0, 0, time.Second)
	}
	full := tally{latency: histOf(time.Second), inside: 1, total: 1}
	if _, err := sum(full, full); err != nil {
		t.Errorf("a full window is refused: %v", err)
	}
	short := tally{latency: histOf(400 * time.Millisecond), inside: 1, total: 1}
	_, err := sum(full, short)
	if err == nil || !strings.Contains(err.Error(), "2 workers were requested and 1.400 observed") {
		t.Errorf("lost time: %v", err)
	}
	edges := tally{latency: histOf(900 * time.Millisecond), early: 100 * time.Millisecond, late: 200 * time.Millisecond,
		inside: 1}
	if l, err := sum(full, edges); err != nil || l.Concurrency != 2 {
		t.Errorf("operations across the edges: %v, %v", l.Concurrency, err)
	}
}

func TestShare(t *testing.T) {
	for _, n := range []int64{0, 1, 7, 100} {
		for w := 1; w <= 9; w++ {
			sum := int64(0)
			for i := range w {
				sum += share(n, w, i)
			}
			if sum != n {
				t.Errorf("%d operations over %d Workers: %d", n, w, sum)
			}
		}
	}
}
