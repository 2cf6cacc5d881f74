package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
)

// Rival is a naive way to an answer, from the same profiles: its first finding.
type Rival struct {
	Name   string
	Answer func(*evidence.Evidence) explain.Finding
}

// Rivals are what one does with a profile without thinking: they name the top of it.
func Rivals() []Rival {
	return []Rival{
		{"majority class", func(*evidence.Evidence) explain.Finding { return explain.Finding{Name: explain.None} }},
		{"top pprof line", topLine},
		{"largest mutex entry", largestMutex},
		{"longest block entry", longestBlock},
	}
}

// prefixes gives the finding that a function's name suggests; the first that fits counts.
var prefixes = []struct {
	prefix string
	name   explain.Name
}{
	{"internal/runtime/syscall.", "unbuffered-io"}, {"syscall.", "unbuffered-io"},
	{"runtime.mallocgc", "escape-per-op"}, {"runtime.newobject", "escape-per-op"},
	{"runtime.nextFreeFast", "escape-per-op"},
	{"runtime.chan", "chan-handoff"}, {"runtime.selectgo", "chan-handoff"}, {"runtime.select", "chan-handoff"},
	{"runtime.lock", "coarse-lock"}, {"runtime.sem", "coarse-lock"},
	{"internal/sync.(*Mutex)", "coarse-lock"}, {"sync.(*Mutex)", "coarse-lock"}, {"sync.(*RWMutex)", "rwmutex-misuse"},
	{"sync.(*WaitGroup)", "load-imbalance"}, {"sync.(*Cond)", "wake-latency"},
	{"internal/runtime/atomic", "lock-convoy"}, {"sync/atomic", "work-inflation"},
	{"runtime.scan", "gc-pressure"}, {"runtime.gc", "gc-pressure"}, {"runtime.grey", "gc-pressure"},
	{"runtime.find", "gc-pressure"}, {"runtime.tryDefer", "gc-pressure"}, {"runtime.sweep", "gc-pressure"},
	{"runtime.futex", "wake-latency"}, {"runtime.usleep", "wake-latency"}, {"runtime.schedule", "wake-latency"},
	{"runtime.newproc", "goroutine-too-fine"},
	{"runtime.", ""}, {"", "hot-function"},
}

func suggested(function string) explain.Name {
	i := slices.IndexFunc(prefixes, func(p struct {
		prefix string
		name   explain.Name
	}) bool {
		return strings.HasPrefix(function, p.prefix)
	})
	if n := prefixes[i].name; n != "" {
		return n
	}
	return explain.None
}

// top is the stack whose values of a type add up to the most, by key.
func top(e *evidence.Evidence, kind evidence.ProfileKind, valueType string,
	key func([]evidence.Frame) string) []evidence.Frame {
	sums := map[string]int64{}
	stacks := map[string][]evidence.Frame{}
	for _, p := range e.Profiles {
		if p.Kind != kind {
			continue
		}
		value := slices.IndexFunc(p.Types, func(t string) bool { return strings.HasPrefix(t, valueType) })
		for _, s := range p.Samples {
			if value < 0 || len(s.Stack) == 0 || value >= len(s.Values) {
				continue
			}
			k := key(s.Stack)
			sums[k] += s.Values[value]
			stacks[k] = s.Stack
		}
	}
	best := ""
	for k, n := range sums {
		if n > sums[best] || n == sums[best] && k < best {
			best = k
		}
	}
	return stacks[best]
}

func leaf(stack []evidence.Frame) string { return fmt.Sprint(stack[0].Function, ":", stack[0].Line) }

func whole(stack []evidence.Frame) string {
	var b strings.Builder
	for _, f := range stack {
		fmt.Fprintln(&b, f.Function, f.Line)
	}
	return b.String()
}

// at is a finding at the first frame of the program's own.
func at(name explain.Name, stack []evidence.Frame) explain.Finding {
	f := explain.Finding{Name: name}
	for _, frame := range stack {
		if strings.HasPrefix(frame.Function, "main.") {
			f.Where = []string{fmt.Sprint("main.go:", frame.Line)}
			break
		}
	}
	return f
}

func topLine(e *evidence.Evidence) explain.Finding {
	stack := top(e, evidence.CPU, "cpu", leaf)
	if stack == nil {
		return explain.Finding{Name: explain.None}
	}
	return at(suggested(stack[0].Function), stack)
}

func largestMutex(e *evidence.Evidence) explain.Finding {
	stack := top(e, evidence.Mutex, "delay", whole)
	if stack == nil {
		return explain.Finding{Name: explain.None}
	}
	return at("coarse-lock", stack)
}

func longestBlock(e *evidence.Evidence) explain.Finding {
	stack := top(e, evidence.Block, "delay", whole)
	if stack == nil {
		return explain.Finding{Name: explain.None}
	}
	return at(suggested(stack[0].Function), stack)
}
