package lines

import (
	"fmt"
	"os"
	"strings"
	"testing"

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

func point(cpus, consumers, buffer, batch, lines int, functions string) plan.Point {
	level := func(name string, n int) plan.Setting { return plan.Setting{Factor: name, Level: plan.IntLevel(n)} }
	return plan.NewPoint(level("cpus", cpus), level("consumers", consumers), level("buffer", buffer),
		level("batch", batch), level("total", lines),
		plan.Setting{Factor: "functions", Level: plan.TextLevel(functions)})
}

// TestDesigns checks that every line is hashed exactly once, live and in virtual time. Only the original loses lines.
func TestDesigns(t *testing.T) {
	w := Workload()
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	costs, err := sim.ParseCosts("chan=100ns")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Designs {
		for _, p := range []plan.Point{
			point(2, 3, 25, 10, 2000, "original"), point(2, 1, 0, 1, 300, "free"), point(1, 4, 1, 7, 500, "free"),
			point(2, 2, 1000, 1000, 501, "original"), point(2, 5, 3, 3, 1, "free"),
		} {
			o := workloadtest.Live(t, w, d, p)
			for world, x := range map[string]result.Trial{"live": o.Trial,
				"virtual": workloadtest.Virtual(w, d, p, 1, costs)} {
				switch {
				// if the producer waits for a CPU, the consumers may hash all lines
				case d.Name == "original" && (p.Int("total") == 1 || p.Int("cpus") == 1):
				case d.Name == "original": // live it can be lucky
					if world == "virtual" && (x.Status != result.Wrong ||
						!strings.Contains(x.Error, "lines were hashed")) {
						t.Errorf("original in %s at %s: %s %s", world, p, x.Status, x.Error)
					}
				case d.Name != "original" && !x.Good():
					t.Errorf("%s in %s at %s: %s %s\n%s", d.Name, world, p, x.Status, x.Error, o.Failure)
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
		p := point(n("cpus", 8), n("consumers", 10), n("buffer", 20)-1, n("batch", 30), n("lines", 100),
			rapid.SampledFrom([]string{"original", "free"}).Draw(t, "functions"))
		d := rapid.SampledFrom(w.Designs).Draw(t, "design")
		if d.Expect != workload.Right {
			return
		}
		x := workloadtest.Virtual(w, d, p, rapid.Uint64().Draw(t, "seed"), sim.Costs{})
		if x.Status != result.OK {
			t.Fatalf("%s at %s: %s %s", d.Name, p, x.Status, x.Error)
		}
	})
}

// TestFunctions checks that both kinds of functions make and hash the same lines, and that lines are printable and
// differ.
func TestFunctions(t *testing.T) {
	seen := map[string]bool{}
	var place []byte
	for i := range 200 {
		line := allocating{}.line("", i)
		place = free{}.line(place, i)
		if line != string(place) || len(line) != length || seen[line] {
			t.Fatalf("line %d: %q and %q", i, line, place)
		}
		seen[line] = true
		if strings.IndexFunc(line, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0 {
			t.Fatalf("line %d is not printable: %q", i, line)
		}
		if a, b := (allocating{}).hash(line), (free{}).hash(place); a != b {
			t.Fatalf("line %d: digests %x and %x", i, a, b)
		}
	}
	if n := testing.AllocsPerRun(100, func() { place = free{}.line(place, 7); free{}.hash(place) }); n != 0 {
		t.Errorf("the free functions allocate %v times a line", n)
	}
}

// TestKnownDigests recomputes the known digests. To update them, print want.
func TestKnownDigests(t *testing.T) {
	known, sum, line := knownDigests(), uint64(0), make([]byte, length)
	for i := range (len(known)-1)*knownEvery + 1 {
		if i%knownEvery == 0 && known[i/knownEvery] != sum {
			t.Errorf("%d lines: 0x%016x, known as 0x%016x", i, sum, known[i/knownEvery])
		}
		sum += free{}.hash(free{}.line(line, i))
	}
	if a, b := digests(knownEvery+3), known[1]; a == b {
		t.Error("the last lines count for nothing")
	}
}

// TestTheCheckFindsWrongAnswers covers a line that is left out, hashed twice, or replaced by another.
func TestTheCheckFindsWrongAnswers(t *testing.T) {
	f := free{}
	for i, spoil := range []func(*tally){
		func(x *tally) { x.count--; x.sum -= f.hash(f.line(nil, 3)) },
		func(x *tally) { x.add(f.hash(f.line(nil, 3))) },
		func(x *tally) { x.sum += f.hash(f.line(nil, 4)) - f.hash(f.line(nil, 3)) },
		func(*tally) {},
	} {
		j := job(point(1, 1, 0, 1, 50, "free"), func(e env.Env) (tally, error) {
			x, err := inTurn(task[[]byte]{f, point(1, 1, 0, 1, 50, "free")})(e)
			spoil(&x)
			return x, err
		})
		virtual.New(virtual.Config{}).Run("job", func(e env.Env) { j.Run(e) })
		if answer, err := j.Check(); (err == nil) != (i == 3) {
			t.Errorf("case %d: %v %v", i, fmt.Sprint(answer), err)
		}
	}
}
