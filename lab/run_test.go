package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/catalog/null"
	"github.com/brewput/brewput/workload"
)

// short are options of a simulation that is over at once.
func short(t *testing.T) SimulateOptions {
	return SimulateOptions{Cost: "none", DesignOptions: DesignOptions{
		Designs: []string{"locking", "finelocking"}, Levels: map[string]string{"cpus": "2", "jitter": "1ms"}, Count: 6,
		Duration: 100 * time.Millisecond, Output: filepath.Join(t.TempDir(), "run")}}
}

// TestSimulate: a simulation returns what it stored, reports all of it as events, and is the same when it is shown
// again; a run of nothing that was asked for is refused.
func TestSimulate(t *testing.T) {
	o := short(t)
	var started []Started
	blocks := 0
	o.Notify = func(e Event) {
		switch e := e.(type) {
		case Started:
			started = append(started, e)
		case Progress:
			if e.Trials != nil {
				blocks++
			}
		}
	}
	r, err := Simulate(t.Context(), coffee.Workload(), o)
	if err != nil || len(r.Trials) != 12 || r.Outcome != Sound || r.Interrupted || r.Complete {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(started) != 1 || started[0].Complete || started[0].Dir != o.Output || blocks != 6 {
		t.Errorf("%d blocks, started %+v", blocks, started)
	}
	if x := r.Analyze(nil); len(x.Rows) != 2 || len(x.Verdicts) != 1 {
		t.Errorf("%d rows, %d verdicts", len(x.Rows), len(x.Verdicts))
	}

	all := []*workload.Workload{null.Workload(), coffee.Workload()}
	again, err := Resume(t.Context(), all, o.Output, ResumeOptions{Notify: o.Notify})
	if err != nil || !again.Complete || len(again.Trials) != 12 || len(started) != 2 || !started[1].Complete {
		t.Errorf("shown again: %+v, %v", again, err)
	}
	if list, err := again.Timelines(t.Context(), 10*time.Millisecond); err != nil || len(list) != 2 ||
		!strings.HasPrefix(list[1].Title, "finelocking ") {
		t.Errorf("%d timelines, %v", len(list), err)
	}
}

// TestDesignRefusals: what cannot be carried out is refused by the name of the option, and leaves no directory.
func TestDesignRefusals(t *testing.T) {
	nobody := "nobody"
	for _, c := range []struct {
		change func(o *SimulateOptions)
		field  string
		text   string
	}{
		{func(o *SimulateOptions) { o.Count = -1 }, "count", "at least one replication"},
		{func(o *SimulateOptions) { o.Designs = []string{"lokking"} }, "", `did you mean "locking"?`},
		{func(o *SimulateOptions) { o.Levels = map[string]string{"beans": "3"} }, "levels", "is no factor of coffee"},
		{func(o *SimulateOptions) { o.Levels["buffer"] = "3" }, "buffer", "changes nothing: of the designs locking"},
		{func(o *SimulateOptions) { o.Levels["load"] = "0" }, "load", "sends no customer"},
		{func(o *SimulateOptions) { o.Levels["cpus"] = "100000" }, "cpus", "at most"},
		{func(o *SimulateOptions) { o.Baseline = nobody }, "", "has no design"},
		{func(o *SimulateOptions) { o.Baseline = "multi" }, "baseline", "is not measured"},
		{func(o *SimulateOptions) { o.Cost = "wale=1us" }, "cost", "wale"},
		{func(o *SimulateOptions) { o.Precision = 2 }, "precision", "out of range"},
		{func(o *SimulateOptions) { o.All = true; o.Count = 1 }, "compare", "use count 10"},
	} {
		o := short(t)
		c.change(&o)
		_, err := Simulate(t.Context(), coffee.Workload(), o)
		var r *Refusal
		if !errors.As(err, &r) || r.Field != c.field || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v, want %s: %s", err, c.field, c.text)
		}
		if _, err := os.Stat(o.Output); err == nil {
			t.Errorf("%s: a refused run has a directory", c.text)
		}
	}
	if _, err := Measure(t.Context(), coffee.Workload(), MeasureOptions{Budget: time.Second,
		DesignOptions: DesignOptions{Count: 3}}); err == nil {
		t.Error("a budget and a count")
	}
}

// TestSimulateInterrupted: an interrupted run has the trials so far, and goes on to what it would have been.
func TestSimulateInterrupted(t *testing.T) {
	whole, err := Simulate(t.Context(), coffee.Workload(), short(t))
	if err != nil {
		t.Fatal(err)
	}
	o := short(t)
	ctx, cancel := context.WithCancel(t.Context())
	o.Notify = func(e Event) {
		if p, ok := e.(Progress); ok && p.Trials != nil && p.Step.Block == 2 {
			cancel()
		}
	}
	part, err := Simulate(ctx, coffee.Workload(), o)
	if !errors.Is(err, context.Canceled) || !part.Interrupted || len(part.Trials) != 6 {
		t.Fatalf("interrupted %v with %d trials, %v", part.Interrupted, len(part.Trials), err)
	}
	rest, err := Resume(t.Context(), []*workload.Workload{coffee.Workload()}, o.Output, ResumeOptions{})
	if err != nil || rest.Interrupted || len(rest.Trials) != len(whole.Trials) {
		t.Fatalf("%+v, %v", rest, err)
	}
	for i := range rest.Trials {
		a, b := rest.Trials[i], whole.Trials[i]
		if a.Design != b.Design || a.Seed != b.Seed || a.Metrics["throughput"] != b.Metrics["throughput"] {
			t.Errorf("trial %d: %+v, want %+v", i, a, b)
		}
	}
}
