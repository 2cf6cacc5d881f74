package lab

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// storeBench stores a complete run of the benchmark A in two blocks. change may change the header before, and after is
// called after each block.
func storeBench(t *testing.T, dir string, change func(*sweep.Header, *gobench.Experiment),
	after func(r *store.Run, block int) error) {
	t.Helper()
	x := &gobench.Experiment{Package: "p", Layouts: 1,
		Benchmarks: []gobench.Benchmark{{Name: "A", Revs: []string{gobench.Head}}}}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	h := sweep.Header{Workload: "p", World: result.Live, Started: time.Unix(1, 0), Seed: "1", Blocks: 2,
		Environment: host.Read(), Cases: []plan.Case{{Design: "A", Point: point}}}
	change(&h, x)
	var err error
	if h.Bench, err = json.Marshal(x); err != nil {
		t.Fatal(err)
	}
	run, err := store.Create(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	order := plan.Plan{Seed: 1, Blocks: h.Blocks, Cases: h.Cases}
	for b := range h.Blocks {
		made := result.Trial{Kind: result.KindTrial, SchemaVersion: result.SchemaVersion, Workload: "p", Design: "A",
			World: result.Live, Point: h.Cases[0].Point, Block: b, Seed: strconv.FormatUint(order.BlockSeed(b), 10),
			Status: result.OK, Expected: true, Type: result.Benchmark, Metrics: result.Metrics{result.TimePerOp: 100}}
		if err := errors.Join(run.Append(made, nil), run.EndBlock(b, 1, 0), after(run, b)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(run.End(), run.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestContinuedGate checks that the decisions of a gate are not shown for trials that it did not judge, as after it was
// interrupted and continued.
func TestContinuedGate(t *testing.T) {
	t.Chdir(t.TempDir())
	for judged, dir := range []string{"continued", "judged"} {
		storeBench(t, dir, func(*sweep.Header, *gobench.Experiment) {}, func(r *store.Run, block int) error {
			if block != judged {
				return nil
			}
			return r.Interim([]compare.GateDecision{{Design: "A", Decision: compare.Pass, N: block + 1}})
		})
		res, err := ReadBench(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		gate, err := res.Gate()
		if err != nil || (gate != nil) != (dir == "judged") {
			t.Errorf("%s: %+v, %v", dir, gate, err)
		}
	}
}

// TestHostileBench checks that runs whose headers contradict themselves are refused.
func TestHostileBench(t *testing.T) {
	t.Chdir(t.TempDir())
	commands := json.RawMessage(`{"commands":[{"design":"b","words":["x"]},{"design":"a","words":["y"]}]}`)
	for want, change := range map[string]func(*sweep.Header, *gobench.Experiment){
		"belongs to no package": func(_ *sweep.Header, x *gobench.Experiment) { x.Benchmarks[0].Package = "q" },
		"both benchmarks and commands": func(h *sweep.Header, _ *gobench.Experiment) {
			h.Commands, h.Cases = commands, []plan.Case{{Design: "A"}}
		},
	} {
		storeBench(t, want, change, func(*store.Run, int) error { return nil })
		res, err := ReadBench(want, nil)
		if !errors.As(err, new(*Refusal)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if err == nil {
			res.Analyze() // which panicked
		}
	}
}
