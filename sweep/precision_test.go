package sweep

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func TestPrecisionInterims(t *testing.T) {
	p := NewPrecision(0.01)
	var interims []int
	for n := p.MinReplications; n < p.MaxReplications; n = p.after(n) {
		interims = append(interims, n)
	}
	if want := []int{10, 15, 23, 35, 53, 80, 120, 180, 270, 405, 608, 912}; !slices.Equal(interims, want) {
		t.Errorf("analyses %v, want %v", interims, want)
	}
}

func TestPrecisionRule(t *testing.T) {
	for _, p := range []Precision{{}, {Relative: 0.1, MinReplications: 1, MaxReplications: 5},
		{Relative: 0.1, MinReplications: 10, MaxReplications: 9},
		{Relative: -1, MinReplications: 10, MaxReplications: 90}} {
		if p.Validate() == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
	if err := NewPrecision(0.05).Validate(); err != nil {
		t.Error(err)
	}
}

// virtualSweep returns a sweep in virtual time with given results.
func virtualSweep(store Store, say func(trial.Spec) result.Metrics) *Sweep {
	s := testSweep(store, func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
		t := trial.Blank(spec)
		t.Status, t.World, t.Metrics = result.OK, result.Virtual, say(spec)
		return trial.Outcome{Trial: t}, nil
	})
	for i := range s.Workload.Designs {
		s.Workload.Designs[i].Expect = workload.Right
	}
	s.Header.World, s.Header.Instrumented = result.Virtual, false
	s.Plan.Instrumented = false
	return s
}

// TestPrecision: a case continues until its means are precise, and no longer. A resumed run decides the same.
func TestPrecision(t *testing.T) {
	say := func(spec trial.Spec) result.Metrics {
		rate := 100.0
		switch spec.Design {
		case "a": // half-width at n: about 2.1 * 0.1 / sqrt(n)
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
	s.Header.Precision = NewPrecision(0.04)
	s.Plan.Blocks = s.Header.Precision.MaxReplications
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
		c.Restore(store.trials[:cut], nil, false)
		if got, err := c.Execute(t.Context()); err != nil || !slices.Equal(positions(got), positions(trials)) {
			t.Errorf("continued after %d trials: %d trials, %v", cut, len(got), err)
		}
	}
}

// TestPrecisionGivesUp: failing trials are not repeated forever, nor are cases that never get precise.
func TestPrecisionGivesUp(t *testing.T) {
	s := virtualSweep(&memory{}, func(spec trial.Spec) result.Metrics {
		return result.Metrics{result.Throughput: result.Value(1 + spec.Block%2), result.LatencyMean: 1}
	})
	s.Header.Precision = &Precision{Relative: 0.001, MinReplications: 10, MaxReplications: 40}
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

func TestFindWarmup(t *testing.T) {
	const ms, second = time.Millisecond, time.Second
	always := func(d time.Duration) func(string, time.Duration, int) time.Duration {
		return func(string, time.Duration, int) time.Duration { return d }
	}
	for _, test := range []struct {
		name string
		// transient returns the transient of a design's pilot, by round and total length; negative: not settled
		transient        func(design string, whole time.Duration, round int) time.Duration
		warmup, duration time.Duration
		pilots           [2]int // of a and b
		warned, told     bool
		settled          string // "": any
	}{
		{"at once", always(0), 100 * ms, second, [2]int{1, 1}, false, false, ""},
		{"within the warm-up", always(90 * ms), 100 * ms, second, [2]int{1, 1}, false, false, ""},
		{"whoever it is", func(d string, _ time.Duration, _ int) time.Duration {
			return map[string]time.Duration{"b": 1, "a": 412345678}[d]
		}, 420 * ms, second, [2]int{5, 1}, false, true, ""},
		{"the slowest counts for all", func(d string, _ time.Duration, _ int) time.Duration {
			return map[string]time.Duration{"a": 1, "b": 412345678}[d]
		}, 420 * ms, second, [2]int{1, 5}, false, true, "all designs have a warm-up of 420ms, because b (cpus=1 " +
			"workers=1) took 412ms to settle"},
		{"a tenth", always(105 * ms), 110 * ms, second, [2]int{1, 1}, false, true, ""},
		{"one long busy period", func(d string, _ time.Duration, round int) time.Duration {
			return []time.Duration{300 * ms, 0, -1, 50 * ms, 0}[round]
		}, 100 * ms, second, [2]int{5, 5}, false, false, ""},
		{"busy periods in most pilots", func(d string, _ time.Duration, round int) time.Duration {
			return []time.Duration{300 * ms, 200 * ms, -1, 50 * ms, 500 * ms}[round]
		}, 110 * ms, second, [2]int{5, 5}, false, true, ""},
		{"in the second half", always(700 * ms), 1100 * ms, 1100 * ms, [2]int{6, 6}, false, true, ""},
		{"later still", func(_ string, whole time.Duration, _ int) time.Duration {
			if whole < 4*second {
				return -1
			}
			return second
		}, 2200 * ms, 2200 * ms, [2]int{11, 11}, false, true, ""},
		{"never", always(-1), 8800 * ms, 8800 * ms, [2]int{25, 25}, true, true,
			"all designs have a warm-up of 8.8s and a window of 8.8s instead of 100ms and 1s, because a (cpus=1 " +
				"workers=1) had not settled after half of 8.8s"},
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
				seeds[spec.Seed]++
				r := trial.Blank(spec)
				r.Status, r.World = result.OK, result.Virtual
				round := 0
				for i := range pilotRounds {
					if spec.Seed == plan.PilotSeed(i) {
						round = i
						pilots[spec.Design]++
					}
				}
				d := test.transient(spec.Design, spec.Warmup+spec.Duration, round)
				r.Metrics = result.Metrics{result.Throughput: result.Value(spec.Warmup),
					result.Transient: result.Value(d.Seconds())}
				if d < 0 {
					r.Metrics[result.Transient] = result.Unavailable
				}
				return trial.Outcome{Trial: r}, nil
			}
			if err := s.FindWarmup(t.Context()); err != nil {
				t.Fatal(err)
			}
			if told != pilots["a"]+pilots["b"] {
				t.Errorf("%s: %d pilots announced of %v", test.name, told, pilots)
			}
			set := s.Header.Settings
			if got := [2]int{pilots["a"], pilots["b"]}; time.Duration(set.Warmup) != test.warmup ||
				time.Duration(set.Duration) != test.duration || got != test.pilots {
				t.Errorf("%s: warm-up %v, window %v after %v pilots, want %v, %v, %v", test.name,
					time.Duration(set.Warmup), time.Duration(set.Duration), got, test.warmup, test.duration,
					test.pilots)
			}
			if (len(s.Header.Warnings) > 0) != test.warned || (s.Header.WarmupReason != "") != test.told {
				t.Errorf("%s: warnings %q, settled %q", test.name, s.Header.Warnings, s.Header.WarmupReason)
			}
			if test.settled != "" && s.Header.WarmupReason != test.settled {
				t.Errorf("%s: %q", test.name, s.Header.WarmupReason)
			}
			trials, err := s.Execute(t.Context())
			if err != nil || len(trials) != 2*blocks {
				t.Errorf("%s: %d trials of %d blocks, %v", test.name, len(trials), blocks, err)
			}
			for _, r := range trials {
				if got := time.Duration(r.Metrics[result.Throughput]); got != test.warmup {
					t.Errorf("%s: a trial has a warm-up of %v", test.name, got)
				}
			}
			for b := range blocks {
				if n := seeds[s.Plan.BlockSeed(b)]; n != 2 {
					t.Errorf("%s: %d runs have the seed of block %d, want those of its 2 trials", test.name, n, b)
				}
			}
		}
	}
}

// TestWarmupWithoutDraws: the pilot of a design without random draws is its first trial.
func TestWarmupWithoutDraws(t *testing.T) {
	runs := 0
	s := virtualSweep(&memory{}, nil)
	s.Header.Blocks, s.Plan.Blocks, s.Plan.Seed = 1, 1, 7
	s.Notify = func(Event) {}
	s.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
		runs++
		r := trial.Blank(spec)
		r.Status, r.World, r.Metrics = result.OK, result.Virtual,
			result.Metrics{result.Throughput: 1, result.Transient: 0}
		if spec.Design == "a" {
			r.Period = &result.Period{Operations: 1, Seconds: 1, Repeats: 10}
		}
		return trial.Outcome{Trial: r}, nil
	}
	if err := s.FindWarmup(t.Context()); err != nil {
		t.Fatal(err)
	}
	trials, err := s.Execute(t.Context())
	if err != nil || len(trials) != 2 || runs != 3 {
		t.Fatalf("%d trials in %d runs, %v; want 2 in 3", len(trials), runs, err)
	}
	for _, r := range trials {
		if r.Seed != "7" {
			t.Errorf("the trial of %s has seed %s, want 7", r.Design, r.Seed)
		}
	}
}

// TestWarmupWithinRecording: a window does not exceed the recording of real code.
func TestWarmupWithinRecording(t *testing.T) {
	for longest, want := range map[time.Duration][2]time.Duration{
		2 * time.Second: {100 * time.Millisecond, time.Second},
		4 * time.Second: {1100 * time.Millisecond, 1100 * time.Millisecond},
	} {
		s := virtualSweep(&memory{}, nil)
		s.Header.Blocks, s.Plan.Blocks, s.Header.ReplayedFile = 1, 1, &InputFile{Path: "costs"}
		s.Notify = func(Event) {}
		s.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
			r := trial.Blank(spec)
			r.Status, r.World, r.Metrics = result.OK, result.Virtual,
				result.Metrics{result.Transient: result.Unavailable}
			if spec.Warmup+spec.Duration > longest {
				r.Status, r.Metrics = result.Failed, nil
			}
			return trial.Outcome{Trial: r}, nil
		}
		if err := s.FindWarmup(t.Context()); err != nil {
			t.Fatal(err)
		}
		set := s.Header.Settings
		got := [2]time.Duration{time.Duration(set.Warmup), time.Duration(set.Duration)}
		if got != want || len(s.Header.Warnings) != 1 ||
			!strings.Contains(s.Header.Warnings[0], "where the recording ends") {
			t.Errorf("a recording of %v: warm-up and window %v, want %v; warnings %q", longest, got, want,
				s.Header.Warnings)
		}
	}
}
