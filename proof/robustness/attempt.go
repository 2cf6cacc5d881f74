//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/tools/hostile"
)

// attempt is one attack, with a directory and a random source of its own.
type attempt struct {
	*campaign
	outcome
	rng *rand.Rand
	box string // directory that holds cwd and tmp
	no  int    // number of commands so far
}

// attempt makes one attempt and records it. It keeps the directory of a find.
func (c *campaign) attempt(ctx context.Context, name string, index int, attack attack) error {
	box, err := os.MkdirTemp(filepath.Join(c.work, "box"), fmt.Sprintf("%s-%d-", name, index))
	if err != nil {
		return err
	}
	defer os.RemoveAll(box)
	a := &attempt{campaign: c, box: box, rng: rand.New(rand.NewPCG(c.seed^hashOf(name), uint64(index)))}
	a.outcome = outcome{Program: c.sum, Seed: c.seed, Area: name, Index: index}
	if err := errors.Join(os.Mkdir(a.cwd(), 0o777), os.Mkdir(a.tmp(), 0o777)); err != nil {
		return err
	}
	defer a.clear()

	if err := attack(ctx, a); err != nil || ctx.Err() != nil {
		return err
	}
	if len(a.Found) > 0 {
		if err := a.keep(); err != nil {
			return err
		}
		fmt.Fprintf(c.stderr, "%s:%d %s: %s\n  %.300q\n", name, index, a.Kind, strings.Join(a.Found, "; "), a.Command)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done = append(c.done, a.outcome); c.once {
		return nil
	}
	return record.Append(c.record, a.outcome)
}

func hashOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

func (a *attempt) cwd() string { return filepath.Join(a.box, "cwd") }
func (a *attempt) tmp() string { return filepath.Join(a.box, "tmp") }

// find notes a fault, unless the same one is noted already.
func (a *attempt) find(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(a.Found, text) {
		a.Found = append(a.Found, text)
	}
}

// keep moves the directory of the attempt to the finds.
func (a *attempt) keep() error {
	a.Kept = filepath.Join(a.work, "finds", fmt.Sprintf("%s-%d", a.Area, a.Index))
	return errors.Join(os.RemoveAll(a.Kept), os.Rename(a.box, a.Kept))
}

// codes are the exit codes of brewput.
var codes = map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true, 130: true}

// judge finds what no command may do, whatever its input. crashes allows panics of programs that brewput runs, but not
// of the code that reads arguments and prints.
func (a *attempt) judge(r ran, crashes bool) {
	switch {
	case r.hung:
		a.find("still runs %.0f s after its limit", graceful.Seconds())
	case r.signal != 0:
		a.find("killed by signal: %v", r.signal)
	case !codes[r.code]:
		a.find("exit %d", r.code)
	}
	for stream, text := range map[string]string{"stdout": r.stdout, "stderr": r.stderr} {
		if at := hostile.Raw(text); at >= 0 {
			a.find("raw %q on %s", text[at:min(len(text), at+12)], stream)
		}
		if panicked(text) && (!crashes || ours(text)) {
			a.find("panic: %.200q", text[max(0, strings.Index(text, "panic")):])
		}
	}
	if r.code != 0 && r.code != 130 && r.signal == 0 && !r.hung && strings.TrimSpace(r.stdout+r.stderr) == "" {
		a.find("exit %d without a message", r.code)
	}
}

// panicked reports whether a text contains the crash of a Go program.
func panicked(text string) bool {
	crash := strings.Contains(text, "panic: ") || strings.Contains(text, "fatal error: ")
	return crash && strings.Contains(text, "goroutine ") || strings.Contains(text, "panic: runtime error")
}

// ours reports whether a panic came from the code that reads arguments and prints, and not from a user's design called
// from there. The goroutine that panicked comes first in a crash.
func ours(text string) bool {
	const module = "github.com/brewput/brewput/"
	for at := crashAt(text); at >= 0; at = crashAt(text) {
		_, text, _ = strings.Cut(text[at:], "goroutine ")
		stack, rest, _ := strings.Cut(text, "\n\n")
		stack, _, _ = strings.Cut(stack, "\ncreated by ")
		for _, pkg := range []string{"internal/cli.", "report.", "compare."} {
			if strings.Contains(stack, module+pkg) && !strings.Contains(stack, module+"tools/hostile.") {
				return true
			}
		}
		text = rest
	}
	return false
}

// crashAt is the index of the first crash in a text, or -1.
func crashAt(text string) int {
	at, fatal := strings.Index(text, "panic: "), strings.Index(text, "fatal error: ")
	if at < 0 || fatal >= 0 && fatal < at {
		return fatal
	}
	return at
}

// findLeftovers finds files left in the temporary directory, and processes that still run after a grace period.
func (a *attempt) findLeftovers() {
	entries, _ := os.ReadDir(a.tmp())
	for _, e := range entries {
		a.find("left in the temporary directory: %s", strings.TrimRight(e.Name(), "0123456789"))
	}
	for deadline := time.Now().Add(graceful); ; time.Sleep(5 * time.Millisecond) {
		left := a.processes()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			a.find("left running: %s", left[0].name)
			return
		}
	}
}
