package sweep

import (
	"context"
	"fmt"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Store keeps what a sweep measures; *store.Run is one.
type Store interface {
	Append(t result.Trial, histograms map[string][]byte) error
	Failure(block, order int, text string) (path string, err error)
	EndBlock(block, trials int) error
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
	// Done are the trials that an earlier execution stored.
	Done []result.Trial
	// Complete says that an earlier execution ended the sweep.
	Complete bool
	// Sealed are the blocks that an earlier execution completed.
	Sealed map[int]bool
	// Notify is told before each trial, and after each block with its trials.
	Notify func(Event)
}

// Event is a step of the execution. Trials is set when a block is complete.
type Event struct {
	Step   plan.Step
	Case   plan.Case
	Done   int // trials finished, those of earlier executions included
	Total  int
	Left   time.Duration // estimate of the time left
	Trials []result.Trial
}

// Execute runs what is not yet done, block after block, and returns all trials in their order. After
// an error, or when ctx is cancelled, the trials so far are returned with it; all of them are stored.
func (s *Sweep) Execute(ctx context.Context) ([]result.Trial, error) {
	type place struct{ block, order int }
	had := map[place]result.Trial{}
	for _, t := range s.Done {
		had[place{t.Block, t.Order}] = t
	}
	lines := s.lines()
	clock := newEstimate(s.Plan, s.Header.Settings, len(had))
	var all []result.Trial
	for b := range s.Plan.Blocks {
		steps := s.Plan.Block(b)
		var block []result.Trial
		for _, step := range steps {
			t, ok := had[place{step.Block, step.Order}]
			if !ok {
				s.Notify(clock.event(s.Plan, step))
				began := time.Now()
				var err error
				if t, err = s.one(ctx, step, lines); err != nil {
					return append(all, block...), err
				}
				clock.took(step, time.Since(began))
			}
			block = append(block, t)
		}
		all = append(all, block...)
		if !s.Sealed[b] {
			if err := s.Store.EndBlock(b, len(steps)); err != nil {
				return all, err
			}
		}
		e := clock.event(s.Plan, plan.Step{Block: b})
		e.Trials = block
		s.Notify(e)
	}
	if s.Complete {
		return all, nil
	}
	return all, s.Store.End()
}

// Total is the number of trials of the plan.
func (s *Sweep) Total() int { return s.Plan.Blocks * len(s.Plan.Block(0)) }

// Foresee is how long n trials will take, jobs not counted.
func (s *Sweep) Foresee(n int) time.Duration { return time.Duration(n) * Guess(s.Header.Settings) }

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
func (s *Sweep) one(ctx context.Context, step plan.Step, lines map[string]*int) (result.Trial, error) {
	spec := s.spec(step)
	outcome, err := s.Run(ctx, spec)
	if err != nil {
		return result.Trial{}, err
	}
	t := outcome.Trial
	design, _ := s.Workload.Find(t.Design)
	t.Expected = trial.Expected(design.Expect, t.Status)
	t.Lines = lines[t.Design]
	t.Bound = design.Expect == workload.Bound
	t.Type = design.Type()
	t.Point = spec.Point
	if outcome.Failure != "" {
		path, err := s.Store.Failure(step.Block, step.Order, outcome.Failure)
		if err != nil {
			return t, err
		}
		t.Error += fmt.Sprintf(" (more in %s)", path)
	}
	return t, s.Store.Append(t, outcome.Histograms)
}

// spec is the specification of a step's trial.
func (s *Sweep) spec(step plan.Step) trial.Spec {
	c := s.Plan.Cases[step.Case]
	set := s.Header.Settings
	return trial.Spec{
		Workload: s.Workload.Name, Design: c.Design, Point: c.Point,
		Block: step.Block, Order: step.Order, Seed: s.Plan.BlockSeed(step.Block), Observed: step.Observed,
		Duration: time.Duration(set.Duration), Warmup: time.Duration(set.Warmup),
		Operations: set.Operations, Sample: set.Sample, BurnRate: s.Header.Burn.Rate,
	}
}

// lines counts the code of each design; nil where its source is not at hand.
func (s *Sweep) lines() map[string]*int {
	m := map[string]*int{}
	for _, d := range s.Workload.Designs {
		if src, err := s.Workload.SourceOf(d); err == nil {
			m[d.Name] = &src.Lines
		}
	}
	return m
}

// estimate foresees how long the rest of a sweep takes: what the case took before, else its window.
type estimate struct {
	perTrial    []time.Duration // by case; 0 means not yet run
	guess       time.Duration
	done, total int
}

// overhead is what a trial takes beyond its window: a process, two burn probes, storing it.
const overhead = 30 * time.Millisecond

// Guess is the time that one trial of these settings takes before any was run.
func Guess(set Settings) time.Duration {
	return time.Duration(set.Warmup) + time.Duration(set.Duration) + overhead
}

func newEstimate(p plan.Plan, set Settings, done int) *estimate {
	total := p.Blocks * len(p.Block(0))
	return &estimate{perTrial: make([]time.Duration, len(p.Cases)), guess: Guess(set), done: done, total: total}
}

func (e *estimate) took(step plan.Step, d time.Duration) {
	e.done++
	e.perTrial[step.Case] = d
}

func (e *estimate) event(p plan.Plan, step plan.Step) Event {
	var sum time.Duration
	for _, d := range e.perTrial {
		if d == 0 {
			d = e.guess
		}
		sum += d
	}
	left := time.Duration(float64(sum) / float64(len(e.perTrial)) * float64(e.total-e.done))
	return Event{Step: step, Case: p.Cases[step.Case], Done: e.done, Total: e.total, Left: left}
}
