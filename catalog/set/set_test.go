package set

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	trial.Main(Workload())
	seeded.Fix()
	os.Exit(m.Run())
}

// TestDesigns runs every design that is right for several goroutines, live and in virtual time.
func TestDesigns(t *testing.T) {
	w := Workload()
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Designs {
		for _, settings := range []string{"calls=5000", "calls=1 goroutines=3", "calls=2000 goroutines=1 read=0",
			"calls=3000 goroutines=40 read=0.2 keys=3 shards=2", "calls=3000 read=0 keys=500 skew=zipf shards=1",
			"calls=1000 read=1 keys=1"} {
			if d.Expect != workload.Right && !strings.Contains(settings, "goroutines=1 ") {
				continue
			}
			p := workloadtest.Point(t, w, settings)
			if x := workloadtest.Live(t, w, d, p).Trial; !x.Good() {
				t.Errorf("%s at %s: %s %s", d.Name, settings, x.Status, x.Error)
			}
			if d.Worlds == workload.LiveOnly {
				continue
			}
			if x := simulate(d, p, 1); !x.Good() {
				t.Errorf("%s in virtual time at %s: %s %s", d.Name, settings, x.Status, x.Error)
			}
		}
	}
}

// simulate runs a design in virtual time.
func simulate(d workload.Design, p plan.Point, seed uint64) result.Trial {
	return workloadtest.Virtual(Workload(), d, p, seed, sim.Typical())
}

// design returns a design and a point.
func design(t *testing.T, name string, settings ...string) (workload.Design, plan.Point) {
	w := Workload()
	d, ok := w.Find(name)
	if !ok {
		t.Fatal("no design", name)
	}
	return d, workloadtest.Point(t, w, settings...)
}

// TestCheckFindsLostUpdates checks that the check of a trial finds the plain map wrong in virtual time, where nothing
// crashes, and that with one goroutine it is right.
func TestCheckFindsLostUpdates(t *testing.T) {
	wrong := 0
	d, p := design(t, "unsafe", "calls=4000", "read=0", "keys=20")
	for seed := range uint64(10) {
		if simulate(d, p, seed).Status == result.Wrong {
			wrong++
		}
	}
	if wrong < 9 {
		t.Errorf("the plain map was found wrong with %d of 10 seeds", wrong)
	}
}

// hasty is a set whose Contains says the same of every key while the goroutines of a trial use it.
type hasty struct {
	Set
	says bool
}

func (s hasty) Contains(uint64) bool { return s.says }

// opposite is a set whose Contains loses the first key that it finds, and finds the first that is absent: as many keys
// as there are.
type opposite struct {
	Set
	lost, found bool
}

func (s *opposite) Contains(key uint64) bool {
	ok := s.Set.Contains(key)
	lied := &s.found
	if ok {
		lied = &s.lost
	}
	lie := !*lied
	*lied = true
	return ok != lie
}

// TestCheckFindsWrongReads checks that the check of a trial finds Contains wrong during the trial, where it can know.
func TestCheckFindsWrongReads(t *testing.T) {
	for name, wrong := range map[string]func(Set) Set{
		"always false": func(s Set) Set { return hasty{s, false} },
		"always true":  func(s Set) Set { return hasty{s, true} },
		"opposite":     func(s Set) Set { return &opposite{Set: s} },
	} {
		for _, settings := range []string{"read=1", "read=0.99 calls=1000"} {
			d, p := design(t, "mutex", "goroutines=4 calls=4000", settings)
			d.Job = func(e env.Env, p plan.Point) (workload.Job, error) {
				return Job(e, p, func(e env.Env, first []uint64) Opened {
					o, views := openMutex(p)(e, first), 0
					return Opened{View: func(e env.Env) Set {
						if views++; views > 4 { // of the check
							return o.View(e)
						}
						return wrong(o.View(e))
					}}
				}), nil
			}
			if x := simulate(d, p, 1); x.Status != result.Wrong || !strings.Contains(x.Error, "calls of Contains") {
				t.Errorf("%s, %s: %s %s", settings, name, x.Status, x.Error)
			}
		}
	}
}

// TestHits checks the metric hits_per_call: half of the keys are in the set, whether calls change them or not.
func TestHits(t *testing.T) {
	for _, c := range []struct {
		settings  string
		low, high float64
	}{
		{"read=1", 0.45, 0.55},
		{"read=0.5 keys=100", 0.2, 0.3},
	} {
		for _, name := range []string{"mutex", "table"} {
			d, p := design(t, name, "calls=4000", c.settings)
			x := simulate(d, p, 1)
			if hits := float64(x.Metrics.Get("hits_per_call")); x.Status != result.OK || hits < c.low || hits > c.high {
				t.Errorf("%s, %s: %s, %v hits for each call", name, c.settings, x.Status, hits)
			}
		}
	}
}

// TestUnsafeFailsLive checks that the plain map fails on the Go runtime, in a process of its own: it crashes, or an
// update is lost. With one goroutine it is right.
func TestUnsafeFailsLive(t *testing.T) {
	for _, c := range []struct {
		goroutines string
		good       bool
	}{{"1", true}, {"16", false}} {
		d, p := design(t, "unsafe", "calls=3000000", "read=0", "keys=100", "goroutines="+c.goroutines)
		out := workloadtest.Live(t, Workload(), d, p)
		if x := out.Trial; x.Good() != c.good || !trial.Expected(d.Expect, x.Status) {
			t.Errorf("%s goroutines: %s %s", c.goroutines, x.Status, x.Error)
		}
		t.Log(out.Trial.Status, out.Trial.Error)
	}
}

// TestUnionDeadlocks checks that unions without a lock order deadlock, and that the error names both locks.
func TestUnionDeadlocks(t *testing.T) {
	settings := []string{"calls=20000", "keys=100", "between=20"}
	ordered, right := design(t, "ordered", settings...)
	union, p := design(t, "union", settings...)
	if !union.OnRequest || union.Expect != workload.MayFail {
		t.Error("union deadlocks, but a run measures it though nobody names it, or it does not declare that")
	}
	deadlocks := 0
	for seed := range uint64(20) {
		if x := simulate(ordered, right, seed); !x.Good() {
			t.Fatalf("with an order, seed %d: %s: %s", seed, x.Status, x.Error)
		}
		x := simulate(union, p, seed)
		if x.Good() {
			continue
		}
		if !trial.Expected(union.Expect, x.Status) || trial.Expected(union.Expect, result.Wrong) {
			t.Errorf("seed %d: %s is not declared, or a wrong answer is", seed, x.Status)
		}
		for _, part := range []string{"deadlock", "waits for a (held by worker", "waits for b (held by worker"} {
			if !strings.Contains(x.Error, part) {
				t.Errorf("seed %d: the error lacks %q: %s", seed, part, x.Error)
			}
		}
		deadlocks++
	}
	if deadlocks < 10 {
		t.Errorf("%d of 20 seeds deadlock", deadlocks)
	}
}

// TestTrace checks the read ratio and the frequencies of keys.
func TestTrace(t *testing.T) {
	for _, skew := range []string{"uniform", "zipf"} {
		var keysOf [4]int
		reads, n := 0, 0
		err := simulated(1, 2).Run("test", func(e env.Env) {
			tr := newTrace(e, workloadtest.Point(t, Workload(), "calls=100000 keys=4 read=0.7 skew="+skew))
			n = len(tr.calls)
			for _, c := range tr.calls {
				keysOf[c.key()]++
				if c&3 == contains || c&3 == constant {
					reads++
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		want := [4]float64{.25, .25, .25, .25}
		if skew == "zipf" { // 1/rank over 1 + 1/2 + 1/3 + 1/4
			want = [4]float64{.48, .24, .16, .12}
		}
		for i, x := range want {
			if got := float64(keysOf[i]) / float64(n); got < x-0.01 || got > x+0.01 {
				t.Errorf("%s: key %d has the frequency %.3f, want %.2f", skew, i, got, x)
			}
		}
		if got := fmt.Sprintf("%.2f", float64(reads)/float64(n)); got != "0.70" {
			t.Errorf("%s: the fraction of reads is %s, want 0.70", skew, got)
		}
	}
}
