package virtual

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

const (
	// patience is how long Run waits for a run that was told to end.
	patience = time.Second
	// soon is when the stacks of a design are read that has not returned to env.
	soon = patience / 4
)

// ErrLimit is in the error of a run that takes longer than [Config].Limit.
var ErrLimit = errors.New("its limit")

// limitError returns the error of a run that takes too long.
func (w *World) limitError() error {
	err := fmt.Errorf("the simulation takes more than %v of real time, %w", w.cfg.Limit, ErrLimit)
	if n := w.made.Load(); n > 1000 {
		err = fmt.Errorf("%w; up to %d goroutines existed at a time", err, n)
	}
	return err
}

// fullMemory returns the error of a run whose goroutines, or their data, take too much memory.
func (w *World) fullMemory() error {
	return fmt.Errorf("the memory guard ended the simulation, because memory was full, with %d goroutines; "+
		"run fewer at a time, let each hold less, or end other programs", w.made.Load())
}

// requestEnd tells the run to end: the design at its next operation, and the kernel before its next event.
func (w *World) requestEnd(why error) {
	w.endReason.CompareAndSwap(nil, &why)
	w.giveUp()
	w.k.Interrupt(why)
}

// whyEnded returns why the run was told to end.
func (w *World) whyEnded() error {
	if why := w.endReason.Load(); why != nil {
		return *why
	}
	return errAbandoned
}

// noteReturn records the stack of a design that returns to env in a run that was told to end.
func (w *World) noteReturn() {
	if w.endReason.Load() != nil && w.returnStack.Load() == nil {
		stack := string(debug.Stack())
		w.returnStack.CompareAndSwap(nil, &stack)
	}
}

// abandon gives up on a run for a reason. A design that returns to env ends there; otherwise its goroutine is left
// behind. The error names the location of the design.
func (w *World) abandon(ended <-chan error, why error) error {
	select {
	case err := <-ended:
		w.ended = true
		return err
	default:
	}
	w.requestEnd(why)
	w.wait(ended, soon)
	frames := w.returned()
	if frames == "" && !w.ended {
		_, frames = w.stack()
	}
	w.wait(ended, patience-soon)
	return w.withOutcome(withLocation(why, cmp.Or(frames, w.returned())))
}

// returned returns the frames with which the design has returned to env, or "".
func (w *World) returned() (frames string) {
	if stack := w.returnStack.Load(); stack != nil {
		_, frames, _ = cutLine(*stack)
	}
	return frames
}

// wait waits up to d for the end of the run.
func (w *World) wait(ended <-chan error, d time.Duration) {
	if w.ended {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ended:
		w.ended = true
	case <-t.C:
	}
}

// withLocation adds the location of a design to an error, unless it is unknown.
func withLocation(err error, frames string) error {
	if frames == "" {
		return err
	}
	return fmt.Errorf("%w; the design is in %s\n%s", err, locationIn(frames), frames)
}

// giveUp ends a design at its next operation of env.
func (w *World) giveUp() {
	for {
		p := w.phase.Load()
		// real code may begin or end meanwhile
		if p != running && p != computing || w.phase.CompareAndSwap(p, abandoned) {
			return
		}
	}
}

// withOutcome returns an error of the watchdog. If the run had failed before and hangs only while it ends, that
// failure comes first.
func (w *World) withOutcome(err error) error {
	if before := w.outcome.Load(); before != nil && *before != nil && !errors.Is(*before, w.whyEnded()) {
		return errors.Join(*before, err)
	}
	return err
}

// guard calls Room from another goroutine until the run is over. It closes its channel when there is no room.
func (w *World) guard(over <-chan struct{}) <-chan struct{} {
	if w.cfg.Room == nil || w.cfg.RoomEvery <= 0 {
		return nil
	}
	full := make(chan struct{})
	go func() {
		tick := time.NewTicker(w.cfg.RoomEvery)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			if !w.cfg.Room() {
				close(full)
				return
			}
		}
	}()
	return full
}
