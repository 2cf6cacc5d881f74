package find

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
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

func point(cpus, goroutines, parsers, documents, items int, read time.Duration, scanner, cache string) plan.Point {
	level := func(name string, n int) plan.Setting { return plan.Setting{Factor: name, Level: plan.IntLevel(n)} }
	return plan.NewPoint(level("cpus", cpus), level("goroutines", goroutines), level("parsers", parsers),
		level("documents", documents), level("items", items),
		plan.Setting{Factor: "read", Level: plan.DurationLevel(read)},
		plan.Setting{Factor: "scanner", Level: plan.TextLevel(scanner)},
		plan.Setting{Factor: "cache", Level: plan.TextLevel(cache)})
}

// TestDesigns checks that every design finds every item, live and in virtual time.
func TestDesigns(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	w := Workload()
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Designs {
		for _, p := range []plan.Point{
			point(2, 8, 2, 40, 12, 100*time.Microsecond, "own", "warm"), point(1, 1, 1, 5, 3, 0, "xml", "cold"),
			point(2, 50, 3, 20, 0, time.Microsecond, "own", "warm"),
		} {
			if p.Text("cache") == "cold" && runtime.GOOS != "linux" && d.Name == "files" {
				continue // this system cannot
			}
			o := workloadtest.Live(t, w, d, p)
			if o.Trial.Status != result.OK {
				t.Fatalf("%s at %s: %s %s\n%s", d.Name, p, o.Trial.Status, o.Trial.Error, o.Failure)
			}
			if d.Worlds == workload.LiveOnly {
				continue
			}
			x := workloadtest.Virtual(w, d, p, 1, sim.Costs{})
			if x.Status != result.OK || fmt.Sprint(x.Answer) != fmt.Sprint(o.Trial.Answer) {
				t.Errorf("%s at %s: %v in virtual time, %v live: %s", d.Name, p, x.Answer, o.Trial.Answer, x.Error)
			}
		}
	}
}

// fixed gives all sections of real code the same cost.
type fixed time.Duration

func (fixed) Begin() error                              { return nil }
func (f fixed) End(virtual.Code) (time.Duration, error) { return time.Duration(f), nil }
func (fixed) Drop()                                     {}

// TestLaw checks the bound in virtual time, where reading and parsing take exactly Z and S. For every number of
// goroutines the pool is within a percent or one Z of the bound. The knee is where sequential computes it.
func TestLaw(t *testing.T) {
	const z, s, n = time.Millisecond, 50 * time.Microsecond, 1000
	w := Workload()
	took := func(design string, cpus, g int) (wall float64, metrics map[string]float64) {
		d, _ := w.Find(design)
		err := virtual.New(virtual.Config{CPUs: cpus, Sections: fixed(s)}).Run("load", func(e env.Env) {
			j, err := d.Job(e, point(cpus, g, cpus, n, 0, z, "own", "warm"))
			if err != nil {
				t.Fatal(err)
			}
			start := e.Now()
			if err := j.Run(e); err != nil {
				t.Fatal(err)
			}
			wall = (e.Now() - start).Seconds()
			if j.Metrics != nil {
				metrics = j.Metrics()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return wall, metrics
	}
	for _, m := range []int{1, 2} {
		one, metrics := took("sequential", m, 1)
		read, parse := metrics["read_seconds"], metrics["parse_seconds"]
		if math.Abs(one-read-parse) > 1e-9 || math.Abs(read-n*z.Seconds()) > 1e-9 ||
			math.Abs(metrics["knee_goroutines"]-float64(21*m)) > 1e-6 {
			t.Errorf("one goroutine, %d CPUs: %v s, %v", m, one, metrics)
		}
		for _, g := range []int{1, 2, 7, 10, 20, 21, 22, 41, 42, 43, 100, 1000} {
			for _, design := range []string{"pool", "semaphore"} {
				wall, _ := took(design, m, g)
				b, most := bound(read, parse, g, m), 0.0
				if most = b; design == "semaphore" { // the next may have to wait for all others before it can read
					most += float64(n/g+1) * s.Seconds() * float64(min(g, 2*21))
				}
				if wall < b*0.999 || wall > most*1.01+1.2*z.Seconds() {
					t.Errorf("%s with %d goroutines on %d CPUs: %v s, the bound is %v s", design, g, m, wall, b)
				}
			}
		}
	}
}

// TestDesignsOnAnyPoint runs random points in virtual time, where the seed changes the scheduling decisions.
func TestDesignsOnAnyPoint(t *testing.T) {
	w := Workload()
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string, most int) int { return rapid.IntRange(1, most).Draw(t, name) }
		p := point(n("cpus", 8), n("goroutines", 40), n("parsers", 5), n("documents", 30), n("items", 4)-1,
			time.Duration(n("read", 1000)-1)*time.Microsecond,
			rapid.SampledFrom([]string{"own", "xml"}).Draw(t, "scanner"), "warm")
		d := rapid.SampledFrom(w.Designs).Draw(t, "design")
		if d.Worlds == workload.LiveOnly {
			return
		}
		x := workloadtest.Virtual(w, d, p, rapid.Uint64().Draw(t, "seed"), sim.Costs{})
		if x.Status != result.OK {
			t.Fatalf("%s at %s: %s %s", d.Name, p, x.Status, x.Error)
		}
	})
}

// TestBrokenDocuments checks that invalid XML fails every design.
func TestBrokenDocuments(t *testing.T) {
	c := newCorpus(3, 5)
	c.documents[1] = c.documents[1][:100]
	r := (&task{corpus: c}).reader()
	virtual.New(virtual.Config{}).Run("body", func(e env.Env) {
		for i := range c.documents {
			r.search(e, i)
		}
	})
	if _, err := sum([]*reader{r}); err == nil || !strings.Contains(err.Error(), "ends too early") {
		t.Errorf("a broken document: %v", err)
	}
}

func TestWrongPoints(t *testing.T) {
	for _, c := range []struct{ scanner, cache, says string }{{"sax", "warm", "unknown scanner"},
		{"own", "hot", "unknown cache state"}} {
		if err := check(point(1, 1, 1, 1, 1, 0, c.scanner, c.cache)); err == nil ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s, %s: %v", c.scanner, c.cache, err)
		}
	}
	if err := check(point(1, 1, 1, 1, 1, 0, "own", "cold")); err != nil {
		t.Error(err)
	}
}
