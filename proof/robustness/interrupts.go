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

// interrupt sends SIGINT, half of the time in the first 30 ms. The command must exit with 130, unless it ends first.
func (v *victims) interrupt(ctx context.Context, a *attempt) error {
	all := v.commands()
	name := []string{"run", "sim", "bench", "explain", "version", "help"}[a.rng.IntN(6)]
	after := v.instant(a.rng, name)
	if a.rng.IntN(2) == 0 {
		after = time.Duration(a.rng.Int64N(int64(30 * time.Millisecond)))
	}
	a.Kind = fmt.Sprintf("SIGINT of %s after %v", name, after)
	heard := true
	r, err := a.runAndSignal(ctx, after, func(p *os.Process) bool {
		heard = listens(p.Pid, syscall.SIGINT)
		return p.Signal(os.Interrupt) == nil
	}, all[name]...)
	if err != nil {
		return err
	}
	if r.signal == syscall.SIGINT && r.stdout+r.stderr == "" && !heard {
		// The program was not yet initialized up to internal/interrupt/early, and had done nothing.
		a.Kind += ", which was before the program listened"
		r = ran{code: 130}
	}
	a.judge(r, false)
	a.judgeExit(name, r)
	a.findLeftovers()
	a.judgeRun(name, r)
	return nil
}

// maxAfterInterrupt is the longest time after an interrupt at which a command may still exit with 0. A command that is
// done prints its page and removes files, which takes a tenth of this even on a busy machine. Other work takes longer.
const maxAfterInterrupt = time.Second

// judgeExit finds an interrupted command that does not exit with 130. One that was about to end may exit with 0.
func (a *attempt) judgeExit(name string, r ran) {
	switch {
	case r.signal != 0:
	case r.code == 0 && r.after > maxAfterInterrupt && name != "version" && name != "help":
		a.find("exit 0 a long time after an interrupt, which was ignored")
	case r.code != 130 && r.code != 0:
		a.find("exit %d after an interrupt", r.code)
	}
}

// judgeRun finds a run that cannot be read after an interrupt, or is not complete although the command exits with 0.
func (a *attempt) judgeRun(name string, r ran) {
	dir := filepath.Join(a.cwd(), "stored")
	if !slices.Contains([]string{"run", "sim", "bench"}, name) || r.signal != 0 || !store.HoldsRun(dir) {
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

// listens reports whether a Go program has requested a signal, which ends it before that. From its first signal.Notify
// on, one thread of the runtime blocks all signals except those requested (ensureSigM in runtime/signal_unix.go). No
// program here requests SIGUSR1. It is false for a process that has ended.
func listens(pid int, signal syscall.Signal) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		for line := range strings.Lines(string(text)) {
			if mask, ok := strings.CutPrefix(line, "SigBlk:"); ok {
				bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
				if err == nil && bits&(1<<(syscall.SIGUSR1-1)) != 0 && bits&(1<<(signal-1)) == 0 {
					return true
				}
			}
		}
	}
	return false
}
