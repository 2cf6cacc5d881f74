package explain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

func TestAnswer(t *testing.T) {
	gain := newGain(0.42, 0.1, 0.5)
	for want, f := range map[string]Finding{
		"Change coarse-lock first, at main.go:15 in (*Kitchen).Make: that should save about 42% of the wall time " +
			"(10% to 50%). Split it.": {Name: CoarseLock, Where: []string{"main.go:15", "b.go:1"},
			Functions: []string{"(*Kitchen).Make", "f"}, Gain: gain, Fix: "Split it."},
		"Change gc-pressure first, at a.go:1: that should save about 42% of the wall time (10% to 50%). Reuse it.": {
			Name: GCPressure, Where: []string{"a.go:1"}, Gain: gain, Fix: "Reuse it."},
		"Change gc-thrash first: that may save about 42% of the wall time (10% to 50%). Raise it.": {Name: GCThrash,
			Gain: gain, Confidence: Low, Fix: "Raise it."},
		"There is no estimate of the saving; the limit is cpu-saturated. Do less.": {Name: CPUSaturated,
			Fix: "Do less."},
		"There is no estimate of the saving; the first finding is goroutine-leak, at a.go:1. End them.": {
			Name: GoroutineLeak, Where: []string{"a.go:1"}, Fix: "End them."},
		"There is no estimate of the saving; the first finding is unbounded-spawn. Bound them.": {
			Name: UnboundedSpawn, Fix: "Bound them."},
		"There is too little evidence to predict a gain. Give it more to do.": {Name: TooFewSamples,
			Fix: "Give it more to do."},
		"There is nothing to gain: no rule finds a change that saves 5% or more.": {Name: None, Confidence: Medium},
		"Nothing to gain was found, but the evidence is weak. Take a trace.": {Name: None, Confidence: Low,
			Fix: "Take a trace."},
	} {
		r := Report{Findings: []Finding{f, {Name: GCThrash, Gain: gain}}}
		if got := strings.Join(r.Answer(), " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := (Report{}).Answer(); got != nil {
		t.Errorf("nothing at all: %q", got)
	}
}

func TestSummarizeChanges(t *testing.T) {
	wall := Change{Name: "wall time", Before: 1.2, After: 0.4, Significant: true}
	slower := Change{Name: "wall time", Before: 1, After: 1.1, Significant: true}
	chance := Change{Name: "wall time", Before: 1, After: 1.01}
	read := Change{Name: "function main.read", Before: 0.9, After: 0.1, Significant: true}
	gone := Change{Name: "finding coarse-lock", Before: 1, Significant: true}
	appeared := Change{Name: "finding gc-pressure", After: 1, Significant: true}
	for want, changes := range map[string][]Change{
		"It is faster: 1.2s before, 400ms after (-66.7%). The largest change is in function main.read: -800ms of " +
			"CPU time.": {wall, {Name: Idle, Before: 2, Significant: true}, read},
		"It is slower: 1s before, 1.1s after (+10.0%). Gone: coarse-lock; new: gc-pressure.": {slower, read, gone,
			appeared},
		"The wall time did not clearly change: 1s before, 1.01s after (+1.0%).": {chance},
		"The wall time did not clearly change: 1.23s before, 1.23s after (+0.0%).": {
			{Name: "wall time", Before: 1.2302, After: 1.23}},
		"Gone: coarse-lock.": {gone, gone},
		"New: gc-pressure.":  {appeared},
		"No change was found that is larger than the measurement error.": {{Name: "user code", Before: 1, After: 1.01}},
	} {
		if got := strings.Join(SummarizeChanges(changes), " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestDistinctPhases(t *testing.T) {
	for _, c := range []struct {
		running []float64 // of phases of 100 ms
		brief   float64   // of a last phase of 10 ms
		want    bool
	}{
		{nil, 0, false}, {[]float64{1}, 4, false}, {[]float64{1, 1.2, 1.4}, 0, false}, {[]float64{2, 1, 2}, 2, true},
	} {
		var r Report
		at := time.Duration(0)
		for _, x := range c.running {
			r.Phases = append(r.Phases, Phase{From: at, To: at + 100*time.Millisecond, Running: x})
			at += 100 * time.Millisecond
		}
		r.Phases = append(r.Phases, Phase{From: at, To: at + 10*time.Millisecond, Running: c.brief})
		if got := r.DistinctPhases(); got != c.want {
			t.Errorf("%v: %v", c.running, got)
		}
	}
}

// Amdahl's law predicts nothing for a program that got slower with CPUs.
func TestAmdahlOfSlower(t *testing.T) {
	for _, one := range []time.Duration{500 * time.Millisecond, 2 * time.Second} {
		c := wideCase()
		i := slices.IndexFunc(c.evidence.Runs, func(r evidence.Run) bool { return r.CPUs > 1 })
		c.evidence.Runs = append(c.evidence.Runs[i:i+1:i+1], evidence.Run{CPUs: 1, MachineCPUs: 2, Count: 3, Wall: one})
		c.evidence.Runs[0].Wall = time.Second
		p := explainWith(nil, &c.evidence).Parallelism
		if slower := one < time.Second; slower != math.IsNaN(p.MaxSpeedup) || slower != math.IsNaN(p.Speedup) ||
			math.IsNaN(p.SerialFraction) {
			t.Errorf("%v on one CPU: %+v", one, p)
		}
	}
}

// On a loaded machine, without a trace, or without requests, there may be something to gain that was not found.
func TestWeakAnswer(t *testing.T) {
	idle := func(other float64) *evidence.Evidence {
		return &evidence.Evidence{Runs: []evidence.Run{{CPUs: 2, MachineCPUs: 2, Count: 3, Wall: time.Second,
			WallLow: time.Second, WallHigh: time.Second, User: time.Second, OtherCPUs: other}},
			Trace: &evidence.Trace{Duration: time.Second, CPUs: 2, Running: time.Second, Demand: evidence.Demand{
				Time:    []time.Duration{0, time.Second},
				CPUTime: []time.Duration{0, time.Second}}}}
	}
	unasked := func(other float64) *evidence.Evidence { // a server
		e := idle(other)
		e.Trace.Demand = evidence.Demand{Time: []time.Duration{time.Second}, CPUTime: []time.Duration{0}}
		e.Trace.Waits = []evidence.Wait{{Op: evidence.OpNetwork, Count: 1, Waited: time.Second,
			Stack: frames("net.(*netFD).accept", "net.(*TCPListener).Accept", "main.main:4")}}
		return e
	}
	listens := unasked(0) // a job that listens for a profiler, and ended by itself
	listens.Trace.Waits[0].Waited, listens.Trace.Waits[0].Pending = 0, time.Second
	profiled := unasked(0) // a server of which only a profile shows that it accepts
	profiled.Profiles = []evidence.Profile{{Kind: evidence.Block, Types: []string{"contentions/count"},
		Samples: []evidence.Sample{{Values: []int64{1}, Stack: profiled.Trace.Waits[0].Stack}}}}
	profiled.Trace.Waits = nil
	for _, c := range []struct {
		e    *evidence.Evidence
		want string
	}{
		{listens, "There is nothing to gain: no rule finds a change that saves 5% or more."},
		{idle(0), "There is nothing to gain: no rule finds a change that saves 5% or more."},
		{idle(1.5), "Nothing to gain was found, but the evidence is weak. Run it again on an idle machine."},
		{unasked(0), "Nothing to gain was found, but the evidence is weak. Send it more requests while explain runs."},
		{profiled, "Nothing to gain was found, but the evidence is weak. Send it more requests while explain runs."},
		{unasked(1.5),
			"Nothing to gain was found, but the evidence is weak. Send it more requests while explain runs."},
	} {
		r := explainWith(nil, c.e)
		if got := strings.Join(r.Answer(), " "); got != c.want {
			t.Errorf("%v: %s, want %s", r.Findings[0], got, c.want)
		}
		if x := r.Findings[0].Experiment; strings.Contains(x, "requests") != strings.Contains(c.want, "requests") {
			t.Errorf("%s %s", c.want, x)
		}
	}
}

// In a trace goroutines run while their threads wait for a CPU. Then the CPU profile gives the CPU time, and what the
// trace does not show may be due to other processes.
func TestTraceOnLoadedMachine(t *testing.T) {
	const confident = "There is nothing to gain: no rule finds a change that saves 5% or more."
	for _, c := range []struct {
		name        string
		running     time.Duration // in a trace of 2 s
		samples     int64         // of 10 ms each, in a profile of 5 s
		used        float64       // CPUs
		usage, want string
	}{
		{"loaded", 2700 * time.Millisecond, 328, 0.656, "it used 0.66 of 2 CPUs",
			"Nothing to gain was found, but the evidence is weak. Run it again on an idle machine."},
		{"small difference", 2700 * time.Millisecond, 600, 1.35, "it used 1.35 of 2 CPUs", confident},
		{"overhead of the trace", 3800 * time.Millisecond, 750, 1.9, "it used 1.90 of 2 CPUs", confident},
		{"less in the trace", 1000 * time.Millisecond, 600, 0.5, "it used 0.50 of 2 CPUs", confident},
		{"too few samples", 2700 * time.Millisecond, 30, 1.35, "it used 1.35 of 2 CPUs", confident},
	} {
		e := &evidence.Evidence{
			Profiles: []evidence.Profile{{Kind: evidence.CPU, Types: []string{"samples/count", "cpu/nanoseconds"},
				Duration: 5 * time.Second, Samples: []evidence.Sample{{Stack: frames("main.work:9", "main.main:4"),
					Values: []int64{c.samples, c.samples * 1e7}}}}},
			Trace: &evidence.Trace{Duration: 2 * time.Second, CPUs: 2, Running: c.running, Demand: evidence.Demand{
				Time:    []time.Duration{0, time.Second / 2, 3 * time.Second / 2},
				CPUTime: []time.Duration{0, c.running / 4, 3 * c.running / 4}}}}
		a := newAnalysis(e)
		r := Report{Findings: []Finding{a.noFinding()}}
		if got := strings.Join(r.Answer(), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if got := r.Findings[0].Evidence; !slices.Contains(got, c.usage) {
			t.Errorf("%s: %q lacks %q", c.name, got, c.usage)
		}
		loaded := c.want != confident
		if (a.traced == 1.35) != loaded {
			t.Errorf("%s: CPUs in the trace %v", c.name, a.traced)
		}
		if loaded != strings.Contains(strings.Join(explainWith(nil, e).Notes, "\n"),
			"because goroutines ran on 1.35 CPUs in the trace, but used 0.66 in the CPU profile") {
			t.Errorf("%s: %q", c.name, explainWith(nil, e).Notes)
		}
		inside, _ := a.holdShares(&evidence.Resource{Busy: time.Second}, nil)
		if want := 0.5 / math.Max(c.used, a.traced); math.Abs(inside-want) > 1e-3 {
			t.Errorf("%s: the lock is held for %.3f of the running time, want %.3f", c.name, inside, want)
		}
		sum := 0.0
		for _, x := range a.cpuTime().Entries {
			if x.Name != Idle {
				sum += x.Time.Seconds() / 2
			}
		}
		if math.Abs(sum-c.used) > 1e-3 {
			t.Errorf("%s: the breakdown has %.3f CPUs, want %.3f", c.name, sum, c.used)
		}
	}
}

// lineRoom is the room for a fix or an experiment on a page of 80 columns.
const lineRoom = 73

// Fixes and experiments are sentences that fit one line.
func TestAdviceFitsOneLine(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok || strings.HasSuffix(name, "_test.go") {
				return true
			}
			field, _ := a.Lhs[0].(*ast.SelectorExpr)
			lit, _ := a.Rhs[0].(*ast.BasicLit)
			if field == nil || lit == nil || field.Sel.Name != "Fix" && field.Sel.Name != "Experiment" {
				return true
			}
			checked++
			text, err := strconv.Unquote(lit.Value)
			if err != nil || len(text) > lineRoom || !strings.HasSuffix(text, ".") ||
				text[:1] != strings.ToUpper(text[:1]) {
				t.Errorf("%s: %q has %d columns; %d fit", name, text, len(text), lineRoom)
			}
			return true
		})
	}
	if checked < 50 {
		t.Errorf("only %d texts", checked)
	}
}

// TestShortAnswer: what is known from the first runs fits on a line.
func TestShortAnswer(t *testing.T) {
	for _, c := range []struct {
		found []Finding
		want  string
	}{
		{nil, ""},
		{[]Finding{{Name: None}}, "nothing was found"},
		{[]Finding{{Name: TooFewSamples}}, "too little evidence"},
		{[]Finding{{Name: CoarseLock, Where: []string{"main.go:7", "main.go:9"}, Gain: &Gain{Estimate: 0.438}},
			{Name: None}}, "coarse-lock at main.go:7; its fix should save about 44%"},
		{[]Finding{{Name: GCPressure, Confidence: Low, Gain: &Gain{Estimate: 0.1}}},
			"gc-pressure; its fix may save about 10%"},
		{[]Finding{{Name: CPUSaturated, Where: []string{"main.go:7"}}}, "cpu-saturated at main.go:7"},
	} {
		if got := (Report{Findings: c.found}).ShortAnswer(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
