package host

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"github.com/brewput/brewput/result"
)

func near(a result.Value, b float64) bool { return math.Abs(float64(a)-b) <= 1e-12*math.Abs(b) }

func TestSpread(t *testing.T) {
	inf := math.Inf(1)
	edges := []float64{-inf, 0, 1, 2, 4, inf}
	hist := func(counts ...uint64) *metrics.Float64Histogram {
		return &metrics.Float64Histogram{Counts: counts, Buckets: edges}
	}
	for _, x := range []struct {
		name           string
		later, earlier *metrics.Float64Histogram
		mean, median   float64 // NaN: unavailable
	}{
		{"nothing between", hist(1, 2, 3, 4, 5), hist(1, 2, 3, 4, 5), math.NaN(), math.NaN()},
		{"one bucket", hist(0, 7, 100, 0, 0), hist(0, 7, 0, 0, 0), 1.5, 1.5},
		{"two buckets", hist(0, 30, 0, 10, 0), hist(0, 0, 0, 0, 0), (30*0.5 + 10*3) / 40, 2.0 / 3},
		{"open below", hist(20, 0, 0, 0, 0), hist(0, 0, 0, 0, 0), 0, 0},
		{"open above", hist(0, 0, 0, 0, 20), hist(0, 0, 0, 0, 0), 4, 4},
		{"too few for the median", hist(0, 0, 19, 0, 0), hist(0, 0, 0, 0, 0), 1.5, math.NaN()},
	} {
		s, ok := difference(x.later, x.earlier)
		if !ok {
			t.Errorf("%s: no difference", x.name)
			continue
		}
		for what, v := range map[string][2]float64{"mean": {float64(s.mean()), x.mean},
			"median": {float64(s.quantile(0.5)), x.median}} {
			if got, want := v[0], v[1]; math.IsNaN(got) != math.IsNaN(want) ||
				!math.IsNaN(want) && math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %s %v, want %v", x.name, what, got, want)
			}
		}
	}
	for name, pair := range map[string][2]*metrics.Float64Histogram{
		"missing":       {nil, hist(0, 0, 0, 0, 0)},
		"other buckets": {hist(0, 0, 0, 0, 0), hist(0, 0)},
		"backwards":     {hist(0, 1, 0, 0, 0), hist(0, 2, 0, 0, 0)},
	} {
		if _, ok := difference(pair[0], pair[1]); ok {
			t.Errorf("%s: a difference", name)
		}
	}
}

// TestSpreadQuantileNeedsValues checks that a quantile needs 10 values beyond it.
func TestSpreadQuantileNeedsValues(t *testing.T) {
	for n, want := range map[uint64]bool{999: false, 1000: true} {
		s := spread{counts: []uint64{n}, edges: []float64{0, 100}, n: n}
		if got := s.quantile(0.99); got.Known() != want || want && !near(got, 99) {
			t.Errorf("p99 of %d values is %v", n, got)
		}
	}
}

func TestSince(t *testing.T) {
	var a, b Counters
	for i := range totals {
		a.total[i], b.total[i] = result.Value(i), result.Value(3*i+1)
	}
	a.maxRSS, b.maxRSS, a.load1, b.load1 = 5, 7, 1, 2
	b.own.before, a.own.after = 3, 2
	a.total[readCalls], b.total[readCalls] = 10, 115
	b.total[steal] = result.Unavailable
	m := b.Since(a)
	for i, name := range totalNames {
		want := float64(2*i + 1)
		switch i {
		case readCalls:
			want = 100 // 5 belong to the snapshots
		case steal:
			if m[name].Known() {
				t.Errorf("%s is %v; one side is unavailable", name, m[name])
			}
			continue
		}
		if !near(m[name], want) {
			t.Errorf("%s is %v, want %v", name, m[name], want)
		}
	}
	if m["max_rss_bytes"] != 7 || m["load1"] != 2 {
		t.Errorf("peak %v, load %v; want those of the later snapshot", m["max_rss_bytes"], m["load1"])
	}
	if want := float64(2*cpuUser + 1 + 2*cpuSystem + 1); !near(m["cpu_seconds"], want) {
		t.Errorf("cpu_seconds %v, want %v", m["cpu_seconds"], want)
	}
	if v, ok := m["sched_latency_mean_ns"]; !ok || v.Known() {
		t.Errorf("scheduling latency without a histogram: %v %v", v, ok)
	}
	for _, name := range []string{"throttled_periods", "sched_latency_p99_ns", "write_calls", "mutex_wait_seconds",
		"alloc_bytes"} {
		if _, ok := m[name]; !ok {
			t.Errorf("no metric %s", name)
		}
	}
}

func TestCountersAllocations(t *testing.T) {
	const n, size = 1000, 1024
	keep := make([][]byte, n)
	tiny := make([]*byte, n)
	a := snapshot()
	for i := range keep {
		keep[i] = make([]byte, size)
		tiny[i] = new(byte)
	}
	runtime.GC() // counts the allocations that the Ps still hold
	m := snapshot().Since(a)
	if m["allocs"] < 2*n || m["alloc_bytes"] < n*size {
		t.Errorf("%v allocations of %v bytes, want at least %d, %d", m["allocs"], m["alloc_bytes"], 2*n, n*size)
	}
	if m["gc_cycles"] < 1 {
		t.Errorf("after a collection: %v", m)
	}
	// The runtime's clock on Windows has a step longer than a short pause.
	if runtime.GOOS != "windows" && (!(m["gc_pause_seconds"] > 0) || !(m["gc_cpu_seconds"] > 0)) {
		t.Errorf("after a collection: %v", m)
	}
	runtime.KeepAlive(keep)
	runtime.KeepAlive(tiny)
}

// TestCountersReuse checks that snapshots start no collection and reuse their memory.
func TestCountersReuse(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var c Counters
	c.Read()
	before, samples := c.total[gcCycles], &c.samples[0]
	allocs := testing.AllocsPerRun(20, c.Read)
	if &c.samples[0] != samples {
		t.Error("the samples were made anew")
	}
	if allocs > 60 {
		t.Errorf("%v allocations for a snapshot", allocs)
	}
	if c.Read(); c.total[gcCycles] != before {
		t.Errorf("snapshots made %v collections", c.total[gcCycles]-before)
	}
}

func TestCountersLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what the process has used is read from Linux's files")
	}
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const n = 20
	var m result.Metrics
	fewest := result.Value(math.Inf(1))
	for range 20 { // the runtime may wake its poller, which adds calls
		a := snapshot()
		for range n {
			if _, err := f.ReadAt(make([]byte, 1), 0); err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt([]byte("y"), 0); err != nil {
				t.Fatal(err)
			}
		}
		m = snapshot().Since(a)
		fewest = min(fewest, m["read_calls"]) // NaN if a container hides the count
	}
	if fewest.Known() && fewest != n {
		t.Errorf("%v read calls, want %d: those of the snapshots are not the process's", fewest, n)
	}
	for _, name := range []string{"cpu_seconds", "load1", "max_rss_bytes", "voluntary_switches",
		"involuntary_switches"} {
		if !m[name].Known() || m[name] < 0 {
			t.Errorf("%s is %v", name, m[name])
		}
	}
	if m["max_rss_bytes"] < 1<<20 {
		t.Errorf("peak memory %v bytes", m["max_rss_bytes"])
	}
}

func TestGCSeconds(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	direct := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(direct)
	a := GCSeconds()
	if !(a > 0) || float64(a) != direct[0].Value.Float64() {
		t.Errorf("%v after a collection, want %v", a, direct[0].Value.Float64())
	}
	runtime.GC()
	// The runtime's clock on Windows has a step longer than a short collection.
	if b := GCSeconds(); b < a || runtime.GOOS != "windows" && b == a {
		t.Errorf("%v, after another collection %v", a, b)
	}
}

// snapshot returns counters with memory of their own.
func snapshot() Counters {
	var c Counters
	c.Read()
	return c
}

func BenchmarkCountersRead(b *testing.B) {
	b.Run("fresh", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			snapshot()
		}
	})
	b.Run("reused", func(b *testing.B) {
		b.ReportAllocs()
		var c Counters
		for b.Loop() {
			c.Read()
		}
	})
}
