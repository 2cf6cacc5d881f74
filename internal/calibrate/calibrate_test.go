package calibrate

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/result"
)

// fakeCPU is a CPU with a speed and interruptions that the test sets.
type fakeCPU struct {
	t          time.Duration
	rate       float64 // iterations per nanosecond
	extra      func(burn int) time.Duration
	burns      int
	iterations []uint64
}

func (c *fakeCPU) stopwatch() stopwatch {
	return stopwatch{clock: ThreadClock, now: func() time.Duration { return c.t }, spin: c.spin}
}

func (c *fakeCPU) spin(n uint64) {
	c.t += time.Duration(math.Round(float64(n) / c.rate))
	if c.extra != nil {
		c.t += c.extra(c.burns)
	}
	c.burns++
	c.iterations = append(c.iterations, n)
}

func TestMeasureFindsTheRate(t *testing.T) {
	for _, rate := range []float64{0.05, 0.6, 3} {
		b, err := (&fakeCPU{rate: rate}).stopwatch().measure(10)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(b.Rate/rate-1) > 1e-5 {
			t.Errorf("rate %v, want %v", b.Rate, rate)
		}
		if off := b.Median - batch; off < -20 || off > 20 {
			t.Errorf("rate %v: checked burns last %v, want 1ms", rate, b.Median)
		}
		if b.Clock != ThreadClock || b.Measured.IsZero() || b.Stored {
			t.Errorf("got %+v", b)
		}
	}
}

// TestMeasureIsRobust: four of ten burns are lengthened. The median does not change, and the 95th percentile does.
func TestMeasureIsRobust(t *testing.T) {
	c := &fakeCPU{rate: 1, extra: func(burn int) time.Duration {
		if burn%10 < 4 {
			return 3 * time.Millisecond
		}
		return 0
	}}
	b, err := c.stopwatch().measure(100)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(b.Rate-1) > 1e-5 {
		t.Errorf("rate %v, want 1", b.Rate)
	}
	if b.Median != batch || b.P95 != batch+3*time.Millisecond {
		t.Errorf("median %v, p95 %v; want 1ms, 4ms", b.Median, b.P95)
	}
}

// TestMeasureWarmsUp: a CPU that starts slowly is measured after its frequency has risen.
func TestMeasureWarmsUp(t *testing.T) {
	c := &fakeCPU{rate: 1}
	c.extra = func(int) time.Duration {
		if c.t < warmUp {
			return c.t // twice as slow
		}
		return 0
	}
	b, err := c.stopwatch().measure(5)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(b.Rate-1) > 1e-5 {
		t.Errorf("rate %v, want 1", b.Rate)
	}
}

func TestMeasureErrors(t *testing.T) {
	if _, err := (&fakeCPU{rate: 1}).stopwatch().measure(0); err == nil ||
		!strings.Contains(err.Error(), "at least 1") {
		t.Errorf("no burns: %v", err)
	}
	still := stopwatch{clock: WallClock, now: func() time.Duration { return 0 }, spin: func(uint64) {}}
	if _, err := still.measure(1); err == nil || !strings.Contains(err.Error(), "wall") {
		t.Errorf("a clock that stands still: %v", err)
	}
}

func TestCheckAndProbe(t *testing.T) {
	c := &fakeCPU{rate: 2}
	if median, p95 := c.stopwatch().check(2.2, 3); median != 1100*time.Microsecond || p95 != median {
		t.Errorf("check: median %v, p95 %v; want 1.1ms", median, p95)
	}
	if want := []uint64{2.2e6, 2.2e6, 2.2e6}; !slices.Equal(c.iterations, want) {
		t.Errorf("check burnt %v iterations, want %v", c.iterations, want)
	}
	// The first burn and one of the counted ones are disturbed.
	c = &fakeCPU{rate: 2, extra: func(burn int) time.Duration {
		if burn < 2 {
			return time.Millisecond
		}
		return 0
	}}
	if x := c.stopwatch().ratio(2.2, 5); x != 1.1 {
		t.Errorf("probe %v, want 1.1", x)
	}
	if c.burns != 6 || c.iterations[0] != 1.1e6 {
		t.Errorf("probe burnt %v", c.iterations)
	}
}

// TestBurnRatio: a third of the burns takes a tenth longer, so the mean rises by a thirtieth. One burn in forty is
// interrupted by another process, and does not count.
func TestBurnRatio(t *testing.T) {
	c := &fakeCPU{rate: 2, extra: func(burn int) time.Duration {
		switch {
		case burn%40 == 1:
			return time.Millisecond
		case burn%3 == 0:
			return shortBurn / 10
		}
		return 0
	}}
	got := c.stopwatch().ratio(2, ratioBurns)
	slow, n := 0.0, 0.0
	for burn := 1; burn <= ratioBurns; burn++ {
		if burn%40 == 1 {
			continue
		}
		n++
		if burn%3 == 0 {
			slow++
		}
	}
	if want := 1 + 0.1*slow/n; math.Abs(got-want) > 1e-6 {
		t.Errorf("ratio %v, want %v", got, want)
	}
}

func TestQuantile(t *testing.T) {
	up := func(n int) (d []time.Duration) {
		for i := n; i > 0; i-- {
			d = append(d, time.Duration(i))
		}
		return d
	}
	for _, x := range []struct {
		n    int
		q    float64
		want time.Duration
	}{{1, 0.5, 1}, {1, 0.95, 1}, {2, 0.5, 1}, {5, 0.5, 3}, {15, 0.95, 15}, {100, 0.95, 95}, {3, 0, 1}} {
		if got := quantile(up(x.n), x.q); got != x.want {
			t.Errorf("quantile %v of 1..%d is %d, want %d", x.q, x.n, got, x.want)
		}
	}
}

func TestForSweep(t *testing.T) {
	const warmBurns = 50 // at most: the doubling, and 20 ms of burns of at least 0.5 ms
	dir := filepath.Join(t.TempDir(), "new", "cache")
	c := &fakeCPU{rate: 1}
	first, err := c.stopwatch().forSweep(dir, "ab12")
	if err != nil {
		t.Fatal(err)
	}
	if !first.Stored || first.Fingerprint != "ab12" || c.burns < reps {
		t.Errorf("nothing stored: got %+v after %d burns", first, c.burns)
	}

	// Within 1%: the stored rate is kept, with the check of today.
	c = &fakeCPU{rate: 1 / 1.0099}
	kept, err := c.stopwatch().forSweep(dir, "ab12")
	if err != nil {
		t.Fatal(err)
	}
	if kept.Rate != first.Rate || !kept.Measured.Equal(first.Measured) || !kept.Stored || c.burns > checks+warmBurns {
		t.Errorf("stored rate 1%% off: got %+v after %d burns, want %+v", kept, c.burns, first)
	}
	if !near(kept.Median) || kept.Median < 1009*time.Microsecond {
		t.Errorf("stored rate 1%% off: median %v, want 1.0099ms", kept.Median)
	}

	// Beyond 1%, in either direction, the rate is measured and stored again.
	for _, rate := range []float64{1 / 1.02, 1 / 0.98} {
		c = &fakeCPU{rate: rate}
		again, err := c.stopwatch().forSweep(dir, "ab12")
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(again.Rate/rate-1) > 1e-5 || c.burns < reps {
			t.Errorf("rate %v after %d burns, want %v", again.Rate, c.burns, rate)
		}
		if stored, ok := Load(dir, "ab12"); !ok || stored.Rate != again.Rate {
			t.Errorf("stored %+v %v, want %+v", stored, ok, again)
		}
	}
}

func TestForSweepTakesNoOtherClock(t *testing.T) {
	dir := t.TempDir()
	if err := Store(dir, result.Burn{Rate: 1, Clock: WallClock, Fingerprint: "m"}); err != nil {
		t.Fatal(err)
	}
	c := &fakeCPU{rate: 1}
	if b, err := c.stopwatch().forSweep(dir, "m"); err != nil || b.Clock != ThreadClock || c.burns < reps {
		t.Errorf("got %+v, %v after %d burns", b, err, c.burns)
	}
}

func TestForSweepWithoutCache(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := (&fakeCPU{rate: 1}).stopwatch().forSweep(filepath.Join(blocked, "cache"), "m")
	if err != nil || b.Stored || !usable(b) {
		t.Errorf("got %+v, %v; want a rate that is not stored", b, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	good := result.Burn{Rate: 0.7, Median: 1e6, P95: 2e6, Clock: ThreadClock, Fingerprint: "m",
		Measured: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	dir := t.TempDir()
	name := filepath.Join(dir, "burn-m.json")
	if err := Store(dir, good); err != nil {
		t.Fatal(err)
	}
	want := good
	want.Stored = true
	if b, ok := Load(dir, "m"); !ok || b != want {
		t.Fatalf("got %+v %v, want %+v", b, ok, want)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string][]byte{
		"empty":           {},
		"half":            text[:len(text)/2],
		"no object":       []byte("[]"),
		"rate 0":          bytes.Replace(text, []byte("0.7"), []byte("0"), 1),
		"negative rate":   bytes.Replace(text, []byte("0.7"), []byte("-1"), 1),
		"unknown clock":   bytes.Replace(text, []byte(ThreadClock), []byte("sundial"), 1),
		"another machine": bytes.Replace(text, []byte(`"m"`), []byte(`"n"`), 1),
	} {
		if bytes.Equal(bad, text) {
			t.Fatalf("%s: the file was not changed", what)
		}
		if err := os.WriteFile(name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if b, ok := Load(dir, "m"); ok {
			t.Errorf("%s: loaded %+v", what, b)
		}
	}
	if b, ok := Load(dir, "n"); ok {
		t.Errorf("a machine without a file: loaded %+v", b)
	}
}

func TestStoreLeavesOneFile(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := Store(dir, result.Burn{Rate: 1, Clock: ThreadClock, Fingerprint: "m"}); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v; want burn-m.json alone", entries, err)
	}
	for _, bad := range []string{"", "a/b", `a\b`, "/", "../m", "c:m"} {
		if err := Store(dir, result.Burn{Fingerprint: bad}); err == nil {
			t.Errorf("fingerprint %q was stored", bad)
		}
	}
}

// TestLive uses the real clock and the real loop. It checks only what holds at any speed.
func TestLive(t *testing.T) {
	b, err := locked(func(s stopwatch) (result.Burn, error) { return s.measure(3) })
	if err != nil {
		t.Fatal(err)
	}
	if !usable(b) || b.Median <= 0 || b.P95 < b.Median {
		t.Errorf("got %+v", b)
	}
	if x := Probe(b.Rate); !(x > 0) {
		t.Errorf("probe: %v", x)
	}
}
