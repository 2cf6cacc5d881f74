package sweep

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func TestLooksOfPrecision(t *testing.T) {
	p := UpTo(0.01)
	var looks []int
	for n := p.First; n < p.Most; n = p.after(n) {
		looks = append(looks, n)
	}
	if want := []int{10, 15, 23, 35, 53, 80, 120, 180, 270, 405, 608, 912}; !slices.Equal(looks, want) {
		t.Errorf("looks %v, want %v", looks, want)
	}
}

func TestRuleOfPrecision(t *testing.T) {
	for _, p := range []Precision{{}, {Relative: 0.1, First: 1, Most: 5}, {Relative: 0.1, First: 10, Most: 9}, {Relative: -1, First: 10, Most: 90}} {
		if p.Validate() == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
	if err := UpTo(0.05).Validate(); err != nil {
		t.Error(err)
	}
}

// virtualSweep is a sweep in virtual time whose trials say what they are made to say.
func virtualSweep(store Store, say func(trial.Spec) result.Metrics) *Sweep {
	s := testSweep(store, func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
		t := trial.Blank(spec)
		t.Status, t.World, t.Metrics = result.OK, result.Virtual, say(spec)
		return trial.Outcome{Trial: t}, nil
	})
	for i := range s.Workload.Designs {
		s.Workload.Designs[i].Expect = workload.Right
	}
	s.Header.World, s.Header.Observed = result.Virtual, false
	s.Plan.Observed = false
	return s
}

// TestPrecision: a case goes on until its means are known well enough, and no longer; a run that is continued
// decides the same.
func TestPrecision(t *testing.T) {
	say := func(spec trial.Spec) result.Metrics {
		rate := 100.0
		switch spec.Design {
		case "a": // half of the interval at n: about 2.1 * 0.1 / sqrt(n)
			rate += float64(spec.Block%2)*20 - 10
		}
		return result.Metrics{result.Throughput: result.Value(rate), result.LatencyMean: 1e6}
	}
	counts := func(trials []result.Trial) map[string]int {
		n := map[string]int{}
		for _, t := range trials {
			n[t.Design]++
		}
		return n
	}
	store := &memory{}
	s := virtualSweep(store, say)
	s.Header.Precision = UpTo(0.04)
	s.Plan.Blocks = s.Header.Precision.Most
	var told []int
	s.Ahead = func(specs []trial.Spec) { told = append(told, len(specs)) }
	trials, err := s.Execute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// 2.1 * 0.102 / sqrt(35) = 0.036; at 23 it is 0.044.
	if n := counts(trials); n["a"] != 35 || n["b"] != 10 {
		t.Errorf("%v replications, want 35 of a, which scatters, and 10 of b", n)
	}
	if !store.ended || !slices.Equal(told, []int{20, 5, 8, 12}) {
		t.Errorf("ended %v, told %v", store.ended, told)
	}
	for _, cut := range []int{7, 20, 22, len(trials)} {
		again := &memory{}
		c := virtualSweep(again, say)
		c.Header.Precision, c.Plan.Blocks = s.Header.Precision, s.Plan.Blocks
		c.Continue(store.trials[:cut], nil, false)
		if got, err := c.Execute(t.Context()); err != nil || !slices.Equal(places(got), places(trials)) {
			t.Errorf("continued after %d trials: %d trials, %v", cut, len(got), err)
		}
	}
}

// TestPrecisionGivesUp: trials that go wrong are not repeated for ever, and neither is what never gets precise.
func TestPrecisionGivesUp(t *testing.T) {
	s := virtualSweep(&memory{}, func(spec trial.Spec) result.Metrics {
		return result.Metrics{result.Throughput: result.Value(1 + spec.Block%2), result.LatencyMean: 1}
	})
	s.Header.Precision = &Precision{Relative: 0.001, First: 10, Most: 40}
	s.Plan.Blocks = 40
	run := s.Run
	s.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		o, err := run(ctx, spec)
		if spec.Design == "b" {
			o.Trial.Status = result.Failed
		}
		return o, err
	}
	trials, err := s.Execute(t.Context())
	if err != nil || len(trials) != 40+10 {
		t.Errorf("%d trials, %v; want 40 of a and 10 of b", len(trials), err)
	}
}

func TestSettle(t *testing.T) {
	const second = time.Second
	for _, test := range []struct {
		name             string
		transient        func(design string, whole time.Duration) time.Duration // negative: not settled
		warmup, duration time.Duration
		pilots, apart    int // with one replication, and with several
		warned, told     bool
	}{
		{"at once", func(string, time.Duration) time.Duration { return 0 }, 100 * time.Millisecond, second, 1, 1, false, false},
		{"within the warm-up", func(string, time.Duration) time.Duration { return 90 * time.Millisecond }, 100 * time.Millisecond, second, 1, 1, false, false},
		{"whoever it is", func(d string, _ time.Duration) time.Duration {
			return map[string]time.Duration{"b": 1, "a": 412345678}[d]
		}, 420 * time.Millisecond, second, 2, 1, false, true},
		{"the slowest counts for all", func(d string, _ time.Duration) time.Duration {
			return map[string]time.Duration{"a": 1, "b": 412345678}[d]
		}, 420 * time.Millisecond, second, 2, 1, false, true},
		{"in the second half", func(string, time.Duration) time.Duration { return 700 * time.Millisecond }, 1100 * time.Millisecond, 1100 * time.Millisecond, 2, 2, false, true},
		{"later still", func(_ string, whole time.Duration) time.Duration {
			if whole < 4*second {
				return -1
			}
			return second
		}, 2200 * time.Millisecond, 2200 * time.Millisecond, 3, 3, false, true},
		{"never", func(_ string, whole time.Duration) time.Duration { return -1 }, 8800 * time.Millisecond, 8800 * time.Millisecond, 5, 5, true, true},
	} {
		for _, blocks := range []int{1, 3} {
			pilots, seeds, told := map[string]int{}, map[uint64]int{}, 0
			s := virtualSweep(&memory{}, nil)
			s.Notify = func(e Event) {
				if e.Pilot {
					told++
				}
			}
			s.Header.Blocks, s.Plan.Blocks = blocks, blocks
			s.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
				pilots[spec.Design]++
				seeds[spec.Seed]++
				r := trial.Blank(spec)
				r.Status, r.World = result.OK, result.Virtual
				d := test.transient(spec.Design, spec.Warmup+spec.Duration)
				r.Metrics = result.Metrics{result.Throughput: result.Value(spec.Warmup), result.Transient: result.Value(d.Seconds())}
				if d < 0 {
					r.Metrics[result.Transient] = result.Unavailable
				}
				return trial.Outcome{Trial: r}, nil
			}
			if err := s.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if told != pilots["a"]+pilots["b"] {
				t.Errorf("%s: %d pilots announced of %v", test.name, told, pilots)
			}
			want, all := test.pilots, test.pilots
			if blocks > 1 { // pilots of other customers are no trials
				want = test.apart
				all = want + blocks
			}
			set := s.Header.Settings
			if time.Duration(set.Warmup) != test.warmup || time.Duration(set.Duration) != test.duration || pilots["a"] != want || pilots["b"] != want {
				t.Errorf("%s: warm-up %v, window %v after %v pilots, want %v, %v, %d", test.name, time.Duration(set.Warmup), time.Duration(set.Duration), pilots, test.warmup, test.duration, want)
			}
			if (len(s.Header.Warnings) > 0) != test.warned || (s.Header.Settled != "") != test.told {
				t.Errorf("%s: warnings %q, settled %q", test.name, s.Header.Warnings, s.Header.Settled)
			}
			trials, err := s.Execute(t.Context())
			if err != nil || len(trials) != 2*blocks || pilots["a"] != all {
				t.Errorf("%s: %d trials of %d blocks, %v runs, %v", test.name, len(trials), blocks, pilots, err)
			}
			for _, r := range trials {
				if got := time.Duration(r.Metrics[result.Throughput]); got != test.warmup {
					t.Errorf("%s: a trial has a warm-up of %v", test.name, got)
				}
			}
			if n := seeds[s.Plan.BlockSeed(0)]; blocks > 1 && n != 2 {
				t.Errorf("%s: %d runs have the customers of the first block, want those of its 2 trials", test.name, n)
			}
		}
	}
}
