package sweep

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// TestLimitedLoad checks that load on other machines needs a rate and a number of operations, and is no more than that:
// no capacity is measured, and there is no warm-up.
func TestLimitedLoad(t *testing.T) {
	s, specs := openSweep(t, at(2, 8, setting("rate", 50)))
	s.Workload.Limited = true
	for _, c := range []struct {
		levels     map[string]string
		operations int64
		refused    bool
	}{
		{map[string]string{"rate": "50"}, 100, false},
		{map[string]string{"rate": "50"}, 0, true},
		{map[string]string{"rate": "50"}, minLimited, false},
		{map[string]string{"rate": "50"}, minLimited - 1, true}, // a trial may have no request
		{map[string]string{"load": "0.5"}, 100, true},
		{nil, 100, true},
	} {
		_, err := Selection{Levels: c.levels, Operations: c.operations}.Cases(s.Workload)
		var r *plan.Refusal
		if c.refused != errors.As(err, &r) || !c.refused && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}

	if err := s.PrepareRun(t.Context(), filepath.Join(t.TempDir(), "run"), nil, nil); err != nil ||
		len(*specs) != 0 {
		t.Errorf("%v, %d trials before the run", err, len(*specs))
	}
	s.Header.Settings.Operations, s.Header.Settings.Warmup = 100, Duration(time.Hour)
	x := s.spec(plan.Step{})
	if x.Duration != 2*time.Second || x.Warmup != 0 || x.Operations != 0 || x.Open.Rate != 50 {
		t.Errorf("%+v", x)
	}
	if !x.Open.Ends {
		t.Error("requests arrive after the window")
	}

	// Other settings than operations and rate have no effect on the time of a trial.
	if got := s.expectedTime(s.Plan.Cases[0]); got != 2*time.Second+trialOverhead {
		t.Errorf("100 operations at 50 a second take %v", got)
	}
	s.Done = []result.Trial{{Design: s.Plan.Cases[0].Design,
		Point: plan.NewPoint(plan.Setting{Factor: "rate", Level: plan.IntLevel(50)})}} // as it is stored
	if got, want := s.Remaining(), 5*(2*time.Second+trialOverhead); got != want { // 2 blocks of 3 designs, 1 is done
		t.Errorf("%v remain, want %v", got, want)
	}
	s.Done = nil
	for limit, refused := range map[time.Duration]bool{4 * time.Second: true, 4*time.Second + 1: false} {
		l := Live{Warmup: time.Hour, Duration: time.Hour, Operations: 100, TimeLimit: limit, Oversubscribe: true}
		h := s.Header
		for _, err := range []error{l.CheckCases(s.Workload, s.Plan.Cases),
			h.LimitTrials(s.Workload, limit, s.Plan.Cases)} {
			var r *plan.Refusal
			if errors.As(err, &r) != refused ||
				refused && !strings.Contains(err.Error(), "twice operations / rate, 4s") {
				t.Errorf("a limit of %v: %v", limit, err)
			}
		}
	}

	for operations, want := range map[int64]time.Duration{100: 2 * 2 * time.Second, 500_000: 2 * 10_000 * time.Second} {
		got := DefaultTimeLimit(s.Workload, s.Plan.Cases, time.Hour, time.Second, operations)
		if got != want+30*time.Second {
			t.Errorf("%d operations at 50 a second have a limit of %v", operations, got)
		}
	}
}

// TestOperationsOfOpenLoop checks that the refusal of a number of operations names the hosts that have one, if the
// workload has an option for them.
func TestOperationsOfOpenLoop(t *testing.T) {
	s, _ := openSweep(t, at(2, 8, setting("rate", 50)))
	for _, has := range []bool{false, true} {
		_, err := Selection{Levels: map[string]string{"rate": "50"}, Operations: 100}.Cases(s.Workload)
		if err == nil || strings.Contains(err.Error(), "allow-host") != has {
			t.Errorf("option allow-host %t: %v", has, err)
		}
		s.Workload.Options = []workload.Option{{Name: "allow-host"}}
		s.Workload.Given = workload.Given{}
	}
}

// TestRemoteTimeLimit checks that a trial has time to start a server.
func TestRemoteTimeLimit(t *testing.T) {
	s, _ := openSweep(t, at(1, 1))
	limit := func() time.Duration { return DefaultTimeLimit(s.Workload, s.Plan.Cases, 0, time.Second, 0) }
	local := limit()
	s.Workload.Designs = append([]workload.Design(nil), s.Workload.Designs...)
	for i := range s.Workload.Designs {
		s.Workload.Designs[i].Remote = true
	}
	if remote := limit(); remote != local+3*time.Minute {
		t.Errorf("%v and %v", local, remote)
	}
}

// TestRemoteLines checks that a remote design has no lines of code, which would be those of its client.
func TestRemoteLines(t *testing.T) {
	s, _ := openSweep(t, at(1, 1))
	s.Workload.Designs = append([]workload.Design(nil), s.Workload.Designs...)
	for i := range s.Workload.Designs {
		d := &s.Workload.Designs[i]
		d.Program, d.Remote = &workload.Program{Source: "package client\n"}, i == 0
		if lines := s.lines()[d.Name]; lines == nil != d.Remote {
			t.Errorf("%s: remote is %t, %v lines", d.Name, d.Remote, lines)
		}
	}
}
