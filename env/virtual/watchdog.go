package virtual

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// patience is how long a run that is beyond its limit may take to come to its end, once it was told to.
const patience = time.Second

// watch waits for the end of the simulation, and gives up on one whose design blocks outside env, or that
// takes longer than the limit: its coroutine then holds up the whole world, and nothing in it can end it. It
// looks at real time, which decides only whether such a design is reported, never what a run computes.
func (w *World) watch(ended <-chan error) error {
	tick := time.NewTicker(w.cfg.Watchdog / 2)
	defer tick.Stop()
	var limit <-chan time.Time
	if w.cfg.Limit > 0 {
		t := time.NewTimer(w.cfg.Limit)
		defer t.Stop()
		limit = t.C
	}
	var suspect string
	for {
		select {
		case err := <-ended:
			w.ended = true
			return err
		case <-limit:
			return w.abandon(ended)
		case <-tick.C:
		}
		if !w.still.Swap(true) || w.asking.Load() {
			suspect = ""
			continue
		}
		// A design that computes for long is well; one that waits in the same place twice is not.
		state, frames := w.stack()
		blocked := ""
		switch state {
		case "", "running", "runnable", inCoroutine, "syscall", "preempted", "copystack":
		default:
			blocked = state + frames
		}
		if blocked != "" && blocked == suspect {
			w.giveUp()
			return w.because(outside(w.cfg.Watchdog/2, state, frames))
		}
		suspect = blocked
	}
}

// outside says what a design waits for, and where in its first line, which a table shows alone.
func outside(d time.Duration, state, frames string) error {
	return fmt.Errorf("the design has blocked outside env for %v (%s) in %s: do everything concurrent through env\n%s", d, state, placeIn(frames), strings.TrimLeft(frames, "\n"))
}

// abandon gives up on a run that takes too long. If its design comes back to env, it ends there.
func (w *World) abandon(ended <-chan error) error {
	select {
	case err := <-ended:
		w.ended = true
		return err
	default:
	}
	_, frames := w.stack()
	err := w.because(fmt.Errorf("the simulation takes more than %v of real time, its limit; the design is in %s\n%s", w.cfg.Limit, placeIn(frames), strings.TrimLeft(frames, "\n")))
	w.giveUp()
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-ended:
		w.ended = true
	case <-wait.C:
	}
	return err
}

// giveUp ends a design that comes back to env, there.
func (w *World) giveUp() {
	for {
		p := w.phase.Load()
		if p != running && p != computing || w.phase.CompareAndSwap(p, abandoned) { // real code may begin or end meanwhile
			return
		}
	}
}

// because is an error of the watchdog: what the run has come to before, if it hangs only in its end, goes first.
func (w *World) because(err error) error {
	if before := w.outcome.Load(); before != nil && *before != nil {
		return errors.Join(*before, err)
	}
	return err
}

// born notes the Go goroutine of a coroutine.
func (w *World) born(id int64) {
	w.mu.Lock()
	w.ids = append(w.ids, id)
	w.mu.Unlock()
}

// stack is the state of the coroutine that runs, or waits where it should not, and its frames. If none does it is that which waits
// for a coroutine of the design's own; and empty if the world itself runs.
func (w *World) stack() (state, frames string) {
	own := map[int64]bool{}
	w.mu.Lock()
	for _, id := range w.ids {
		own[id] = true
	}
	w.mu.Unlock()
	buf := make([]byte, 1<<20)
	n := runtime.Stack(buf, true)
	for ; n == len(buf); n = runtime.Stack(buf, true) {
		buf = make([]byte, 2*len(buf))
	}
	for dump := range strings.SplitSeq(string(buf[:n]), "\n\n") {
		number, rest, _ := strings.Cut(strings.TrimPrefix(dump, "goroutine "), " [")
		if id, err := strconv.ParseInt(number, 10, 64); err != nil || !own[id] {
			continue
		}
		s, f, _ := strings.Cut(rest, "]")
		s, _, _ = strings.Cut(s, ",") // how many minutes, locked to a thread
		s, f = strings.TrimSuffix(s, " (durable)"), strings.TrimPrefix(f, ":")
		if s != inCoroutine {
			return s, f
		}
		if !hasLeft(f) {
			state, frames = s, f
		}
	}
	return state, frames
}

// inCoroutine is the state of a goroutine that has resumed another, or was not resumed itself.
const inCoroutine = "coroutine"

// hasLeft reports whether a goroutine in that state has gone on to another of the world, or ended.
func hasLeft(frames string) bool {
	for line := range strings.SplitSeq(frames, "\n") {
		switch {
		case line == "", strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "runtime."), strings.HasPrefix(line, "iter."):
		default:
			return strings.HasPrefix(line, ownPackages+"env/virtual.(*World).cross(") || strings.HasPrefix(line, ownPackages+"env/virtual.(*coroutine).loop(")
		}
	}
	return true
}

// placeIn is the innermost function of a stack that is a design's and not the world's, or of the Go runtime.
func placeIn(frames string) string {
	for line := range strings.SplitSeq(frames, "\n") {
		name := line
		if i := strings.LastIndexByte(line, '('); i >= 0 {
			name = line[:i] // without its arguments; a receiver is in parentheses too
		}
		switch {
		case name == "", strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "created by "), strings.HasPrefix(name, "runtime."), strings.HasPrefix(name, "iter."), strings.HasPrefix(name, "internal/"), strings.HasPrefix(name, "sync."), strings.HasPrefix(name, "time."), strings.HasPrefix(name, "reflect."),
			strings.HasPrefix(name, ownPackages+"env"), strings.HasPrefix(name, ownPackages+"sim"):
			continue
		}
		return name
	}
	return "nothing of its own"
}

const ownPackages = "github.com/brewput/brewput/"
