package virtual

import (
	"fmt"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/self"
)

// The watchdog looks at the goroutine that runs, many times a second and from outside. Where the design computes, or
// the kernel does, that goroutine is busy, however loaded the machine. Where it waits for a lock, a channel, a timer or
// the network, the design blocks outside env: the whole world stands still, and virtual time does not know. So it does
// in a system call that sleeps; of one in real code nobody knows whether it is part of the work. A wait that was seen
// is certain. What is in doubt is only whether waits that are rare matter, and so they are a warning.
const (
	// manyWaits looks at waits, and a tenth of all looks, are an error while the run goes on; fewWaits at its end.
	manyWaits = 25
	fewWaits  = 5
	oneIn     = 10
	// memorable is how many looks count: then all count half.
	memorable = oneIn * manyWaits
	// inRealCode is how many times as long real code may block.
	inRealCode = 20
	// mostDumps is how often the stacks are dumped to find the place of short waits.
	mostDumps = 20
	// slowest is the time between two looks of a watchdog that has time, and fastest that between its first.
	slowest = 20 * time.Millisecond
	fastest = time.Millisecond
)

// look is what a look at a world finds.
type look uint8

const (
	busy      look = iota // all is well
	waits                 // the goroutine that runs waits for something outside env
	elsewhere             // none of the world's goroutines runs; a coroutine of the design's own may
)

// tally is what the watchdog has seen.
type tally struct {
	looks, waits int // of late: see memorable
	all, waited  int // in all
	stuck        int // looks in a row that found nobody at work, nor that somebody had been since the look before
}

// note takes the next look. moved says that the world has gone on since the look before.
func (t *tally) note(l look, moved bool) {
	t.looks++
	t.all++
	if l == waits {
		t.waits++
		t.waited++
	}
	if l == busy || moved {
		t.stuck = 0
	} else {
		t.stuck++
	}
	switch {
	case t.all == manyWaits: // those were in haste
		t.looks, t.waits, t.stuck = 0, 0, 0
	case t.looks == memorable:
		t.looks, t.waits = t.looks/2, t.waits/2
	}
}

// certain reports whether the design blocks, as far as was seen of late.
func (t *tally) certain() bool { return t.waits >= manyWaits && t.waits*oneIn >= t.looks }

// has reports whether the design has blocked, as far as was seen in all.
func (t *tally) has() bool { return t.waited >= fewWaits && t.waited*oneIn >= t.all }

// sentry is the watchdog of one run.
type sentry struct {
	*World
	tally
	eye           self.Eye
	every         time.Duration // between two looks, after the first
	dumps         int
	long          time.Duration // the looks together that found it waiting
	state, frames string        // of the design, where it was found waiting
}

// watch waits for the end of the simulation, and gives up on one whose design blocks outside env, takes longer than the
// limit or more memory than there is, or is interrupted. It looks at real time, which decides only whether such a
// design is reported, never what a run computes.
func (w *World) watch(ended <-chan error) error {
	s := &sentry{World: w, eye: self.NewEye(), every: min(slowest, max(fastest, w.cfg.Watchdog/manyWaits))}
	over := make(chan struct{})
	defer close(over)
	full := w.guard(over)
	var limit <-chan time.Time
	if w.cfg.Limit > 0 {
		t := time.NewTimer(w.cfg.Limit)
		defer t.Stop()
		limit = t.C
	}
	next := time.NewTimer(fastest)
	defer next.Stop()
	var late <-chan time.Time // a design that does not come back to env though memory is full
	for {
		select {
		case err := <-ended:
			w.ended = true
			return s.conclude(err)
		case <-limit:
			return w.abandon(ended, w.limitError())
		case <-w.cfg.Stop:
			return w.abandon(ended, ErrInterrupted)
		case <-full:
			full, late = nil, time.After(patience)
			w.full.Store(true)
			w.tell(w.fullMemory())
		case <-late:
			if late = nil; w.phase.Load() == abandoned {
				return w.abandon(ended, w.toldWhy())
			}
		case <-next.C:
			if s.look() {
				w.giveUp()
				return w.because(s.outside())
			}
			next.Reset(s.pause())
		}
	}
}

// pause is the time until the next look: a run may be short.
func (s *sentry) pause() time.Duration {
	if s.all < manyWaits {
		return fastest
	}
	return s.every
}

// look looks at the world once, and reports whether its design blocks outside env for certain.
func (s *sentry) look() bool {
	moved := !s.still.Swap(true)
	if s.asking.Load() {
		s.tally.stuck = 0
		return false
	}
	l, computing := s.see(), s.phase.Load() == computing
	if s.looked != nil {
		defer func() { s.looked(l) }()
	}
	if computing { // which may wait, if not for long
		if l == busy || moved {
			s.stuck = 0
			return false
		}
		s.stuck++
		s.long += s.pause()
		return s.stuck >= inRealCode*manyWaits && s.find()
	}
	s.note(l, moved)
	if l != busy {
		s.long += s.pause()
	}
	if l == waits && s.frames == "" && s.dumps < mostDumps {
		s.find()
	}
	switch {
	case l == waits && s.certain():
		if s.frames == "" && !s.find() { // it was the collector of garbage
			s.forget()
		}
		return s.frames != ""
	case l == elsewhere && s.stuck > 0 && s.stuck%(manyWaits/2) == 0:
		// who computes in a coroutine of its own is well; one that is found twice in one place is not
		before := s.frames
		return s.find() && s.frames == before
	}
	return false
}

// see is what the world does at this instant.
func (s *sentry) see() look {
	co, kernel := s.marks()
	switch s.eye.State(co) {
	case self.Waiting:
		return waits
	case self.Busy:
		return busy
	case self.InSyscall: // a short one proves nothing, and nor does one that computes
		if s.phase.Load() != computing && s.eye.Asleep(co) {
			return waits
		}
		return busy
	}
	if k := s.eye.State(kernel); k == self.Busy || k == self.InSyscall {
		return busy
	}
	return elsewhere
}

// marks are those of the goroutine that runs and of the kernel's. They change while they are read, which for words is
// harmless: the next look sees what is there then.
//
//go:norace
func (w *World) marks() (co, kernel self.Mark) {
	if w.co != nil {
		co = w.co.mark
	}
	return co, w.kernel
}

// find looks for the place where the design waits outside env. It reports false if it does not: then the collector of
// garbage, or the first use of what the program makes once, was what the looks have seen, or the wait was over.
func (s *sentry) find() bool {
	s.dumps++
	state, frames := s.blocked()
	if !blocks(state) && state != inSyscall {
		return false
	}
	if notOfDesign(state, frames) {
		s.forget()
		return false
	}
	s.state, s.frames = state, frames
	return true
}

// forget forgets what was seen.
func (s *sentry) forget() { s.tally = tally{all: max(s.all, manyWaits+1)} }

// conclude is what a run that has come to its end is worth, whose error is err: one that has waited outside env all the
// time, but not for long, is worth nothing.
func (s *sentry) conclude(err error) error {
	switch {
	case err != nil || s.frames == "":
	case s.has():
		return s.outside()
	case s.waited >= fewWaits:
		s.doubts = append(s.doubts, fmt.Sprintf("the design has waited outside env in %d of %d looks at it (%s, in "+
			"%s), which virtual time does not count: "+
			"do everything concurrent through env", s.waited, s.all, s.state, placeIn(s.frames)))
	}
	return err
}

// outside says what a design waits for, and where in its first line, which a table shows alone.
func (s *sentry) outside() error {
	return outside(s.long.Round(time.Millisecond), s.state, s.frames)
}

func outside(d time.Duration, state, frames string) error {
	return fmt.Errorf("the design has blocked outside env for %v (%s) in %s: do everything concurrent through env\n%s",
		d, state, placeIn(frames), strings.TrimLeft(frames, "\n"))
}
