package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// usualInterims is computed once, because it takes longer than most tests.
var usualInterims = sync.OnceValue(func() *compare.InterimPlan {
	return compare.NewInterimPlan(compare.InterimBlocks(),
		compare.EquivalentFrom)
})

// clock is advanced by trials.
type clock struct{ now time.Time }

// trialTime is the total time of a test trial.
const trialTime = 1100*time.Millisecond + trialOverhead

// budgeted returns a sweep of designs a, b, c and d: b is clearly twice as fast as a, c is like b but differs by up
// to spread from block to block, and d is half as fast as c.
func budgeted(store Store, interims *compare.InterimPlan, budget time.Duration, spread float64) (*Sweep, *clock) {
	nothing := func(env.Env, plan.Point) (workload.Stream, error) {
		return workload.Stream{Op: func(env.Env, uint64) {}}, nil
	}
	w := &workload.Workload{Name: "test"}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(1)})
	h := Header{Workload: "test", Seed: "5", Blocks: 40, Instrumented: true,
		Settings: Settings{Duration: Duration(time.Second), Warmup: Duration(100 * time.Millisecond)},
		Rule: &BudgetRule{Budget: Duration(budget), InterimBlocks: interims.Blocks, Equivalent: interims.Equivalent,
			Spending: SpendingRule, Alpha: 0.05, Margin: 0.02}}
	for _, name := range []string{"a", "b", "c", "d"} {
		w.Designs = append(w.Designs, workload.Design{Name: name, Stream: nothing})
		h.Cases = append(h.Cases, plan.Case{Design: name, Point: point})
	}
	p, err := h.Plan(w)
	if err != nil {
		panic(err)
	}
	c := &clock{time.Unix(0, 0)}
	s := &Sweep{Workload: w, Header: h, Plan: p, Store: store, Notify: func(Event) {},
		Now: func() time.Time { return c.now }}
	s.Criteria = compare.DefaultCriteria("", nil)
	s.Criteria.Interims = interims
	s.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
		c.now = c.now.Add(trialTime)
		t := trial.Blank(spec)
		t.Status, t.WallSeconds = result.OK, 1
		// The golden angle spreads the blocks evenly without a period.
		turn := math.Mod(float64(spec.Block)*0.6180339887, 1)
		speed := map[string]float64{"a": 1, "b": 2, "c": 2 * math.Exp(spread*(2*turn-1)), "d": 1}[spec.Design]
		t.Metrics = result.Metrics{result.Throughput: result.Value(1000 * speed *
			(1 + 0.001*math.Mod(float64(spec.Block)*0.7548776662, 1)*float64(spec.Design[0]-'a')))}
		return trial.Outcome{Trial: t}, nil
	}
	return s, c
}

// blocksOf returns the designs of each block, and how many consecutive blocks have them.
func blocksOf(trials []result.Trial) []string {
	designs := map[int][]string{}
	for _, t := range trials {
		if !slices.Contains(designs[t.Block], t.Design) {
			designs[t.Block] = append(designs[t.Block], t.Design)
		}
	}
	var list []string
	n := 0
	for b := range len(designs) {
		slices.Sort(designs[b])
		n++
		if next := slices.Sorted(slices.Values(designs[b+1])); !slices.Equal(next, designs[b]) {
			list = append(list, fmt.Sprint(n, " of ", strings.Join(designs[b], "")))
			n = 0
		}
	}
	return list
}

func reasons(interims []InterimDecision) []string {
	var list []string
	for _, l := range interims {
		list = append(list, fmt.Sprint(l.After, ": ", l.Reason))
	}
	return list
}

func TestBudget(t *testing.T) {
	interims := usualInterims()
	block := 8 * trialTime // of all four designs, plain and instrumented
	for _, c := range []struct {
		name   string
		budget time.Duration
		spread float64
		blocks []string
		why    []string
	}{
		{"all clear", time.Hour, 0.001, []string{"10 of abcd", "10 of bc"}, // b and c are equal, which takes 20
			[]string{"10: " + compare.SomeUndecided, "15: " + compare.SomeUndecided, "20: " + compare.AllDecided}},
		{"one comparison needs more", time.Hour, 0.05, []string{"10 of abcd", "20 of bc"},
			[]string{"10: " + compare.SomeUndecided, "15: " + compare.SomeUndecided, "20: " + compare.SomeUndecided,
				"30: " + compare.AllDecided}},
		{"one comparison is never decided", time.Hour, 0.2, []string{"10 of abcd", "30 of bc"},
			[]string{"10: " + compare.SomeUndecided, "15: " + compare.SomeUndecided, "20: " + compare.SomeUndecided,
				"30: " + compare.SomeUndecided, "40: " + compare.NoBlocks}},
		{"time for two looks", 10*block + 6*block/2, 0.2, []string{"10 of abcd", "5 of bc"},
			[]string{"10: " + compare.SomeUndecided, "15: " + compare.NoTime}},
		{"time for one look", 12 * block, 0.2, []string{"10 of abcd"}, []string{"10: " + compare.NoTime}},
		{"time for no look", 7*block + block/2, 0.001, []string{"7 of abcd"}, []string{"7: " + compare.NoTime}},
	} {
		store := &memory{}
		s, clock := budgeted(store, interims, c.budget, c.spread)
		trials, err := s.Execute(t.Context())
		if err != nil || !store.ended {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := blocksOf(trials); !slices.Equal(got, c.blocks) {
			t.Errorf("%s: blocks %v, want %v", c.name, got, c.blocks)
		}
		if got := reasons(s.Interims); !slices.Equal(got, c.why) {
			t.Errorf("%s: analyses %q, want %q", c.name, got, c.why)
		}
		if got := s.Conclusion().Block; got != block {
			t.Errorf("%s: a block of all cases takes %v, want %v", c.name, got, block)
		}
		if len(store.interims) != len(s.Interims) {
			t.Errorf("%s: %d decisions stored", c.name, len(store.interims))
		}
		if spent := clock.now.Sub(time.Unix(0, 0)); spent > c.budget || store.spent != spent {
			t.Errorf("%s: %v spent, %v stored, of %v", c.name, spent, store.spent, c.budget)
		}
	}
}

// again resumes what a store holds.
func again(store *memory, interims *compare.InterimPlan, budget time.Duration) *Sweep {
	s, _ := budgeted(store, interims, budget, 0.05)
	s.Done, s.CompleteBlocks, s.Spent = slices.Clone(store.trials), map[int]bool{}, store.spent
	for b := range store.blocks {
		s.CompleteBlocks[b] = true
	}
	var err error
	if s.Interims, err = ReadInterims(store.interims); err != nil {
		panic(err)
	}
	return s
}

// TestBudgetWithLimited checks that the time of a trial that reached its time limit, which spends the budget, is not
// expected of later trials.
func TestBudgetWithLimited(t *testing.T) {
	const limit = 5 * time.Minute
	s, clock := budgeted(&memory{}, usualInterims(), limit+11*6*trialTime, 0.2)
	s.Header.Settings.TimeLimit = Duration(limit)
	run := s.Run
	s.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		if spec.Design != "d" {
			return run(ctx, spec)
		}
		clock.now = clock.now.Add(limit)
		o := trial.Outcome{Trial: trial.Blank(spec), Limited: true}
		o.Trial.Status, o.Trial.Error = result.Failed, "it hangs"
		return o, nil
	}
	trials, err := s.Execute(t.Context())
	if got := blocksOf(trials); err != nil || !slices.Equal(got, []string{"10 of abcd"}) {
		t.Errorf("%q, %v", got, err)
	}
	s.Done, s.CompleteBlocks = trials[:8], nil
	if got, want := s.spentBefore(), limit+6*trialTime+2*trialOverhead; got != want {
		t.Errorf("one block spends %v, not %v", got, want)
	}

	// The case does not run again, and its trials that did not run add no overhead.
	s.Done = nil
	began := clock.now
	p := s.newBudget()
	inside := time.Duration(0)
	for i := range trials[:8] {
		inside += s.trialTime(&trials[i])
	}
	clock.now = began.Add(inside + 7*trialOverhead) // the instrumented trial of the case did not run
	costs := p.costs(trials[:8])
	expected := map[string]time.Duration{} // of "d" 0
	for i := range trials[:8] {
		if t := &trials[i]; t.Design != "d" {
			expected[t.Design] += s.trialTime(t) + trialOverhead
		}
	}
	for i, c := range s.Plan.Cases {
		if want := expected[c.Design]; costs[i] != want {
			t.Errorf("%s costs %v a block, not %v", c.Design, costs[i], want)
		}
	}

	// With another time limit it runs again, and takes time again.
	s.limited = nil
	if got, want := s.newBudget().costs(trials[:8])[3], 2*s.expectedTime(plan.Case{Design: "d"}); got != want ||
		want == 0 {
		t.Errorf("a case that runs again costs %v a block, not %v", got, want)
	}
}

// TestBudgetResumeAnywhere stops a run with a budget at every trial and resumes it. Trials, decisions and spent
// time are those of an uninterrupted run.
func TestBudgetResumeAnywhere(t *testing.T) {
	interims := usualInterims()
	const budget = 24 * 8 * trialTime
	whole := &memory{}
	s, _ := budgeted(whole, interims, budget, 0.05)
	if _, err := s.Execute(t.Context()); err != nil {
		t.Fatal(err)
	}
	for stop := 0; stop < len(whole.trials); stop += 3 { // every position within a block of 8
		store := &memory{}
		s, _ := budgeted(store, interims, budget, 0.05)
		run := s.Run
		s.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
			if len(store.trials) == stop {
				return trial.Outcome{}, context.Canceled
			}
			return run(ctx, spec)
		}
		if part, err := s.Execute(t.Context()); !errors.Is(err, context.Canceled) || len(part) != stop {
			t.Fatalf("stopped at %d: %d trials, %v", stop, len(part), err)
		}
		trials, err := again(store, interims, budget).Execute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(positions(trials), positions(whole.trials)) ||
			!slices.Equal(positions(store.trials), positions(whole.trials)) || !store.ended {
			t.Fatalf("stopped at %d:\n%v\n%v", stop, positions(trials), positions(whole.trials))
		}
		if got, want := fmt.Sprintf("%s", store.interims), fmt.Sprintf("%s", whole.interims); got != want ||
			store.spent != whole.spent {
			t.Fatalf("stopped at %d: looks\n%s after %v\nwant\n%s after %v", stop, got, store.spent, want, whole.spent)
		}
	}
}

// TestDecisionsAreReplayed: stored decisions are followed, whatever would be decided now, and a finished run is
// shown as it is.
func TestDecisionsAreReplayed(t *testing.T) {
	interims := usualInterims()
	store := &memory{}
	s, _ := budgeted(store, interims, time.Hour, 0.001)
	s.Interims = []InterimDecision{{After: 10}, {After: 13}}
	s.Interims[0].Cases, s.Interims[0].Blocks = []int{0, 3}, 3
	trials, err := s.Execute(t.Context())
	if want := []string{"10 of abcd", "3 of ad"}; err != nil || !slices.Equal(blocksOf(trials), want) ||
		len(store.interims) != 0 {
		t.Errorf("blocks %v, %v, %d new looks; want %v", blocksOf(trials), err, len(store.interims), want)
	}
	ended := again(store, interims, time.Hour)
	ended.Interims, ended.Complete = s.Interims, true
	ended.Run = nil
	if shown, err := ended.Execute(t.Context()); err != nil || !slices.Equal(positions(shown), positions(trials)) {
		t.Errorf("an ended run shows %d of %d trials, %v", len(shown), len(trials), err)
	}
	for _, damaged := range [][]InterimDecision{{{After: 12}},
		{{After: 10, Allocation: compare.Allocation{Cases: []int{4}, Blocks: 1}}}} {
		s, _ := budgeted(&memory{}, interims, time.Hour, 0.001)
		s.Interims = damaged
		if _, err := s.Execute(t.Context()); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("decisions %+v: %v", damaged, err)
		}
	}
	if _, err := ReadInterims([]json.RawMessage{[]byte(`{"after":"x"}`)}); err == nil ||
		!strings.Contains(err.Error(), "interim analysis 1") {
		t.Errorf("an invalid decision: %v", err)
	}
}

// TestTimeOverWithinABlock: if trials have an unknown length, the time may end within a block. Its trials are kept
// and shown again.
func TestTimeOverWithinABlock(t *testing.T) {
	interims := usualInterims()
	store := &memory{}
	s, _ := budgeted(store, interims, 3*trialTime, 0.001)
	s.Header.Settings.Operations = 5 // trials of unknown length
	trials, err := s.Execute(t.Context())
	if err != nil || len(trials) != 3 || len(store.trials) != 3 || !store.ended || len(store.blocks) != 0 {
		t.Fatalf("%d trials, %d stored, %d blocks, %v", len(trials), len(store.trials), len(store.blocks), err)
	}
	ended := again(store, interims, 3*trialTime)
	ended.Complete, ended.Run = true, nil
	if shown, err := ended.Execute(t.Context()); err != nil || len(shown) != 3 {
		t.Errorf("shown again: %d trials, %v", len(shown), err)
	}
}

// TestTimeOverAfterAnAnalysis: if the time ends within the first block after an interim analysis, two decisions have
// the same number of blocks. A run that is shown again follows the later one.
func TestTimeOverAfterAnAnalysis(t *testing.T) {
	interims, store := usualInterims(), &memory{}
	s, clock := budgeted(store, interims, time.Hour, 0.2)
	run := s.Run
	s.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		if spec.Block == 10 { // it takes long
			clock.now = clock.now.Add(2 * time.Hour)
		}
		return run(ctx, spec)
	}
	trials, err := s.Execute(t.Context())
	want := []string{"10: " + compare.SomeUndecided, "10: " + compare.NoTime}
	if got := reasons(s.Interims); err != nil || len(trials) != 10*8+1 || !slices.Equal(got, want) || !store.ended {
		t.Fatalf("%d trials, analyses %q, ended %t, %v", len(trials), got, store.ended, err)
	}

	ended := again(store, interims, time.Hour)
	ended.Complete = true
	ended.Run = func(context.Context, trial.Spec) (trial.Outcome, error) { return trial.Outcome{}, errDisk }
	shown, err := ended.Execute(t.Context())
	if err != nil || !slices.Equal(positions(shown), positions(trials)) {
		t.Errorf("shown again: %d of %d trials, %v", len(shown), len(trials), err)
	}
}

// TestInvalidRule checks that a damaged rule of a budget is refused by the name of its directory.
func TestInvalidRule(t *testing.T) {
	for _, blocks := range [][]int{nil, {1, 10}, {10, 5}, {10, 10, 20}} {
		s, _ := budgeted(&memory{}, usualInterims(), time.Hour, 0.1)
		s.Header.Rule.InterimBlocks = blocks
		err := s.RestoreBudget("a-run", nil, 0)
		if err == nil || !strings.HasPrefix(err.Error(), "a-run is not a run") {
			t.Errorf("analyses at %v: %v", blocks, err)
		}
	}
}
