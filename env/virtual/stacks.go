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
	// mostDumped is the largest number of goroutines for a stack dump. A dump stops the world, which for a million
	// goroutines takes seconds.
	mostDumped = 10_000
	// mostProfiled is the same for a goroutine profile, in which goroutines have no number and no state.
	mostProfiled = 200_000
)

// addID records the Go goroutine of a coroutine.
func (w *World) addID(id int64) {
	w.mu.Lock()
	w.ids = append(w.ids, id)
	w.mu.Unlock()
}

// dumped is a goroutine in a stack dump.
type dumped struct {
	id, parent    int64
	state, frames string
}

// stack returns the state and the frames of the coroutine that runs, or that waits outside env. If there is none, it
// is the one that waits for a coroutine of the design's own. Both are empty if the world itself runs, or if there are
// too many goroutines.
func (w *World) stack() (state, frames string) {
	switch n := runtime.NumGoroutine(); {
	case n > mostProfiled:
		return "", ""
	case n > mostDumped:
		return profileStack(n)
	}
	state, frames, _, _ = w.pickStack()
	return state, frames
}

// pickStack is stack by a dump. It also returns the dump and the numbers of the world's goroutines.
func (w *World) pickStack() (state, frames string, all []dumped, own map[int64]bool) {
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

// blocked returns the state and the frames of the goroutine in which the design waits outside env: one of the
// world's, or a coroutine that it has resumed.
func (w *World) blocked() (state, frames string) {
	if n := runtime.NumGoroutine(); n > mostDumped {
		return w.stack()
	}
	state, frames, all, own := w.pickStack()
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

// dump returns a stack dump of all goroutines.
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
		state, _, _ = strings.Cut(state, ",") // without the minutes, and "locked to thread"
		g := dumped{id: id, state: strings.TrimSuffix(state, " (durable)"), frames: frames}
		if _, by, ok := strings.Cut(frames, " in goroutine "); ok {
			by, _, _ = cutLine(by)
			g.parent, _ = strconv.ParseInt(by, 10, 64)
		}
		all = append(all, g)
	}
	return all
}

// cutLine cuts the first line off.
func cutLine(text string) (line, rest string, ok bool) { return strings.Cut(text, "\n") }

// profileStack is stack by a profile of n goroutines, which does not stop the world. It cannot distinguish two worlds
// of one process.
func profileStack(n int) (state, frames string) {
	records := make([]runtime.StackRecord, n+n/8)
	n, ok := runtime.GoroutineProfile(records)
	if !ok {
		return "", ""
	}
	for i := range records[:n] {
		state, frames := describeStack(records[i].Stack())
		if (blocks(state) || state == inSyscall) && strings.Contains(frames,
			ownPackages+"env/virtual.(*coroutine).loop(") {
			return state, frames
		}
	}
	return "", ""
}

// describeStack returns the state and the frames of a stack as in a dump, as far as its functions tell.
func describeStack(stack []uintptr) (state, text string) {
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

// stateOf returns the state of a goroutine with these functions, the innermost first; "" for one that does not wait.
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

// blocks reports whether a goroutine in this state waits for something outside the world and the runtime.
func blocks(state string) bool {
	return state != "" && slices.ContainsFunc([]string{"sleep", "chan ", "select", "semacquire", "sync.", "IO wait"},
		func(s string) bool {
			return strings.HasPrefix(state, s)
		})
}

// ofRuntime reports whether a goroutine waits for something that is no part of the design: for a sync.Once of another
// trial, or for the runtime, such as an allocation that begins a collection. Many packages allocate, such as
// internal/runtime/maps. So a semaphore belongs to the runtime unless a package that has semaphores acquires it.
func ofRuntime(state, frames string) bool {
	inner := innermost(frames)
	own := strings.HasPrefix(state, "semacquire") && !slices.ContainsFunc(
		[]string{"sync.runtime_", "internal/sync.runtime_", "internal/poll.runtime_"},
		func(p string) bool { return strings.HasPrefix(inner, p) })
	return own || strings.Contains(frames, "sync.(*Once).doSlow(")
}

// innermost returns the innermost function of a stack that a dump shows. A profile, and a dump under
// GOTRACEBACK=system, show frames of the runtime before it.
func innermost(frames string) string {
	for line := range strings.SplitSeq(frames, "\n") {
		if line != "" && !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "runtime.") {
			return line
		}
	}
	return ""
}

// inSyscall is the state of a goroutine in a system call or in C. It may sleep there or not.
const inSyscall = "syscall"

// inCoroutine is the state of a goroutine that has resumed another one, or that was not resumed itself.
const inCoroutine = "coroutine"

// hasLeft reports whether a goroutine in that state has switched to another one of the world, or ended.
func hasLeft(frames string) bool {
	for line := range strings.SplitSeq(frames, "\n") {
		switch {
		case line == "", strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "runtime."),
			strings.HasPrefix(line, "iter."):
		default:
			return strings.HasPrefix(line, ownPackages+"env/virtual.(*World).switchTo(") ||
				strings.HasPrefix(line, ownPackages+"env/virtual.(*coroutine).loop(")
		}
	}
	return true
}

// locationIn returns the innermost function of a stack that belongs to the design, and not to the world or the Go
// runtime, with its file and line.
func locationIn(frames string) string {
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

// ofDesign reports whether a function may belong to a design.
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

// ownPackages is the prefix of this module's packages.
const ownPackages = "github.com/brewput/brewput/"
