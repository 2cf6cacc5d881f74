package virtual_test

import (
	"math"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/sim"
)

// queue serves customers of an open loop with one worker and returns their mean response in seconds. The
// mean service is 1 ms. A second CPU keeps the load loop's own goroutine out of the way.
func queue(t *testing.T, cpus int, rate float64, window time.Duration,
	service func(env.Rand, uint64) time.Duration) float64 {
	t.Helper()
	w := virtual.New(virtual.Config{CPUs: cpus, Seed: 3})
	var r load.OpenResult
	err := w.Run("load", func(e env.Env) {
		o := load.Open{Op: func(e env.Env, request uint64) { e.Burn(service(e.Rand(), request)) }, Workers: 1,
			Arrivals: load.Arrivals{Kind: load.Poisson, Rate: rate}, QueueLimit: -1, Warmup: time.Second,
			Window: window, Drain: time.Hour,
			AtBegin: func() {}, AtEnd: func() {}}
		var err error
		if r, err = o.Run(e); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Error(err)
	}
	if r.Lag.Mean() != 0 {
		t.Errorf("arrivals are noticed %v ns late on average: the worker that waits has a CPU", r.Lag.Mean())
	}
	return r.Response.Mean() / 1e9
}

// TestQueues compares an open loop with Pollaczek and Khinchine. Responses of one busy period depend on
// each other: the standard deviation of the mean is about that of independent ones times
// 1/(1-load), so that the seventy thousand at a load of 0.7 give some 2 %.
func TestQueues(t *testing.T) {
	exponential := func(r env.Rand, request uint64) time.Duration {
		d := r.At(request, 1)
		return time.Duration(d.Exp() * 1e6)
	}
	fixed := func(env.Rand, uint64) time.Duration { return time.Millisecond }
	for _, c := range []struct {
		name    string
		sd      float64
		service func(env.Rand, uint64) time.Duration
	}{{"M/M/1", 1e-3, exponential}, {"M/D/1", 0, fixed}} {
		for _, cpus := range []int{2, sim.Unlimited} {
			for _, rate := range []float64{300, 700} {
				got := queue(t, cpus, rate, 100*time.Second, c.service)
				want, _ := model.MG1Response(rate, 1e-3, c.sd)
				if math.Abs(got-want) > 0.05*want {
					t.Errorf("%s at %v/s, %d CPUs: mean response %v ms, want %v", c.name, rate, cpus, got*1e3, want*1e3)
				}
				t.Logf("%s at %v/s, %d CPUs: mean response %.4f ms, formula %.4f", c.name, rate, cpus, got*1e3,
					want*1e3)
			}
		}
	}
}

// tandem is the throughput of exponential stations of mean 1 in a row behind a source that never runs dry, with
// channels of some capacity between them: a station that is done waits until the next takes its piece.
func tandem(t *testing.T, cpus, stations, capacity, pieces int) float64 {
	w := virtual.New(virtual.Config{CPUs: cpus, Seed: 1})
	var took time.Duration
	err := w.Run("body", func(e env.Env) {
		var in *env.Chan[int]
		g := e.Group()
		for s := range stations {
			from, to := in, (*env.Chan[int])(nil)
			if s < stations-1 {
				to = env.NewChan[int](e, "", capacity)
			}
			g.Go(e, "station", func(e env.Env) {
				for i := range pieces {
					if from != nil {
						from.Recv()
					}
					d := e.Rand().At(uint64(i), uint64(s))
					e.Burn(time.Duration(d.Exp() * 1e6))
					if to != nil {
						to.Send(i)
					}
				}
			})
			in = to
		}
		g.Wait()
		took = e.Now()
	})
	if err != nil {
		t.Error(err)
	}
	return float64(pieces) / (took.Seconds() * 1e3)
}

// TestTandem compares with the Markov chains of such lines, solved exactly. The hundred thousand pieces give some 0.5
// %.
func TestTandem(t *testing.T) {
	for _, c := range []struct {
		stations, capacity int
		want               float64
	}{{2, 0, 2. / 3}, {2, 1, 3. / 4}, {2, 10, 12. / 13}, {3, 0, 0.5641}, {4, 0, 0.5148}} {
		for _, cpus := range []int{8, sim.Unlimited} {
			if got := tandem(t, cpus, c.stations, c.capacity, 100_000); math.Abs(got-c.want) > 0.01*c.want {
				t.Errorf("%d stations, capacity %d, %d CPUs: %.4f, want %.4f", c.stations, c.capacity, cpus, got,
					c.want)
			} else {
				t.Logf("%d stations, capacity %d, %d CPUs: %.4f, by the chain %.4f", c.stations, c.capacity, cpus, got,
					c.want)
			}
		}
	}
}

// machines are the kinds of machine that benchmarks run on.
var machines = map[string]int{"unlimited": sim.Unlimited, "rules": 4}

// BenchmarkMM1 is a customer of M/M/1 at a load of 0.9: two goroutines and a channel between them, whose meter
// is on. One iteration is one customer, which is two events.
func BenchmarkMM1(b *testing.B) {
	for name, cpus := range machines {
		b.Run(name, func(b *testing.B) { mm1(b, cpus) })
	}
}

func mm1(b *testing.B, cpus int) {
	w := virtual.New(virtual.Config{CPUs: cpus, Seed: 1})
	err := w.Run("body", func(e env.Env) {
		line, g := env.NewChan[time.Duration](e, "line", 1<<20), e.Group()
		g.Go(e, "customers", func(e env.Env) {
			r := e.Rand()
			for i := range b.N {
				d := r.At(uint64(i), 0)
				e.Burn(time.Duration(d.Exp() * 1e6 / 0.9))
				line.Send(e.Now())
			}
			line.Close()
		})
		sum := time.Duration(0)
		g.Go(e, "server", func(e env.Env) {
			r, i := e.Rand(), uint64(0)
			for at, ok := line.Recv(); ok; at, ok = line.Recv() {
				d := r.At(i, 1)
				e.Burn(time.Duration(d.Exp() * 1e6))
				sum += e.Now() - at
				i++
			}
		})
		b.ReportAllocs()
		b.ResetTimer()
		g.Wait()
		b.ReportMetric(sum.Seconds()*1e3/float64(b.N), "ms-in-system")
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSwitch is an event that needs a switch of coroutines: one of two that burn in turn.
func BenchmarkSwitch(b *testing.B) {
	for name, cpus := range machines {
		b.Run(name, func(b *testing.B) { switches(b, cpus) })
	}
}

func switches(b *testing.B, cpus int) {
	w := virtual.New(virtual.Config{CPUs: cpus, Seed: 1})
	err := w.Run("body", func(e env.Env) {
		g := e.Group()
		b.ReportAllocs()
		b.ResetTimer()
		for range 2 {
			g.Go(e, "burner", func(e env.Env) {
				for range b.N / 2 {
					e.Burn(1000)
				}
			})
		}
		g.Wait()
	})
	if err != nil {
		b.Fatal(err)
	}
}
