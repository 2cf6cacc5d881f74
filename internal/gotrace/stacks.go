package gotrace

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
	"golang.org/x/exp/trace"
)

// Limits on memory. Beyond them, events count for the first stack, class or site.
const (
	maxStacks  = 16384
	maxFrames  = 24 // frames of a stack; the innermost are kept
	maxClasses = 1024
	maxSites   = 4096
	maxWakers  = 24 // sites that woke goroutines at one site
	maxMembers = 16 // goroutines of a class that are kept individually
)

// stacks numbers the stacks. The trace's own handles are valid for one generation only.
type stacks struct {
	seen  map[trace.Stack]stackID // by the handles of this generation
	known map[string]stackID      // by program counters and lines
	list  []stack
	key   []byte           // key of the current stack
	all   []evidence.Frame // frames of the current stack
}

// stackID is the number of a stack; 0 is no stack.
type stackID int32

// stack is a stack with its outermost functions.
type stack struct {
	frames []evidence.Frame
	root   string         // the outermost function
	entry  evidence.Frame // root, or the function that a wrapper runs
}

func newStacks() *stacks {
	return &stacks{seen: map[trace.Stack]stackID{}, known: map[string]stackID{}, list: []stack{{}}}
}

// generation discards the handles of the last generation.
func (s *stacks) generation() { clear(s.seen) }

// id returns the number of a stack. It returns 0 for no stack, and beyond the limit.
func (s *stacks) id(t trace.Stack) stackID {
	if t == trace.NoStack {
		return 0
	}
	id, ok := s.seen[t]
	if !ok {
		id = s.intern(t)
		s.seen[t] = id
	}
	return id
}

// intern returns the number of a stack by its contents.
func (s *stacks) intern(t trace.Stack) stackID {
	s.key, s.all = s.key[:0], s.all[:0]
	for f := range t.Frames() {
		if len(s.all) < maxFrames {
			s.key = binary.LittleEndian.AppendUint64(s.key, f.PC)
			s.key = binary.LittleEndian.AppendUint32(s.key, uint32(f.Line))
		}
		s.all = append(s.all, evidence.Frame{Function: f.Func, File: f.File, Line: int(f.Line)})
	}

	n := len(s.all)
	if n == 0 {
		return 0
	}
	if id, ok := s.known[string(s.key)]; ok {
		return id
	}
	if len(s.list) == maxStacks {
		return 0
	}

	id := stackID(len(s.list))
	s.list = append(s.list, stack{slices.Clone(s.all[:min(n, maxFrames)]), s.all[n-1].Function,
		evidence.StartFrame(s.all)})
	s.known[string(s.key)] = id
	return id
}

func (s *stacks) frames(id stackID) []evidence.Frame { return s.list[id].frames }

// reasonOf returns why a goroutine waits, derived from its stack, in the words of the runtime.
func reasonOf(frames []evidence.Frame) string {
	for _, f := range frames {
		switch name := f.Function; {
		case name == "time.Sleep":
			return "sleep"
		case strings.HasPrefix(name, "runtime.chanrecv"):
			return "chan receive"
		case strings.HasPrefix(name, "runtime.chansend"):
			return "chan send"
		case name == "runtime.selectgo":
			return "select"
		case name == "internal/poll.runtime_pollWait":
			return "network"
		case strings.HasPrefix(name, "sync."), strings.HasPrefix(name, "internal/sync."):
			return "sync"
		case !strings.HasPrefix(name, "runtime."):
			return ""
		}
	}

	return ""
}

// op returns the operation for which a goroutine waits, given the trace's reason and the stack.
func op(reason string, frames []evidence.Frame) evidence.Op {
	switch reason {
	case "chan send":
		return evidence.OpSend
	case "chan receive":
		return evidence.OpReceive
	case "select", "select (no cases)":
		return evidence.OpSelect
	case "sleep":
		return evidence.OpSleep
	case "network":
		return evidence.OpNetwork
	case "runtime.Gosched":
		return evidence.OpYield
	case "sync", "sync.(*Cond).Wait":
		return lockOp(frames)
	}
	if strings.HasPrefix(reason, "GC ") || strings.Contains(reason, "GC ends") {
		return evidence.OpCollector
	}

	return evidence.OpOther
}

// lockOp distinguishes the primitives of package sync by their functions on the stack. The outermost one is what the
// program called.
func lockOp(frames []evidence.Frame) evidence.Op {
	kind := evidence.OpOther
	for _, f := range frames {
		name, ok := strings.CutPrefix(f.Function, "sync.(*")
		if !ok && !strings.HasPrefix(f.Function, "internal/sync.") && !strings.HasPrefix(f.Function, "runtime.") &&
			!strings.HasPrefix(f.Function, "sync.") {
			break
		}
		switch {
		case strings.HasPrefix(name, "Mutex)."):
			kind = evidence.OpMutex
		case strings.HasPrefix(name, "RWMutex)."), strings.HasPrefix(name, "rlocker)."):
			kind = evidence.OpRWMutex
		case strings.HasPrefix(name, "WaitGroup)."):
			kind = evidence.OpWaitGroup
		case strings.HasPrefix(name, "Cond)."):
			kind = evidence.OpCond
		case strings.HasPrefix(name, "Once)."):
			kind = evidence.OpOther
		}
	}

	return kind
}
