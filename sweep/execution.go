package sweep

import (
	"context"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// begin returns the execution of a sweep before its first block.
func (s *Sweep) begin() *execution {
	s.forget() // requests of pilots
	e := &execution{Sweep: s, stored: map[position]result.Trial{}, lines: s.lines()}
	for _, t := range s.Done {
		e.stored[position{t.Block, t.Order}] = t
	}
	e.clock = s.newProgress(len(e.stored))
	if s.Header.Rule != nil {
		e.budget = s.newBudget()
	}
	e.law = e.newControlLaw()
	return e
}

// forget ends the trials that the pool has begun ahead.
func (s *Sweep) forget() {
	if s.pool != nil {
		s.pool.Forget()
	}
}

// advance runs the next block. more is false if there was none, and the sweep has ended.
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

// position identifies a trial within a run.
type position struct{ block, order int }

// execution is the state of a sweep while it runs.
type execution struct {
	*Sweep
	stored     map[position]result.Trial // stored by earlier executions
	lines      map[string]*int
	clock      *progress
	budget     *budget // nil without a budget
	law        controlLaw
	segment    segment // of the last block that began
	announceAt int     // the block at which more trials are announced

	trials      []result.Trial // so far
	blocks      int            // blocks begun
	prediction  *execution     // the prediction of this sweep, or nil
	interleaved bool           // of a prediction: its blocks alternate with measured ones
	over        bool           // of a prediction: it has ended
}

// next returns the cases of block b. more is false if the sweep ends before it.
func (e *execution) next(b int) (cases []int, more bool, err error) {
	at, err := e.law.next(e.segment, b, e.trials)
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

// block runs the missing trials of block b, stores them and returns all trials of the block. over is true if the
// budget ran out before the end of the block.
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

	// Store that the block is complete, so that a resumed run need not check it again.
	if !e.CompleteBlocks[b] {
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

// event returns the event before a step.
func (e *execution) event(step plan.Step) Event {
	event := e.clock.event(e.Plan, step)
	event.Predicts = e.Header.Predicts
	if e.budget != nil {
		event.TimeLeft = max(0, e.budget.left())
	}
	if e.prediction != nil && event.TimeLeft > 0 {
		event.TimeLeft += e.prediction.clock.left()
	}
	return event
}

// leftoverTrials returns the stored trials of a block that an earlier execution could not finish.
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
