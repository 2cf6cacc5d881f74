package sweep

import (
	"context"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/source"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Store keeps what a sweep measures; *store.Run is one.
type Store interface {
	Append(t result.Trial, histograms map[string][]byte) error
	Failure(block, order int, text string) (path string, err error)
	EndBlock(block, trials int, spent time.Duration) error
	Interim(decided any) error
	End() error
}

// Sweep is a plan under execution.
type Sweep struct {
	Workload *workload.Workload
	Header   Header
	Plan     plan.Plan
	// Run runs one trial; it is trial.Runner.Run but in tests.
	Run   func(context.Context, trial.Spec) (trial.Outcome, error)
	Store Store
	// Pace, if not nil, is asked before each block how long burns by a rate take now, as a multiple of what they
	// should: all trials of the block then have burns of a length that is right. A clock that is slower for minutes
	// would otherwise make all work longer than any prediction could know.
	BurnRatio func(rate float64) float64
	// Ahead, if not nil, is told of the trials that will be run next, in their order.
	Ahead func([]trial.Spec)
	// Done are the trials that an earlier execution stored.
	Done []result.Trial
	// Retry says that cases which the limit of real time has ended in an earlier execution are run again, where trials
	// of them are left: the limit is another one now. Set it before Continue.
	RetryLimited bool
	// Complete says that an earlier execution ended the sweep.
	Complete bool
	// Sealed are the blocks that an earlier execution completed.
	Sealed map[int]bool
	// Recorded are the gaps of recorded arrivals, by the path of their file.
	Arrivals map[string][]time.Duration
	// Costs are those of real code in virtual time; nil: they are measured and forgotten.
	Costs *trial.Recording
	// Notify is told before each trial, and after each block with its trials.
	Notify func(Event)
	// Next, if not nil, decides how many more blocks of all cases follow after some, with the trials so far; 0 ends the
	// sweep. It is asked before the first block too. Plan.Blocks does not count then.
	Next func(blocks int, trials []result.Trial) (more int, err error)

	pool *trial.Pool // that Run and Ahead are of, or nil

	// known are the outcomes of trials that were run before the sweep began; see Settle.
	known map[position]trial.Outcome
	// limited are the outcomes that the limit of real time has ended, by their case: it would end the other
	// replications too.
	limited map[string]*limited
	// paced is what Pace said last; 0: it was not asked.
	measuredRatio float64

	// The rest is for a run with a budget, whose header has a rule.

	// Criteria is how its verdicts are made.
	Criteria compare.Criteria
	// Looks are the decisions of earlier executions, and of this one as it goes.
	Interims []InterimDecision
	// Spent is what earlier executions had spent of the budget when they completed their last block.
	Spent time.Duration
	// Now is the clock that the budget is measured by; nil means time.Now.
	Now func() time.Time
}

// Event is a step of the execution. Trials is set when a block is complete.
type Event struct {
	Step     plan.Step
	Case     plan.Case
	Done     int           // trials finished, those of earlier executions included
	Total    int           // with a budget: up to the next look
	TimeLeft time.Duration // estimate of the time left; 0 where there is none yet; with a budget, what is left of it
	Trials   []result.Trial
	Pilot    bool // it shows how long a warm-up is needed; see Settle
}

// Continue takes in what an earlier execution stored: its trials, the numbers of trials of its complete
// blocks, and whether it ended.
func (s *Sweep) Restore(done []result.Trial, blocks map[int]int, ended bool) {
	s.Done, s.Complete, s.Sealed = done, ended, map[int]bool{}
	for b := range blocks {
		s.Sealed[b] = true
	}
	s.restoreLimited()
}

// Execute runs what is not yet done, block after block, and returns all trials in their order. After
// an error, or when ctx is cancelled, the trials so far are returned with it; all of them are stored.
func (s *Sweep) Execute(ctx context.Context) ([]result.Trial, error) {
	e := s.begin()
	for more := true; more; {
		var err error
		if more, err = e.advance(ctx); err != nil {
			return e.trials, err
		}
	}
	return e.trials, nil
}

// begin is the execution of a sweep before its first block.
func (s *Sweep) begin() *execution {
	if s.pool != nil {
		s.pool.Forget() // pilots
	}
	e := &execution{Sweep: s, stored: map[position]result.Trial{}, lines: s.lines()}
	for _, t := range s.Done {
		e.stored[position{t.Block, t.Order}] = t
	}
	e.clock = s.newProgress(len(e.stored))
	if s.Header.Rule != nil {
		e.budget = s.newBudget()
	}
	e.rule = e.newRule()
	return e
}

// advance runs the next block. More is false once there was none, and the sweep has ended.
func (e *execution) advance(ctx context.Context) (more bool, err error) {
	b := e.blocks
	cases, more, err := e.next(b)
	if err != nil {
		return false, err
	}
	if !more {
		e.trials = append(e.trials, e.leftoverTrials(b)...)
		return false, e.end()
	}
	block, over, err := e.block(ctx, b, cases)
	e.trials = append(e.trials, block...)
	e.blocks++
	if err != nil || !over {
		return true, err
	}
	if err := e.budget.stop(b); err != nil {
		return false, err
	}
	return false, e.end()
}

// end stores that the sweep has ended.
func (e *execution) end() error {
	if e.Complete {
		return nil
	}
	return e.Store.End()
}

// place names a trial within a run.
type position struct{ block, order int }

// execution is a sweep while it is executed.
type execution struct {
	*Sweep
	stored     map[position]result.Trial // by earlier executions
	lines      map[string]*int
	clock      *progress
	budget     *budget // nil without a budget
	rule       blockRule
	segment    segment // of the last block that began
	announceAt int     // the block in which trials are told of ahead again

	trials      []result.Trial // so far
	blocks      int            // begun
	prediction  *execution     // which takes turns with this one, or nil
	interleaved bool           // this is a twin that does
	over        bool           // this is a twin that has ended
}

// next returns the cases of block b. more is false if the sweep ends before it.
func (e *execution) next(b int) (cases []int, more bool, err error) {
	at, err := e.rule.next(e.segment, b, e.trials)
	if err != nil || b >= at.until || len(at.cases) == 0 {
		return nil, false, err
	}

	e.segment = at
	e.clock.total = len(e.trials) + (at.until-b)*e.trialsPerCase()*len(at.cases)
	if at.ahead > 0 {
		e.announce(b, at.ahead, at.cases)
	}
	return at.cases, true, nil
}

// block runs what block b lacks, stores it and returns all of it. over says that the time was over before
// all was done.
func (e *execution) block(ctx context.Context, b int, cases []int) (block []result.Trial, over bool, err error) {
	steps := e.Plan.BlockOf(b, cases)
	asked := false
	for _, step := range steps {
		t, ok := e.stored[position{step.Block, step.Order}]
		if !ok {
			if e.budget != nil && e.budget.left() <= 0 {
				return block, true, nil
			}
			if !asked {
				e.probeBurnRatio()
				asked = true
			}
			e.notify(e.event(step))
			began := time.Now()
			if t, err = e.runTrial(ctx, step, e.lines); err != nil {
				return block, false, err
			}
			e.clock.add(step, time.Since(began))
		}
		block = append(block, t)
	}
	if !e.Sealed[b] {
		var spent time.Duration
		if e.budget != nil {
			spent = e.budget.spent()
		}
		if err := e.Store.EndBlock(b, len(steps), spent); err != nil {
			return block, false, err
		}
	}
	event := e.event(plan.Step{Block: b})
	event.Trials = block
	e.notify(event)
	return block, false, nil
}

// event is the state before a step.
func (e *execution) event(step plan.Step) Event {
	event := e.clock.event(e.Plan, step)
	if e.budget != nil {
		event.TimeLeft = max(0, e.budget.left())
	}
	if e.prediction != nil && event.TimeLeft > 0 {
		event.TimeLeft += e.prediction.clock.left()
	}
	return event
}

// leftover are the trials of a block that an earlier execution began and had no time to finish.
func (e *execution) leftoverTrials(b int) []result.Trial {
	var trials []result.Trial
	for order := 0; ; order++ {
		t, ok := e.stored[position{b, order}]
		if !ok {
			return trials
		}
		trials = append(trials, t)
	}
}

// Total is the number of trials of the plan; with a budget, of its first look.
func (s *Sweep) TotalTrials() int { return s.Plan.Blocks * len(s.Plan.Block(0)) }

// First are the specifications of the trials of the first block.
func (s *Sweep) FirstBlock() []trial.Spec { return s.specsOf(0, s.allCases()) }

// specsOf are the specifications of the trials of the cases in a block.
func (s *Sweep) specsOf(block int, cases []int) []trial.Spec {
	var specs []trial.Spec
	for _, step := range s.Plan.BlockOf(block, cases) {
		specs = append(specs, s.spec(step))
	}
	return specs
}

// Foresee is how long what is left of the sweep will take, without the trials of which nobody knows.
func (s *Sweep) Remaining() time.Duration {
	var block, done float64
	for _, spec := range s.FirstBlock() {
		block += float64(s.expectedTime(spec.Design))
	}
	for _, t := range s.Done {
		done += float64(s.expectedTime(t.Design))
	}
	return time.Duration(min(float64(s.Plan.Blocks)*block-done, 1<<62))
}

// HasJobs reports whether some design is a job, whose time nobody knows beforehand.
func (s *Sweep) HasJobs() bool {
	for _, c := range s.Plan.Cases {
		if d, _ := s.Workload.Find(c.Design); d.Job != nil {
			return true
		}
	}
	return false
}

// one runs and stores one trial.
func (s *Sweep) runTrial(ctx context.Context, step plan.Step, lines map[string]*int) (result.Trial, error) {
	spec := s.spec(step)
	outcome, known := s.limitedOutcome(spec)
	if !known {
		outcome, known = s.known[position{step.Block, step.Order}]
	}
	if !known {
		var err error
		if outcome, err = s.Run(ctx, spec); err != nil {
			return result.Trial{}, err
		}
		s.recordLimited(spec, outcome).reported = true
	}
	t := outcome.Trial
	t.Limited = outcome.Limited
	s.declare(&t, spec)
	s.addModelResponse(&t, s.Plan.Cases[step.Case], spec.Open)
	t.Lines = lines[t.Design]
	if outcome.Failure != "" {
		path, err := s.Store.Failure(step.Block, step.Order, outcome.Failure)
		if err != nil {
			return t, err
		}
		t.Failure = "failures/" + filepath.Base(path) // within the run directory, which may be moved
	}
	return t, s.Store.Append(t, outcome.Histograms)
}

// declare adds to a trial what its design says of itself.
func (s *Sweep) declare(t *result.Trial, spec trial.Spec) {
	design, _ := s.Workload.Find(t.Design)
	t.Expected = trial.Expected(design.Expect, t.Status) || t.Invalid
	t.Bound, t.Reference = design.Expect == workload.Bound, design.Reference
	t.Type = design.Type()
	t.Point = spec.Point
}

// spec is the specification of a step's trial.
func (s *Sweep) spec(step plan.Step) trial.Spec {
	c := s.Plan.Cases[step.Case]
	set := s.Header.Settings
	return trial.Spec{
		Workload: s.Workload.Name, Design: c.Design, Point: c.Point,
		Block: step.Block, Order: step.Order, Seed: s.Plan.BlockSeed(step.Block), Instrumented: step.Instrumented,
		Profiled: step.Instrumented && set.Profile,
		Duration: time.Duration(set.Duration), Warmup: time.Duration(set.Warmup),
		Operations: set.Operations, Sample: set.Sample, BurnRate: s.burnRate(), BurnRatio: s.measuredRatio,
		Open: s.openLoad(c), Recording: s.Costs, Disturb: s.Header.World == result.Virtual,
	}
}

// lines counts the code of each design; nil where its source is not at hand, or its owner's.
func (s *Sweep) lines() map[string]*int {
	m := source.Count(s.Workload)
	for _, d := range s.Workload.Designs {
		if d.Type() == result.Benchmark {
			delete(m, d.Name)
		}
	}
	return m
}
