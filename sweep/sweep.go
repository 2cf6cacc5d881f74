package sweep

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
	"github.com/brewput/brewput/workload/source"
)

// Store keeps the results of a sweep. *store.Run implements it.
type Store interface {
	Append(t result.Trial, histograms map[string][]byte) error
	Failure(block, order int, text string) (path string, err error)
	EndBlock(block, trials int, spent time.Duration) error
	Interim(decided any) error
	End() error
}

// Sweep is a plan and everything needed to execute it. Use New; its functions may be nil, except Run.
type Sweep struct {
	Workload *workload.Workload
	Header   Header
	Plan     plan.Plan
	// Run runs one trial. Tests replace it.
	Run   func(context.Context, trial.Spec) (trial.Outcome, error)
	Store Store
	// Prepare, if not nil, is called at the beginning of an execution without a prediction, unless the sweep is
	// complete. Its time is not part of a budget.
	Prepare func(context.Context) error
	// BurnRatio, if not nil, measures the ratio of actual to nominal burn time at a burn rate. It is called before
	// each block, and corrects the burns of the block. A CPU clock that slows down for minutes would otherwise
	// lengthen all work, which no prediction could know.
	BurnRatio func(rate float64) float64
	// Ahead, if not nil, is called with the trials that follow, in order, so that a runner can begin them early.
	Ahead func([]trial.Spec)
	// Done holds the trials that earlier executions stored.
	Done []result.Trial
	// RetryLimited is the number of trials of Done before the last change of the time limit. Cases that reached the
	// limit in one of them are repeated. math.MaxInt: in any trial. Set it before Restore.
	RetryLimited int
	LimitChanged bool // the time limit has changed since the run began
	// Complete is set if an earlier execution ended the sweep.
	Complete bool
	// CompleteBlocks holds the blocks that earlier executions completed.
	CompleteBlocks map[int]bool
	// Arrivals holds the gaps between recorded arrivals, by path.
	Arrivals map[string][]time.Duration
	// Costs holds the recorded CPU time of real code in virtual time. If nil, code is timed as it runs.
	Costs *trial.Recording
	// Notify, if not nil, is called before each trial, and after each block with its trials.
	Notify func(Event)
	// Next, if not nil, decides how many more blocks of all cases to run, from the number of blocks and the trials
	// so far. 0 ends the sweep. It is also called before the first block. Plan.Blocks is then ignored.
	Next func(blocks int, trials []result.Trial) (more int, err error)

	inputs map[string]os.FileInfo // the files of the workload when they were read, by path

	pool *trial.Pool // provides Run and Ahead; may be nil

	// known holds the outcomes of trials that ran before the sweep began; see FindWarmup.
	known map[position]trial.Outcome
	// limited holds outcomes that the time limit ended, by case. Other replications of the case would reach it
	// too.
	limited  map[string]*limited
	preflown bool // the preflight of PrepareRun has ended
	// preflightTimes is how long the preflight of each design took; empty in a run that is resumed.
	preflightTimes map[string]time.Duration
	// measuredRatio is the last result of BurnRatio; 0 before the first call.
	measuredRatio float64

	Criteria compare.Criteria // decides the verdicts

	// The rest is used only with a budget.

	// Interims holds the interim decisions of earlier executions and of this one.
	Interims []InterimDecision
	// Spent is the part of the budget that earlier executions had spent at the end of their last complete block.
	Spent time.Duration
	// Now is the clock of the budget, also of a gate; nil means time.Now.
	Now func() time.Time
}

// Event reports a step of the execution. Trials is set at the end of a block.
type Event struct {
	Step     plan.Step
	Case     plan.Case
	Done     int           // trials finished, including those of earlier executions
	Total    int           // with a budget: up to the next interim analysis; 0 if unknown
	TimeLeft time.Duration // estimated time left, 0 if unknown; with a budget, what remains of it
	Trials   []result.Trial
	Pilot    bool // a pilot, which finds the warm-up; see FindWarmup
	Predicts bool // the trial is a prediction, and Done and Total count predictions
}

// Restore adds what earlier executions stored: trials, the complete blocks with their number of trials, and whether
// the sweep ended.
func (s *Sweep) Restore(done []result.Trial, blocks map[int]int, ended bool) {
	s.Done, s.Complete, s.CompleteBlocks = done, ended, map[int]bool{}
	for b := range blocks {
		s.CompleteBlocks[b] = true
	}
	s.restoreLimited()
}

// Execute runs the missing trials block by block, and returns all trials in order. If it fails or ctx is cancelled,
// it returns the trials so far with the error; all of them are stored.
func (s *Sweep) Execute(ctx context.Context) ([]result.Trial, error) {
	if s.Prepare != nil && !s.Complete {
		if err := s.Prepare(ctx); err != nil {
			return s.Done, err
		}
	}
	e := s.begin()
	defer s.forget() // after an error, what follows is not needed
	for more := true; more; {
		var err error
		if more, err = e.advance(ctx); err != nil {
			return e.trials, err
		}
	}
	return e.trials, nil
}

// TotalTrials returns the number of trials of the plan; with a budget or a precision, the most there can be.
func (s *Sweep) TotalTrials() int { return s.Plan.Blocks * len(s.Plan.Block(0)) }

// firstBlock returns the specifications of the trials of the first block.
func (s *Sweep) firstBlock() []trial.Spec { return s.specsOf(0, s.allCases()) }

// specsOf returns the specifications of the trials of some cases in a block.
func (s *Sweep) specsOf(block int, cases []int) []trial.Spec {
	var specs []trial.Spec
	for _, step := range s.Plan.BlockOf(block, cases) {
		specs = append(specs, s.spec(step))
	}
	return specs
}

// Remaining returns the expected time of the rest of the sweep. Trials of unknown length count as 0.
func (s *Sweep) Remaining() time.Duration {
	var block, done float64
	for _, spec := range s.firstBlock() {
		block += float64(s.expectedTime(plan.Case{Design: spec.Design, Point: spec.Point}))
	}
	for _, t := range s.Done {
		done += float64(s.expectedTime(plan.Case{Design: t.Design, Point: t.Point}))
	}
	return time.Duration(min(float64(s.Plan.Blocks)*block-done, 1<<62))
}

// hasJobs reports whether some designs are jobs, whose length is unknown in advance.
func (s *Sweep) hasJobs() bool {
	for _, c := range s.Plan.Cases {
		if d, _ := s.Workload.Find(c.Design); d.Job != nil {
			return true
		}
	}
	return false
}

// settings returns the settings of a case's trials. A limited load has a window instead of operations. The levels of
// the case may be those of a stored trial, which have no kinds yet.
func (s *Sweep) settings(c plan.Case) Settings {
	set := s.Header.Settings
	level, _ := c.Point.Get("rate")
	if rate, _ := level.Number(); s.Workload.Limited && rate > 0 {
		set.Duration, set.Warmup = Duration(limitedWindow(set.Operations, rate)), 0
		set.Operations = 0
	}
	return set
}

// runTrial runs and stores one trial.
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
	if err := s.unchangedInputs(ctx); err != nil { // so the trial may have measured something else
		return result.Trial{}, err
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
		t.Failure = "failures/" + filepath.Base(path) // relative to the run directory, which may be moved
	}
	return t, s.Store.Append(t, outcome.Histograms)
}

// declare adds the properties of the design to its trial.
func (s *Sweep) declare(t *result.Trial, spec trial.Spec) {
	design, _ := s.Workload.Find(t.Design)
	t.Expected = trial.Expected(design.Expect, t.Status) || t.Invalid
	t.Bound, t.Reference = design.Expect == workload.Bound, design.Reference
	t.Guarantee = design.Guarantee
	t.Type = design.Type()
	t.Point = spec.Point
}

// spec returns the specification of a step's trial.
func (s *Sweep) spec(step plan.Step) trial.Spec {
	c := s.Plan.Cases[step.Case]
	set := s.settings(c)
	return trial.Spec{
		Workload: s.Workload.Name, Given: s.Workload.Given, Design: c.Design, Point: c.Point,
		Block: step.Block, Order: step.Order, Seed: s.Plan.BlockSeed(step.Block), Instrumented: step.Instrumented,
		Profiled: step.Instrumented && set.Profile,
		Duration: time.Duration(set.Duration), Warmup: time.Duration(set.Warmup),
		Operations: set.Operations, Sample: set.Sample, BurnRate: s.burnRate(), BurnRatio: s.measuredRatio,
		Open: s.openLoad(c), Recording: s.Costs, Disturb: s.Header.World == result.Virtual,
	}
}

// lines counts the lines of code of each design; nil if its source is not available. Benchmarks and commands have no
// entry, nor have remote designs: their source is that of a client, and the server does the work.
func (s *Sweep) lines() map[string]*int {
	if s.Header.Commands != nil {
		return nil
	}
	m := source.Count(s.Workload)
	for _, c := range s.Plan.Cases {
		d, _ := s.Workload.Find(c.Design)
		if d.Program == nil || d.Remote {
			continue
		}
		if src, err := source.Read(s.Workload, d); err == nil {
			m[d.Name] = &src.Lines
		}
	}
	for _, d := range s.Workload.Designs {
		if d.Type() == result.Benchmark || d.Remote {
			delete(m, d.Name)
		}
	}
	return m
}
