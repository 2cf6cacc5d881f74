package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// memory is a Store in memory that fails or stops where a test requires it.
type memory struct {
	trials   []result.Trial
	blocks   map[int]int
	ended    bool
	spent    time.Duration
	interims []json.RawMessage
	failAt   int // fail after this many stored trials; 0 never
}

var errDisk = errors.New("disk full")

func (m *memory) Append(t result.Trial, _ map[string][]byte) error {
	if m.failAt > 0 && len(m.trials) == m.failAt {
		return errDisk
	}
	m.trials = append(m.trials, t)
	return nil
}

func (m *memory) Failure(block, order int, _ string) (string, error) {
	return fmt.Sprintf("failures/%d-%d.txt", block, order), nil
}

func (m *memory) EndBlock(block, trials int, spent time.Duration) error {
	m.spent = spent
	if m.blocks == nil {
		m.blocks = map[int]int{}
	}
	if m.blocks[block] != 0 {
		return fmt.Errorf("block %d sealed twice", block)
	}
	m.blocks[block] = trials
	return nil
}

func (m *memory) Interim(decided any) error {
	text, err := json.Marshal(decided)
	m.interims = append(m.interims, text)
	return err
}

func (m *memory) End() error { m.ended = true; return nil }

func testSweep(store Store, run func(context.Context, trial.Spec) (trial.Outcome, error)) *Sweep {
	nothing := func(env.Env, plan.Point) (workload.Stream, error) {
		return workload.Stream{Op: func(env.Env, uint64) {}}, nil
	}
	w := &workload.Workload{Name: "test", Designs: []workload.Design{
		{Name: "a", Stream: nothing}, {Name: "b", Stream: nothing, Expect: workload.WrongAnswer},
	}}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(1)})
	h := Header{
		Workload: "test", Seed: "5", Blocks: 3, Instrumented: true,
		Cases:    []plan.Case{{Design: "a", Point: point}, {Design: "b", Point: point}},
		Settings: Settings{Duration: Duration(time.Second), Warmup: Duration(100 * time.Millisecond)},
	}
	p, err := h.Plan(w)
	if err != nil {
		panic(err)
	}
	return &Sweep{Workload: w, Header: h, Plan: p, Store: store, Run: run, Notify: func(Event) {}}
}

func succeed(_ context.Context, s trial.Spec) (trial.Outcome, error) {
	t := trial.Blank(s)
	t.Status = result.OK
	return trial.Outcome{Trial: t}, nil
}

// positions returns the (block, order, kind, design) of trials, for comparisons.
func positions(trials []result.Trial) []string {
	var list []string
	for _, t := range trials {
		list = append(list, fmt.Sprint(t.Block, t.Order, t.Kind, t.Design))
	}
	return list
}

func TestEveryTrialOnceAndInOrder(t *testing.T) {
	store := &memory{}
	s := testSweep(store, succeed)
	var seeds []uint64
	s.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		seeds = append(seeds, spec.Seed)
		if spec.Duration != time.Second || spec.Warmup != 100*time.Millisecond {
			t.Errorf("spec %+v", spec)
		}
		return succeed(ctx, spec)
	}
	trials, err := s.Execute(t.Context())
	if err != nil || len(trials) != 12 || !store.ended {
		t.Fatalf("%d trials, ended %v, %v", len(trials), store.ended, err)
	}
	if !slices.Equal(positions(trials), positions(store.trials)) {
		t.Error("what is returned is not what was stored")
	}
	one, two := s.Plan.BlockSeed(1), s.Plan.BlockSeed(2)
	if want := []uint64{5, 5, 5, 5, one, one, one, one, two, two, two, two}; !slices.Equal(seeds, want) {
		t.Errorf("seeds %v", seeds)
	}
	for b := range 3 {
		if store.blocks[b] != 4 {
			t.Errorf("block %d was sealed with %d trials", b, store.blocks[b])
		}
	}
}

// TestResumeAnywhere stops the sweep at every trial and resumes it: each trial runs exactly once.
func TestResumeAnywhere(t *testing.T) {
	whole := &memory{}
	if _, err := testSweep(whole, succeed).Execute(t.Context()); err != nil {
		t.Fatal(err)
	}
	for stop := range 12 {
		store := &memory{}
		ctx, cancel := context.WithCancel(t.Context())
		s := testSweep(store, func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
			if len(store.trials) == stop {
				cancel()
				return trial.Outcome{}, ctx.Err()
			}
			return succeed(ctx, spec)
		})
		part, err := s.Execute(ctx)
		if !errors.Is(err, context.Canceled) || len(part) != stop {
			t.Fatalf("stopped at %d: %d trials, %v", stop, len(part), err)
		}
		again := testSweep(store, succeed)
		again.Done = slices.Clone(store.trials)
		again.CompleteBlocks = map[int]bool{}
		for b := range store.blocks {
			again.CompleteBlocks[b] = true
		}
		trials, err := again.Execute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(positions(trials), positions(whole.trials)) ||
			!slices.Equal(positions(store.trials), positions(whole.trials)) || !store.ended {
			t.Errorf("stopped at %d:\n%v\n%v", stop, positions(trials), positions(store.trials))
		}
	}
}

func TestStoreFails(t *testing.T) {
	store := &memory{failAt: 5}
	trials, err := testSweep(store, succeed).Execute(t.Context())
	if !errors.Is(err, errDisk) || len(trials) != 5 {
		t.Errorf("%d trials, %v", len(trials), err)
	}
}

func TestFailuresAreExpectedOrNot(t *testing.T) {
	store := &memory{}
	s := testSweep(store, func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
		tr := trial.Blank(spec)
		tr.Status, tr.Error = result.Wrong, "41"
		return trial.Outcome{Trial: tr, Failure: "41"}, nil
	})
	trials, err := s.Execute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range trials {
		if tr.Expected != (tr.Design == "b") {
			t.Errorf("%s: expected %v", tr.Design, tr.Expected)
		}
		if want := fmt.Sprintf("failures/%d-%d.txt", tr.Block, tr.Order); tr.Error != "41" || tr.Failure != want {
			t.Errorf("error %q in %q, want %q", tr.Error, tr.Failure, want)
		}
	}
}

func TestEstimate(t *testing.T) {
	s := testSweep(&memory{}, succeed)
	var first Event
	s.Notify = func(e Event) {
		if first.Total == 0 {
			first = e
		}
	}
	if _, err := s.Execute(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := 12 * (1100*time.Millisecond + trialOverhead); first.Total != 12 || first.TimeLeft != want {
		t.Errorf("before the first trial: %d trials, %v left; want 12 and %v", first.Total, first.TimeLeft, want)
	}
}

func TestHeaderOfAnotherProgram(t *testing.T) {
	s := testSweep(&memory{}, succeed)
	for name, spoil := range map[string]func(*Header){
		"seed":   func(h *Header) { h.Seed = "x" },
		"blocks": func(h *Header) { h.Blocks = 0 },
		"cases":  func(h *Header) { h.Cases = nil },
		"design": func(h *Header) { h.Cases = []plan.Case{{Design: "c", Point: h.Cases[0].Point}} },
		"factor": func(h *Header) {
			h.Cases = []plan.Case{{Design: "a",
				Point: plan.NewPoint(plan.Setting{Factor: "tea", Level: plan.IntLevel(1)})}}
		},
		"cpus": func(h *Header) { h.Cases = []plan.Case{{Design: "a", Point: plan.NewPoint()}} },
	} {
		h := s.Header
		spoil(&h)
		if _, err := h.Plan(s.Workload); err == nil {
			t.Errorf("a header with a wrong %s is accepted", name)
		}
	}
}

// TestManyBlocks: a sweep that would never end starts, estimates its time, and announces only a few trials.
func TestManyBlocks(t *testing.T) {
	s := testSweep(&memory{}, nil)
	s.Header.World, s.Plan.Instrumented = result.Virtual, false
	s.Plan.Blocks = 1_000_000
	if d := s.Remaining(); d.Round(time.Second) != 2_290_000*time.Second {
		t.Errorf("%d blocks take %v", s.Plan.Blocks, d)
	}
	s.Plan.Blocks = 1_000_000_000_000
	if d := s.Remaining(); d < 100*365*24*time.Hour {
		t.Errorf("%d blocks take %v", s.Plan.Blocks, d)
	}
	const end = 3000
	var told []int // blocks of the first and the last announced trial
	s.Ahead = func(specs []trial.Spec) { told = append(told, specs[0].Block, specs[len(specs)-1].Block) }
	s.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		if spec.Block == end {
			return trial.Outcome{}, context.Canceled
		}
		if from, to := told[len(told)-2], told[len(told)-1]; spec.Block < from ||
			to-spec.Block < lookahead/2/len(s.Plan.Cases) {
			t.Fatalf("at block %d those from %d to %d are told of", spec.Block, from, to)
		}
		return succeed(ctx, spec)
	}
	trials, err := s.Execute(t.Context())
	if len(trials) != 2*end || !errors.Is(err, context.Canceled) {
		t.Errorf("%d trials, %v", len(trials), err)
	}
	// Trials are announced once, again only after half of them are done, and finished trials are not searched in
	// each block.
	if !slices.Equal(told[:8], []int{0, 512, 256, 768, 512, 1024, 768, 1280}) || len(told) != 2*(end/256+1) {
		t.Errorf("told of %v", told)
	}
	told = nil
	s.Restore(trials, s.Store.(*memory).blocks, false)
	if trials, err = s.Execute(t.Context()); len(trials) != 2*end || !errors.Is(err, context.Canceled) ||
		!slices.Equal(told, []int{3000, 3512, 3000, 3512, 3000, 3512}) {
		t.Errorf("continued: %d trials, %v, told of %v", len(trials), err, told)
	}
}
