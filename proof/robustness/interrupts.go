//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/brewput/brewput/internal/store"
)

// interrupt sends SIGINT, half of the time in the first 30 ms. The command must exit with 130, unless it was faster.
func (v *victims) interrupt(ctx context.Context, a *attempt) error {
	all := v.commands()
	name := []string{"run", "sim", "bench", "explain", "version", "help"}[a.rng.IntN(6)]
	after := v.instant(a.rng, name)
	if a.rng.IntN(2) == 0 {
		after = time.Duration(a.rng.Int64N(int64(30 * time.Millisecond)))
	}
	a.Kind = fmt.Sprintf("SIGINT of %s after %v", name, after)
	ready := true
	r, err := a.struck(ctx, after, func(p *os.Process) bool {
		ready = catches(p.Pid, syscall.SIGINT)
		return p.Signal(os.Interrupt) == nil
	}, all[name]...)
	if err != nil {
		return err
	}
	if r.signal == syscall.SIGINT && r.stdout+r.stderr == "" {
		// Perhaps Go had not come to the package that listens: see internal/interrupt/early. Nothing has begun then.
		begins, err := a.startTime(ctx)
		if err != nil {
			return err
		}
		if !ready || r.cpu < begins {
			a.Kind += ", which was before the program listened"
			r = ran{code: 130}
		}
	}
	a.judge(r, false)
	a.interrupted(name, r)
	a.litter()
	a.whole(name, r)
	return nil
}

// heeded is how long a command may go on after an interrupt and still exit with 0. When its work is done, it prints its
// page and removes what its programs left: that takes a tenth of it even on a busy machine, while other work takes
// longer.
const heeded = time.Second

// interrupted wants 130 of a command that was interrupted. One that was about to end may exit with 0.
func (a *attempt) interrupted(name string, r ran) {
	switch {
	case r.signal != 0:
	case r.code == 0 && r.after > heeded && name != "version" && name != "help":
		a.find("exit 0 a long time after an interrupt: it was not heeded")
	case r.code != 130 && r.code != 0:
		a.find("exit %d after an interrupt", r.code)
	}
}

// whole wants of a command that was interrupted that its run can be read and is complete if the command says so.
func (a *attempt) whole(name string, r ran) {
	dir := filepath.Join(a.cwd(), "stored")
	if !slices.Contains([]string{"run", "sim", "bench"}, name) || r.signal != 0 || !store.Holds(dir) {
		return
	}
	j, err := store.Open(dir)
	switch {
	case err != nil:
		a.find("the run cannot be read after an interrupt: %v", err)
	case r.code == 0 && !j.Ended:
		a.find("exit 0 after an interrupt, and the run is not complete")
	case len(j.Notes()) > 0:
		a.find("the run is damaged after an interrupt: %s", j.Notes()[0])
	}
}

// startTime is the CPU time in which a command may not listen yet, as busy as the machine is now: half of what its
// shortest verb takes from start to end, of which most follows.
func (a *attempt) startTime(ctx context.Context) (longest time.Duration, err error) {
	for range 5 {
		r, err := a.run(ctx, patience, "version")
		if err != nil {
			return 0, err
		}
		longest = max(longest, r.cpu)
	}
	return longest / 2, nil
}

// catches reports whether a process handles a signal: the Go runtime does so from its start on, and before that a
// signal ends the process. True where that cannot be read.
func catches(pid int, signal syscall.Signal) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(text)) {
		if mask, ok := strings.CutPrefix(line, "SigCgt:"); ok {
			bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			return err != nil || bits&(1<<(signal-1)) != 0
		}
	}
	return true
}
