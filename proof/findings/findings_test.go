package findings

import (
	"math"
	"testing"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/proof/findings/corpus"
)

func found(name explain.Name, gain float64, where ...string) explain.Finding {
	f := explain.Finding{Name: name, Where: where}
	if gain >= 0 {
		f.Gain = &explain.Gain{Estimate: gain, Low: gain - 0.1, High: gain + 0.1}
	}
	return f
}

func given(actual string, n int, findings ...explain.Finding) []Verdict {
	var all []Verdict
	for range n {
		all = append(all, Verdict{Case: actual, Actual: actual, Findings: findings})
	}
	return all
}

// known is a confusion matrix whose scores are computed by hand below.
func known() []Verdict {
	var all []Verdict
	add := func(v []Verdict) { all = append(all, v...) }
	add(given("coarse-lock", 6, found("coarse-lock", 0.4)))
	add(given("coarse-lock", 2, found("chan-handoff", 0.4)))
	add(given("chan-handoff", 4, found("chan-handoff", 0.3)))
	add(given("chan-handoff", 1, found(explain.None, -1)))
	add(given("busy-wait", 2, found("busy-wait", 0.2)))
	add(given(corpus.Healthy, 9, found("cpu-saturated", -1), found("hot-function", -1)))
	add(given(corpus.Healthy, 1, found("coarse-lock", 0.2)))
	return all
}

func TestNewScore(t *testing.T) {
	s := NewScore(known())
	type counts struct{ hits, of int }
	for name, c := range map[string]struct {
		got  Share
		want counts
	}{
		"precision":    {s.Precision, counts{12, 15}}, // coarse-lock 6 of 7, chan-handoff 4 of 6, busy-wait 2 of 2
		"recall":       {s.Recall, counts{12, 15}},
		"first right":  {s.First, counts{21, 25}},
		"right fix":    {s.RightFix, counts{12, 15}},
		"false alarms": {s.FalseAlarms, counts{1, 10}},
	} {
		if (counts{c.got.Hits, c.got.Total}) != c.want {
			t.Errorf("%s: %d of %d, want %v", name, c.got.Hits, c.got.Total, c.want)
		}
		if c.got.Value != float64(c.want.hits)/float64(c.want.of) || c.got.Low >= c.got.Value ||
			c.got.High <= c.got.Value {
			t.Errorf("%s: %v is not within its interval", name, c.got)
		}
	}
	// F1 of coarse-lock 2*6/(8+7), chan-handoff 2*4/(5+6), healthy 2*9/(10+10); busy-wait has too few cases.
	if want := (12./15 + 8./11 + 18./20) / 3; math.Abs(s.MacroF1-want) > 1e-12 || len(s.Counted) != 3 {
		t.Errorf("macro-F1 is %v over %v, want %v over 3 classes", s.MacroF1, s.Counted, want)
	}
	for _, c := range s.Classes {
		if c.Name == "chan-handoff" && (c.Support != 5 || c.Predicted != 6 || c.Recall.Hits != 4) {
			t.Errorf("chan-handoff: %+v", c)
		}
	}
}

func TestPredicted(t *testing.T) {
	sick := Verdict{Actual: "coarse-lock", Also: []string{"saturated-resource"}}
	healthy := Verdict{Actual: corpus.Healthy, Also: []string{"dependency-wait"}}
	for _, c := range []struct {
		v     Verdict
		first explain.Finding
		want  string
		alarm bool
	}{
		{sick, found("coarse-lock", 0.5), "coarse-lock", false},
		{sick, found("saturated-resource", 0.5), "coarse-lock", false},
		{sick, found("lock-convoy", 0.5), "lock-convoy", false},
		{sick, found(explain.TooLittleEvidence, -1), corpus.Healthy, false},
		{sick, found("hot-function", -1), "hot-function", false},
		{healthy, found("hot-function", -1), corpus.Healthy, false},
		{healthy, found("hot-function", 0.05), corpus.Healthy, false},
		{healthy, found("hot-function", 0.06), "hot-function", true},
		{healthy, found("dependency-wait", 0.9), corpus.Healthy, false},
	} {
		c.v.Findings = []explain.Finding{c.first}
		if got := c.v.Predicted(); got != c.want || c.v.FalseAlarm() != c.alarm {
			t.Errorf("%s of %s: predicted %s, alarm %v; want %s, %v", c.first.Name, c.v.Actual, got, c.v.FalseAlarm(),
				c.want, c.alarm)
		}
	}
	second := Verdict{Actual: corpus.Healthy,
		Findings: []explain.Finding{found(explain.None, -1), found("gc-pressure", 0.3)}}
	if !second.FalseAlarm() {
		t.Error("a gain promised by the second finding is no alarm")
	}
}

func TestPlaced(t *testing.T) {
	v := Verdict{Actual: "coarse-lock", Sites: []corpus.Site{{Function: "get", First: 10, Last: 20}}}
	for where, want := range map[string]bool{"main.go:10": true, "main.go:20": true, "main.go:21": false,
		"main.go:1": false, "other.go:12": false, "": false} {
		v.Findings = []explain.Finding{found("coarse-lock", 0.5, where)}
		if v.Placed() != want {
			t.Errorf("at %q: placed is %v", where, !want)
		}
	}
	v.Findings = []explain.Finding{found("chan-handoff", 0.5, "main.go:12")}
	if v.Placed() {
		t.Error("a wrong finding at the right place is right")
	}
}

func TestErrors(t *testing.T) {
	v := given("coarse-lock", 1, found("coarse-lock", 0.5))
	v = append(v, given("coarse-lock", 1, found("coarse-lock", 0.2))...)
	v = append(v, given("coarse-lock", 1, found("busy-wait", 0.9))...)  // the gain of a wrong finding does not count
	v = append(v, given("coarse-lock", 1, found("coarse-lock", -1))...) // nor does a missing gain
	for i := range v {
		v[i].Gain = &corpus.Intervention{Gain: 0.45}
	}
	e := NewScore(v).GainErrors
	if e.Count != 2 || math.Abs(e.Median-0.15) > 1e-12 || math.Abs(e.Bias+0.1) > 1e-12 || e.Covered.Hits != 1 {
		t.Errorf("errors are %+v", e)
	}
}

func TestRivals(t *testing.T) {
	stack := func(functions ...string) []evidence.Frame {
		var s []evidence.Frame
		for i, f := range functions {
			s = append(s, evidence.Frame{Function: f, Line: 10 + i})
		}
		return s
	}
	e := &evidence.Evidence{Profiles: []evidence.Profile{
		{Kind: evidence.CPU, Types: []string{"samples/count", "cpu/nanoseconds"}, Samples: []evidence.Sample{
			{Stack: stack("main.a"), Values: []int64{9, 30}},
			{Stack: stack("internal/runtime/syscall.Syscall6", "main.b"), Values: []int64{1, 20}},
			{Stack: stack("internal/runtime/syscall.Syscall6", "main.c"), Values: []int64{1, 20}}}},
		{Kind: evidence.Block, Types: []string{"contentions/count", "delay/nanoseconds"}, Samples: []evidence.Sample{
			{Stack: stack("runtime.chanrecv1", "main.c"), Values: []int64{1, 50}},
			{Stack: stack("sync.(*WaitGroup).Wait", "main.d"), Values: []int64{9, 40}}}},
	}}
	want := []explain.Name{explain.None, "unbuffered-io", explain.None, "chan-handoff"}
	for i, r := range Rivals() {
		if f := r.Answer(e); f.Name != want[i] {
			t.Errorf("%s: %s, want %s", r.Name, f.Name, want[i])
		}
	}
	if f := Rivals()[3].Answer(e); len(f.Where) != 1 || f.Where[0] != "main.go:11" {
		t.Errorf("the longest block entry is at %v, want main.go:11", f.Where)
	}
}

func TestTargets(t *testing.T) {
	good := NewScore(append(given("coarse-lock", 5, found("coarse-lock", 0.4)),
		given(corpus.Healthy, 5, found(explain.None, -1))...))
	for i, target := range Targets(good, good) {
		if !target.Met || !target.Known {
			t.Errorf("target %d is not met without a mistake: %s", i, target.What)
		}
	}
	// known: precision 12 of 15, macro-F1 0.81, first right in 21 of 25, an alarm
	want := []bool{false, true, true, true, false}
	for i, target := range Targets(NewScore(known()), NewScore(known())) {
		if target.Met != want[i] || !target.Known {
			t.Errorf("met %v: %s", target.Met, target.What)
		}
	}
	for _, target := range Targets(NewScore(nil), NewScore(nil)) {
		if target.Known {
			t.Errorf("known without programs: %s", target.What)
		}
	}
}
