package coffee_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	trial.Main(coffee.Workload())
	os.Exit(m.Run())
}

// point returns a point with short stages and the given settings.
func point(t *testing.T, w *workload.Workload, d workload.Design, settings ...string) plan.Point {
	t.Helper()
	return workloadtest.Point(t, w, append([]string{"workers=4", "stage=2us"}, settings...)...).Only(w.FactorsOf(d))
}

// serve runs requests of a design and returns the result of its check.
func serve(t *testing.T, d workload.Design, p plan.Point, workers, each int) (world *live.World, answer workload.Answer,
	err error) {
	t.Helper()
	world = live.New(live.Config{Seed: 1, BurnRate: 1})
	left := world.Run("test", func(e env.Env) {
		s, buildErr := d.Stream(e, p)
		if buildErr != nil {
			t.Fatal(buildErr)
		}
		group := e.Group()
		for w := range workers {
			group.Go(e, "worker", func(e env.Env) {
				for i := range each {
					s.Op(e, uint64(i*workers+w))
				}
			})
		}
		group.Wait()
		if s.Close != nil {
			s.Close(e)
		}
		answer, err = s.Check(uint64(workers * each))
	})
	if left != nil {
		t.Error(left)
	}
	return world, answer, err
}

func TestEveryDesignServesEveryOrder(t *testing.T) {
	defer goleak.VerifyNone(t)
	w := coffee.Workload()
	for _, d := range w.Designs {
		if d.Expect == workload.Bound {
			continue // ideal races by intention; it is tested under the race detector
		}
		for _, variant := range [][]string{nil, {"buffer=0", "machines=1", "pipes=1"},
			{"buffer=10", "machines=4", "pipes=3"}, {"jitter=4us"}, {"dist=exponential"}, {"dist=lognormal:0.5"},
			{"steam=0s"}} {
			t.Run(d.Name+"/"+strings.Join(variant, ","), func(t *testing.T) {
				world, answer, err := serve(t, d, point(t, w, d, variant...), 4, 50)
				if err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(answer["orders"]) != "200" {
					t.Errorf("answer %v", answer)
				}
				if n := world.Violations(); n != 0 {
					t.Errorf("%d violations", n)
				}
			})
		}
	}
}

// TestTheCheckFindsWrongCounts checks that the audit fails if an order is lost.
func TestTheCheckFindsWrongCounts(t *testing.T) {
	w := coffee.Workload()
	for _, d := range w.Designs {
		if d.Expect == workload.Bound {
			continue
		}
		world := live.New(live.Config{BurnRate: 1})
		world.Run("test", func(e env.Env) {
			s, err := d.Stream(e, point(t, w, d))
			if err != nil {
				t.Fatal(err)
			}
			s.Op(e, 0)
			if s.Close != nil {
				s.Close(e)
			}
			if _, err := s.Check(2); err == nil {
				t.Errorf("%s: one order served as two is found right", d.Name)
			}
		})
	}
}

func TestWrongPoints(t *testing.T) {
	w := coffee.Workload()
	d, _ := w.Find("finelocking")
	for _, c := range []struct{ setting, says string }{
		{"jitter=5us", "at most twice"},
		{"dist=normal", "not a distribution"},
		{"dist=lognormal", "coefficient of variation"},
		{"dist=lognormal:-1", "coefficient of variation"},
		{"dist=lognormal:NaN", "coefficient of variation"},
		{"dist=fixed:2", "only lognormal"},
	} {
		err := w.Check(point(t, w, d, c.setting))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.setting, err)
		}
	}
	if err := w.Check(point(t, w, d, "jitter=4us")); err != nil {
		t.Errorf("jitter of twice the stage: %v", err)
	}
	both := point(t, w, d, "jitter=1us", "dist=exponential")
	if err := w.Check(both); err == nil {
		t.Error("jitter and an exponential distribution at once are accepted")
	}
}

// TestOrder17 checks that a request grinds equally long in every design, because draws are keyed by request and stage.
func TestOrder17(t *testing.T) {
	const rate = 0 // burn nothing; only what is asked for counts
	w := coffee.Workload()
	var first time.Duration
	for _, d := range w.Designs {
		world := live.New(live.Config{Seed: 9, BurnRate: rate, Instrument: true})
		var burnt time.Duration
		world.Run("test", func(e env.Env) {
			p := point(t, w, d, "stage=1ms", "jitter=2ms")
			s, err := d.Stream(e, p)
			if err != nil {
				t.Fatal(err)
			}
			s.Op(e, 17)
			if s.Close != nil {
				s.Close(e)
			}
			burnt = world.Useful()
		})
		if d.Name == "americano" || d.Name == "espresso" || d.Name == "americanopipe" || d.Name == "espressopipe" {
			continue // fewer stages
		}
		if first == 0 {
			first = burnt
		}
		if burnt != first || burnt == 4*time.Millisecond {
			t.Errorf("%s: order 17 takes %v, the first design's %v", d.Name, burnt, first)
		}
	}
}

// TestAbsurdLevels checks that levels that need too much memory or time are refused.
func TestAbsurdLevels(t *testing.T) {
	absurd := map[string]string{
		"workers": "100000000", "machines": "100000000", "pipes": "1000000", "buffer": "10000000000",
		"stage": "1000000h", "grind": "100000h", "press": "100000h", "steam": "100000h", "latte": "100000h",
	}
	for _, f := range coffee.Workload().AllFactors() {
		level, ok := absurd[f.Name]
		if !ok {
			continue
		}
		delete(absurd, f.Name)
		if _, err := f.Parse(level, nil); err == nil || !strings.Contains(err.Error(), "is out of range") {
			t.Errorf("--%s %s: %v", f.Name, level, err)
		}
	}
	if len(absurd) > 0 {
		t.Errorf("coffee has no factors %v", absurd)
	}
}

// TestDrinks checks that only designs that make the same drink compete: a drink with fewer stages is less work.
func TestDrinks(t *testing.T) {
	for _, d := range coffee.Workload().Designs {
		drink := "espresso"
		switch {
		case d.Expect == workload.Bound:
			drink = ""
		case slices.Contains(d.Uses, "steam"):
			drink = "latte"
		case slices.Contains(d.Uses, "latte"):
			drink = "americano"
		}
		if d.Guarantee != drink {
			t.Errorf("%s competes with %q, but makes %q", d.Name, d.Guarantee, drink)
		}
	}
}
