package virtual

import (
	"fmt"
	"strings"
	"time"

	"github.com/brewput/brewput/env/virtual/internal/self"
)

// The watchdog samples the state of the running goroutine many times a second, from outside. While the design or the
// kernel computes, that goroutine is runnable, however loaded the machine is. If it waits for a lock, a channel, a
// timer or the network, the design blocks outside env: the whole world stands still, and virtual time does not
// advance. The same holds for a system call that sleeps. In real code, a system call may be part of the work. A wait
// that was sampled is certain. Only the effect of rare waits is uncertain, so they are a warning.
const (
	// manyWaits samples in a wait, and a tenth of all samples, are an error while the run goes on. At its end
	// fewWaits are enough.
	manyWaits = 25
	fewWaits  = 5
	waitShare = 10
	// window is how many samples count. After that many, all count half.
	window = waitShare * manyWaits
	// inRealCode is how many times as long real code may block.
	inRealCode = 20
	// mostDumps is how often the stacks are dumped to locate short waits.
	mostDumps = 20
	// slowest is the usual interval of samples, and fastest that of the first ones.
	slowest = 20 * time.Millisecond
	fastest = time.Millisecond
)

// sample is the state of a world at one instant.
type sample uint8

const (
	busy      sample = iota // the world runs
	blocking                // the running goroutine waits for something outside env
	elsewhere               // no goroutine of the world runs; a coroutine of the design's own may
)

// tally counts the samples of a run.
type tally struct {
	samples, inWait int // recent ones: see window
	all, allInWait  int // since the beginning
	stuck           int // consecutive samples without a sign that the world runs
}

// note adds a sample. moved reports that the world has advanced since the previous sample.
func (t *tally) note(l sample, moved bool) {
	t.samples++
	t.all++
	if l == blocking {
		t.inWait++
		t.allInWait++
	}
	if l == busy || moved {
		t.stuck = 0
	} else {
		t.stuck++
	}
	switch {
	case t.all == manyWaits: // the first samples were taken at a shorter interval
		t.samples, t.inWait, t.stuck = 0, 0, 0
	case t.samples == window:
		t.samples, t.inWait = t.samples/2, t.inWait/2
	}
}

// certain reports whether the design blocks, by the recent samples.
func (t *tally) certain() bool { return t.inWait >= manyWaits && t.inWait*waitShare >= t.samples }

// hasBlocked reports whether the design has blocked, by all samples.
func (t *tally) hasBlocked() bool { return t.allInWait >= fewWaits && t.allInWait*waitShare >= t.all }

// watchdog is the watchdog of one run.
type watchdog struct {
	*World
	tally
	eye           self.Inspector
	every         time.Duration // interval of samples, after the first ones
	dumps         int
	blockedFor    time.Duration // total interval of the samples that found the design blocked
	state, frames string        // of the design where it was found blocked
}

// watch waits for the end of the simulation. It gives up on a run whose design blocks outside env, which takes longer
// than the limit or more memory than there is, or which is interrupted. It reads real time, which decides only
// whether such a design is reported, never what a run computes.
func (w *World) watch(ended <-chan error) error {
	s := &watchdog{World: w, eye: self.NewInspector(), every: min(slowest, max(fastest, w.cfg.Watchdog/manyWaits))}
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
	var late <-chan time.Time // a design that does not return to env although memory is full
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
			w.requestEnd(w.fullMemory())
		case <-late:
			if late = nil; w.phase.Load() == abandoned {
				return w.abandon(ended, w.whyEnded())
			}
		case <-next.C:
			if s.takeSample() {
				w.giveUp()
				return w.withOutcome(s.blockedError())
			}
			next.Reset(s.pause())
		}
	}
}

// pause returns the interval until the next sample. It is short at first, because a run may be short.
func (s *watchdog) pause() time.Duration {
	if s.all < manyWaits {
		return fastest
	}
	return s.every
}

// takeSample samples the world once, and reports whether its design blocks outside env for certain.
func (s *watchdog) takeSample() bool {
	moved := !s.still.Swap(true)
	if s.asking.Load() {
		s.tally.stuck = 0
		return false
	}
	l, computing := s.classify(), s.phase.Load() == computing
	if s.onSample != nil {
		defer func() { s.onSample(l) }()
	}
	if computing { // real code may wait, but not for long
		if l == busy || moved {
			s.stuck = 0
			return false
		}
		s.stuck++
		s.blockedFor += s.pause()
		return s.stuck >= inRealCode*manyWaits && s.find()
	}
	s.note(l, moved)
	if l != busy {
		s.blockedFor += s.pause()
	}
	if l == blocking && s.frames == "" && s.dumps < mostDumps {
		s.find()
	}
	switch {
	case l == blocking && s.certain():
		// The samples may have seen the garbage collector, even if the design waited before: find forgets them then.
		if !s.find() && s.frames == "" {
			s.forget()
		}
		return s.frames != "" && s.certain()
	case l == elsewhere && s.stuck > 0 && s.stuck%(manyWaits/2) == 0:
		// A coroutine of the design's own may compute. One that is found twice at the same location is blocked.
		before := s.frames
		return s.find() && s.frames == before
	}
	return false
}

// classify returns the state of the world at this instant.
func (s *watchdog) classify() sample {
	co, kernel := s.marks()
	switch s.eye.State(co) {
	case self.Waiting:
		return blocking
	case self.Runnable:
		return busy
	case self.InSyscall: // a short call proves nothing, nor does one that computes
		if s.phase.Load() != computing && s.eye.Asleep(co) {
			return blocking
		}
		return busy
	}
	if k := s.eye.State(kernel); k == self.Runnable || k == self.InSyscall {
		return busy
	}
	return elsewhere
}

// marks returns the marks of the running goroutine and of the kernel's. They change while they are read. That is
// harmless for single words: the next sample reads the current values.
//
//go:norace
func (w *World) marks() (co, kernel self.Mark) {
	if w.co != nil {
		co = w.co.mark
	}
	return co, w.kernel
}

// find locates the wait of the design outside env. It reports false if there is none: the samples saw the garbage
// collector, or a sync.Once of the program, or the wait was over.
func (s *watchdog) find() bool {
	s.dumps++
	state, frames := s.blocked()
	if !blocks(state) && state != inSyscall {
		return false
	}
	if ofRuntime(state, frames) {
		s.forget()
		return false
	}
	s.state, s.frames = state, frames
	return true
}

// forget discards the samples.
func (s *watchdog) forget() { s.tally = tally{all: max(s.all, manyWaits+1)} }

// conclude returns the result of a run that ended with err. A run that blocked outside env in most samples is an
// error, even if it did not block for long.
func (s *watchdog) conclude(err error) error {
	switch {
	case err != nil || s.frames == "":
	case s.hasBlocked():
		return s.blockedError()
	case s.allInWait >= fewWaits:
		s.warnings = append(s.warnings, fmt.Sprintf("the design has waited outside env in %d of %d looks "+
			"at it (%s, in %s), which virtual time does not count: do everything concurrent through env",
			s.allInWait, s.all, s.state, locationIn(s.frames)))
	}
	return err
}

// blockedError says what the design waits for. The first line has the location, because tables show only that line.
func (s *watchdog) blockedError() error {
	return outside(s.blockedFor.Round(time.Millisecond), s.state, s.frames)
}

// outside formats the error of a design that blocked for d in a state.
func outside(d time.Duration, state, frames string) error {
	return fmt.Errorf("the design has blocked outside env for %v (%s) in %s: do everything concurrent through env\n%s",
		d, state, locationIn(frames), strings.TrimLeft(frames, "\n"))
}
