package virtual

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

const (
	// patience is how long a run that was told to end may take until Run no longer waits for it.
	patience = time.Second
	// soon is when the stacks are looked at of a design that has not come back to env by itself.
	soon = patience / 4
)

// ErrLimit is in the error of a run that takes longer than [Config].Limit.
var ErrLimit = errors.New("its limit")

// limitError is the error of a run that takes too long.
func (w *World) limitError() error {
	err := fmt.Errorf("the simulation takes more than %v of real time, %w", w.cfg.Limit, ErrLimit)
	if n := w.made.Load(); n > 1000 {
		err = fmt.Errorf("%w; %d goroutines were there at a time", err, n)
	}
	return err
}

// fullMemory is the error of a run whose goroutines, or what they hold, take too much memory.
func (w *World) fullMemory() error {
	return fmt.Errorf("the memory guard has ended the simulation: memory is full with %d goroutines; "+
		"let fewer live at a time, or each hold less, or end other programs", w.made.Load())
}

// tell tells the run to end: its design at its next operation, and the kernel before its next event.
func (w *World) tell(why error) {
	w.told.CompareAndSwap(nil, &why)
	w.giveUp()
	w.k.Interrupt(why)
}

// toldWhy is why the run was told to end.
func (w *World) toldWhy() error {
	if why := w.told.Load(); why != nil {
		return *why
	}
	return errAbandoned
}

// comes notes where the design is that comes back to env in a run that was told to end.
func (w *World) comes() {
	if w.told.Load() != nil && w.came.Load() == nil {
		stack := string(debug.Stack())
		w.came.CompareAndSwap(nil, &stack)
	}
}

// abandon gives up on a run, for a reason: a design that comes back to env ends there. Who does not is left behind. The
// error says where the design was.
func (w *World) abandon(ended <-chan error, why error) error {
	select {
	case err := <-ended:
		w.ended = true
		return err
	default:
	}
	w.tell(why)
	w.wait(ended, soon)
	frames := ""
	if came := w.came.Load(); came != nil {
		_, frames, _ = cutLine(*came)
	} else if !w.ended {
		_, frames = w.stack()
	}
	w.wait(ended, patience-soon)
	return w.because(located(why, frames))
}

// wait waits for the end of the run, but not for long.
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

// located is an error with the place where a design is; "" if nobody knows.
func located(err error, frames string) error {
	if frames == "" {
		return err
	}
	return fmt.Errorf("%w; the design is in %s\n%s", err, placeIn(frames), frames)
}

// giveUp ends a design that comes back to env, there.
func (w *World) giveUp() {
	for {
		p := w.phase.Load()
		// real code may begin or end meanwhile
		if p != running && p != computing || w.phase.CompareAndSwap(p, abandoned) {
			return
		}
	}
}

// because is an error of the watchdog: what the run has come to before, if it hangs only in its end, goes first.
func (w *World) because(err error) error {
	if before := w.outcome.Load(); before != nil && *before != nil && !errors.Is(*before, w.toldWhy()) {
		return errors.Join(*before, err)
	}
	return err
}

// guard asks for Room from outside, until the run is over: its channel is closed when there is none.
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
