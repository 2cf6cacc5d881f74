package virtual

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

const (
	// mostDumped is of how many goroutines a dump is made: the world stands still while it is, which for a million
	// takes seconds.
	mostDumped = 10_000
	// mostProfiled is the same of a profile, in which goroutines have no number and no state.
	mostProfiled = 200_000
)

// born notes the Go goroutine of a coroutine.
func (w *World) born(id int64) {
	w.mu.Lock()
	w.ids = append(w.ids, id)
	w.mu.Unlock()
}

// dumped is a goroutine of a dump.
type dumped struct {
	id, parent    int64
	state, frames string
}

// stack is the state of the coroutine that runs, or waits where it should not, and its frames. If none does it is that
// which waits for a coroutine of the design's own; and empty if the world itself runs, or there are too many goroutines
// to look at.
func (w *World) stack() (state, frames string) {
	switch n := runtime.NumGoroutine(); {
	case n > mostProfiled:
		return "", ""
	case n > mostDumped:
		return profiled(n)
	}
	state, frames, _, _ = w.picked()
	return state, frames
}

// picked is stack of a dump, with the dump and the numbers of the world's own.
func (w *World) picked() (state, frames string, all []dumped, own map[int64]bool) {
	own = map[int64]bool{}
	w.mu.Lock()
	for _, id := range w.ids {
		own[id] = true
	}
	w.mu.Unlock()
	all = dump()
	for _, g := range all {
		switch {
		case !own[g.id]:
		case g.state != inCoroutine:
			return g.state, g.frames, all, own
		case !hasLeft(g.frames):
			state, frames = g.state, g.frames
		}
	}
	return state, frames, all, own
}

// blocked is the state and the frames of the goroutine in which the design waits outside env: its own, or a coroutine
// that it has resumed.
func (w *World) blocked() (state, frames string) {
	if n := runtime.NumGoroutine(); n > mostDumped {
		return w.stack()
	}
	state, frames, all, own := w.picked()
	if state != inCoroutine {
		return state, frames
	}
	for _, g := range all {
		if own[g.parent] && !own[g.id] && blocks(g.state) && strings.Contains(g.frames, "created by iter.Pull") {
			return g.state, g.frames
		}
	}
	return state, frames
}

// dump is a dump of all goroutines.
func dump() (all []dumped) {
	buf := make([]byte, 1<<20)
	n := runtime.Stack(buf, true)
	for ; n == len(buf); n = runtime.Stack(buf, true) {
		buf = make([]byte, 4*len(buf))
	}
	for text := range strings.SplitSeq(string(buf[:n]), "\n\n") {
		head, frames, _ := cutLine(text)
		number, rest, _ := strings.Cut(strings.TrimPrefix(head, "goroutine "), " ")
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			continue
		}
		_, rest, _ = strings.Cut(rest, "[")
		state, _, _ := strings.Cut(rest, "]")
		state, _, _ = strings.Cut(state, ",") // how many minutes, locked to a thread
		g := dumped{id: id, state: strings.TrimSuffix(state, " (durable)"), frames: frames}
		if _, by, ok := strings.Cut(frames, " in goroutine "); ok {
			by, _, _ = cutLine(by)
			g.parent, _ = strconv.ParseInt(by, 10, 64)
		}
		all = append(all, g)
	}
	return all
}

func cutLine(text string) (line, rest string, ok bool) { return strings.Cut(text, "\n") }

// profiled is stack from a profile of so many goroutines, for which nobody stands still. Of two worlds it may take one
// for the other.
func profiled(n int) (state, frames string) {
	records := make([]runtime.StackRecord, n+n/8)
	n, ok := runtime.GoroutineProfile(records)
	if !ok {
		return "", ""
	}
	for i := range records[:n] {
		state, frames := described(records[i].Stack())
		if (blocks(state) || state == inSyscall) && strings.Contains(frames,
			ownPackages+"env/virtual.(*coroutine).loop(") {
			return state, frames
		}
	}
	return "", ""
}

// described is the state and the frames of a stack as in a dump, as far as its functions tell.
func described(stack []uintptr) (state, text string) {
	var b strings.Builder
	var functions []string
	frames := runtime.CallersFrames(stack)
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		functions = append(functions, f.Function)
		fmt.Fprintf(&b, "%s(...)\n\t%s:%d\n", f.Function, f.File, f.Line)
	}
	return stateOf(functions), b.String()
}

// stateOf is the state of a goroutine with these functions, the innermost first; "" for one that waits for nothing.
func stateOf(functions []string) string {
	switch first := functions[0]; {
	case strings.HasPrefix(first, "syscall."), strings.HasPrefix(first, "internal/runtime/syscall."),
		first == "runtime.cgocall":
		return inSyscall
	case first != "runtime.gopark":
		return ""
	}
	for _, f := range functions {
		if s := waitsIn[f]; s != "" {
			return s
		}
	}
	return ""
}

// waitsIn is the state of a goroutine that has parked in a function.
var waitsIn = map[string]string{
	"time.Sleep": "sleep", "runtime.chanrecv": "chan receive", "runtime.chansend": "chan send",
	"runtime.selectgo": "select",
	"runtime.block":    "select (no cases)", "internal/poll.runtime_pollWait": "IO wait",
	"runtime.semacquire1":         "semacquire",
	"sync.runtime_notifyListWait": "sync.Cond.Wait",
}

// blocks reports whether a state of a goroutine is to wait for something that is not the world's, nor the runtime's
// own.
func blocks(state string) bool {
	return state != "" && slices.ContainsFunc([]string{"sleep", "chan ", "select", "semacquire", "sync.", "IO wait"},
		func(s string) bool {
			return strings.HasPrefix(state, s)
		})
}

// notOfDesign reports whether a goroutine waits for what is no part of the design: for what another trial makes once
// for all, or, in an allocation, for the runtime, as to begin a collection. A dump does not show the runtime's own
// frames.
func notOfDesign(state, frames string) bool {
	inner := strings.TrimLeft(frames, "\n")
	own := strings.HasPrefix(state, "semacquire") && !strings.HasPrefix(inner, "sync.") &&
		!strings.HasPrefix(inner, "internal/")
	return own || strings.Contains(frames, "sync.(*Once).doSlow(")
}

// inSyscall is the state of a goroutine in a system call, or in C: it may sleep there or not.
const inSyscall = "syscall"

// inCoroutine is the state of a goroutine that has resumed another, or was not resumed itself.
const inCoroutine = "coroutine"

// hasLeft reports whether a goroutine in that state has gone on to another of the world, or ended.
func hasLeft(frames string) bool {
	for line := range strings.SplitSeq(frames, "\n") {
		switch {
		case line == "", strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "runtime."),
			strings.HasPrefix(line, "iter."):
		default:
			return strings.HasPrefix(line, ownPackages+"env/virtual.(*World).cross(") ||
				strings.HasPrefix(line, ownPackages+"env/virtual.(*coroutine).loop(")
		}
	}
	return true
}

// placeIn is the innermost function of a stack that is a design's and not the world's, or of the Go runtime, with its
// file and line.
func placeIn(frames string) string {
	name := ""
	for line := range strings.SplitSeq(frames, "\n") {
		if at, ok := strings.CutPrefix(line, "\t"); ok {
			at, _, _ = strings.Cut(at, " ")
			if name != "" && (ofDesign(name) || strings.Contains(at, "_test.go:")) {
				return name + " (" + filepath.Base(at) + ")"
			}
			continue
		}
		name = line
		if i := strings.LastIndexByte(line, '('); i >= 0 {
			name = line[:i] // without its arguments; a receiver is in parentheses too
		}
		if strings.HasPrefix(line, "created by ") || strings.HasPrefix(line, "testing.") {
			name = ""
		}
	}
	return "nothing of its own"
}

// ofDesign reports whether a function may be a design's.
func ofDesign(name string) bool {
	for _, p := range []string{"runtime.", "runtime/", "iter.", "internal/", "sync.", "time.", "reflect.", "panic",
		"os.", "os/", "net.", "net/", "io.", "bufio.", "syscall.",
		"golang.org/x/sys/",
		ownPackages + "env.", ownPackages + "env/virtual.", ownPackages + "sim."} {
		if strings.HasPrefix(name, p) {
			return false
		}
	}
	return true
}

const ownPackages = "github.com/brewput/brewput/"
