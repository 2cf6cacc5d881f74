package virtual

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// watch waits for the end of the simulation, and gives up on one whose design blocks outside env: its
// coroutine then blocks the whole world, and nothing in it can end it. It looks at real time, which
// decides only whether such a design is reported, never what a run computes.
func (w *World) watch(ended <-chan error) error {
	tick := time.NewTicker(w.cfg.Watchdog / 2)
	defer tick.Stop()
	var last uint64
	var suspect string
	for {
		select {
		case err := <-ended:
			w.ended = true
			return err
		case <-tick.C:
		}
		now := w.inside.Load()
		if now != last {
			last, suspect = now, ""
			continue
		}
		// A design that computes for long is well; one that waits in the same place twice is not.
		blocked := blockedAt(uint32(now))
		if blocked != "" && blocked == suspect {
			return fmt.Errorf("the design has blocked outside env for %v: do everything concurrent through env\n%s", w.cfg.Watchdog/2, blocked)
		}
		suspect = blocked
	}
}

// blockedAt is the stack of a Go goroutine that waits for something of the Go runtime; empty if it does not.
func blockedAt(id uint32) string {
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		rest, ok := strings.CutPrefix(stack, fmt.Sprintf("goroutine %d [", id))
		if !ok {
			continue
		}
		state, frames, _ := strings.Cut(rest, "]")
		state, _, _ = strings.Cut(state, ",") // how many minutes, locked to a thread
		switch state {
		case "running", "runnable", "coroutine", "syscall", "IO wait", "preempted", "copystack":
			return ""
		}
		return state + frames
	}
	return ""
}
