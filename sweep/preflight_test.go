package sweep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// TestPreflight checks that each design of a workload that asks for it is tried once, without load and by one
// worker, and
// that a trial that fails ends the run.
func TestPreflight(t *testing.T) {
	s, specs := openSweep(t, at(2, 8, setting("rate", 50)), at(1, 4, setting("rate", 50)))
	dir := filepath.Join(t.TempDir(), "run")
	if err := s.preflight(t.Context(), dir); err != nil || len(*specs) != 0 {
		t.Fatalf("a workload that asks for none: %v, %d trials", err, len(*specs))
	}
	s.Workload.Preflight, s.Workload.Given = true, workload.Given{"url": {"u"}}
	if err := s.preflight(t.Context(), dir); err != nil || len(*specs) != 3 {
		t.Fatalf("%v, %d trials of 3 designs", err, len(*specs))
	}
	for _, x := range *specs {
		if x.Open != nil || x.Point.Int("workers") != 1 || x.Point.Has("rate") || x.Operations != 1 ||
			x.Duration != 0 || x.Given.Get("url") != "u" {
			t.Errorf("%+v", x)
		}
	}

	// Other points than those of the load may be other servers.
	*specs = nil
	for _, port := range []float64{1, 2, 2} {
		s.Plan.Cases = append(s.Plan.Cases, plan.Case{Design: "fast", Point: at(2, 8, setting("port", port))})
	}
	if err := s.preflight(t.Context(), dir); err != nil || len(*specs) != 5 {
		t.Fatalf("%v, %d trials of 3 designs and 2 more points", err, len(*specs))
	}

	run := s.Run
	s.Run = func(ctx context.Context, x trial.Spec) (trial.Outcome, error) {
		o, err := run(ctx, x)
		if x.Design == "slow" {
			o.Trial.Status, o.Trial.Error, o.Failure = result.Failed, "connection refused", "stacks"
		}
		return o, err
	}
	if err := s.preflight(t.Context(), dir); err == nil || len(*specs) != 7 {
		t.Errorf("%v; %d trials, not 2: one of fast, and one of slow, which did not start", err, len(*specs))
	}
	if s.Preparing() != "each design was tried" {
		t.Errorf("during the preflight: %s", s.Preparing())
	}
	s.preflightTimes = map[string]time.Duration{"slow": time.Minute}
	if d := s.expectedTime(plan.Case{Design: "slow"}) -
		s.expectedTime(plan.Case{Design: "other"}); d != time.Minute-trialOverhead {
		t.Errorf("a server that starts in a minute adds %v", d)
	}
	var u *PreparationError
	err := s.PrepareRun(t.Context(), dir, nil, nil)
	if !errors.As(err, &u) || u.Design != "slow" || err.Error() != "slow: connection refused" ||
		u.Failure != "stacks" || u.Trial.Expected {
		t.Errorf("%v: %+v", err, u)
	}
}

// TestOpenWorkers checks the default number of workers of an open loop, if the workload has one of its own.
func TestOpenWorkers(t *testing.T) {
	s, _ := openSweep(t, at(1, 1))
	s.Workload.OpenWorkers = "1000"
	for _, x := range []struct {
		levels map[string]string
		want   string
	}{
		{map[string]string{"cpus": "1"}, "cpus=1 workers=1"},
		{map[string]string{"cpus": "1", "rate": "5"}, "cpus=1 workers=1000 rate=5"},
		{map[string]string{"cpus": "1", "rate": "5", "workers": "3"}, "cpus=1 workers=3 rate=5"},
	} {
		cases, err := Selection{Designs: []string{"fast"}, Levels: x.levels}.Cases(s.Workload)
		if err != nil || len(cases) != 1 || cases[0].Point.String() != x.want {
			t.Errorf("%v: %v, %v; want %s", x.levels, cases, err, x.want)
		}
	}
	open := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)}, setting("rate", 5))
	cases, err := Selection{CaseList: []plan.Case{{Design: "fast", Point: open}}}.Cases(s.Workload)
	if err != nil || len(cases) != 1 || cases[0].Point.Int("workers") != 1000 {
		t.Errorf("%v, %v", cases, err)
	}
}

// TestOptionsAreGiven checks that a workload with options is refused without them, that its trials and header have
// them, and that runs that differ in one say so.
func TestOptionsAreGiven(t *testing.T) {
	s, _ := openSweep(t, at(1, 1))
	made := *s.Workload
	made.Options = []workload.Option{{Name: "url", Value: "URL"}, {Name: "header", Value: "LINE", Many: true}}
	made.Make = func(workload.Given) (*workload.Workload, error) {
		return &workload.Workload{Designs: s.Workload.Designs}, nil
	}
	if _, err := (Selection{}).Cases(&made); err == nil || !strings.Contains(err.Error(), "With") {
		t.Errorf("not given: %v", err)
	}
	h := s.Header
	h.Given = workload.Given{"url": {"http://a"}}
	w, err := h.FindWorkload("run", []*workload.Workload{&made}, true)
	if err != nil || w.Given.Get("url") != "http://a" {
		t.Fatalf("%v, %v", w, err)
	}
	h.Given = workload.Given{"port": {"1"}}
	if _, err := h.FindWorkload("run", []*workload.Workload{&made}, false); err == nil ||
		!strings.Contains(err.Error(), "port") {
		t.Errorf("an unknown option: %v", err)
	}

	s.Workload = w
	if spec := s.spec(plan.Step{}); spec.Given.Get("url") != "http://a" {
		t.Errorf("%+v", spec)
	}
	a, b := s.Header, s.Header
	a.Given = workload.Given{"url": {"http://a"}, "header": {"A: 1", "B: 2"}}
	b.Given = workload.Given{"url": {"http://b"}, "header": {"A: 1", "B: 2"}}
	list, _, err := a.Differences(&b)
	if err != nil || len(list) != 1 || list[0].Name != "url" {
		t.Errorf("%+v, %v", list, err)
	}

	// Passwords are not printed.
	a.Given = workload.Given{"url": {"http://me:secret@a"}, "header": {"Authorization: secret", "B: 2"}}
	b.Given = workload.Given{"url": {"http://b"}, "header": {"Authorization: other secret", "B: 2"}}
	list, _, err = a.Differences(&b)
	if text := fmt.Sprint(list); err != nil || strings.Contains(text, "secret") ||
		text != "[{header Authorization B (new value) Authorization B (old value)} {url http://***@a http://b}]" {
		t.Errorf("%s, %v", text, err)
	}
}

// TestFlakyPreflight checks that a preflight whose request fails is repeated, but not without end, not if the load is
// limited, and not if the design failed otherwise.
func TestFlakyPreflight(t *testing.T) {
	for _, x := range []struct {
		failures                int
		requestsFailed, limited bool
		trials                  int
		passes                  bool
	}{
		{0, true, false, 1, true},
		{2, true, false, 3, true},
		{3, true, false, 4, true},
		{4, true, false, 4, false},
		{1, false, false, 1, false},
		{1, true, true, 1, false},
	} {
		s, specs := openSweep(t, at(1, 1))
		s.Plan.Cases = s.Plan.Cases[:1]
		s.Workload.Preflight, s.Workload.Limited = true, x.limited
		run := s.Run
		s.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
			o, err := run(ctx, spec)
			if len(*specs) <= x.failures {
				o.Trial.Status, o.RequestsFailed = result.Failed, x.requestsFailed
			}
			return o, err
		}
		err := s.preflight(t.Context(), filepath.Join(t.TempDir(), "run"))
		if len(*specs) != x.trials || (err == nil) != x.passes {
			t.Errorf("%+v: %d trials, %v", x, len(*specs), err)
		}
		for i, spec := range *specs {
			if spec.Operations != 1+int64(i%2) { // which a server that fails periodically does not fit
				t.Errorf("trial %d has %d operations", i, spec.Operations)
			}
		}
	}
}
