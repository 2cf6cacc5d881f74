package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
)

// Rival is a naive explainer, which gives one finding from the same profiles.
type Rival struct {
	Name   string
	Answer func(*evidence.Evidence) explain.Finding
}

// Rivals returns the naive explainers. They name the top entry of a profile.
func Rivals() []Rival {
	return []Rival{
		{"majority class", func(*evidence.Evidence) explain.Finding { return explain.Finding{Name: explain.None} }},
		{"top pprof line", topLine},
		{"largest mutex entry", largestMutex},
		{"longest block entry", longestBlock},
	}
}

// prefixes maps function names to the finding that they suggest. The first prefix that fits counts.
var prefixes = []struct {
	prefix string
	name   explain.Name
}{
	{"internal/runtime/syscall.", explain.UnbufferedIO}, {"syscall.", explain.UnbufferedIO},
	{"runtime.mallocgc", explain.EscapePerOp}, {"runtime.newobject", explain.EscapePerOp},
	{"runtime.nextFreeFast", explain.EscapePerOp},
	{"runtime.chan", explain.ChanHandoff}, {"runtime.selectgo", explain.ChanHandoff},
	{"runtime.select", explain.ChanHandoff},
	{"runtime.lock", explain.CoarseLock}, {"runtime.sem", explain.CoarseLock},
	{"internal/sync.(*Mutex)", explain.CoarseLock}, {"sync.(*Mutex)", explain.CoarseLock},
	{"sync.(*RWMutex)", explain.RWMutexMisuse},
	{"sync.(*WaitGroup)", explain.LoadImbalance}, {"sync.(*Cond)", explain.WakeLatency},
	{"internal/runtime/atomic", explain.LockConvoy}, {"sync/atomic", explain.WorkInflation},
	{"runtime.scan", explain.GCPressure}, {"runtime.gc", explain.GCPressure}, {"runtime.grey", explain.GCPressure},
	{"runtime.find", explain.GCPressure}, {"runtime.tryDefer", explain.GCPressure},
	{"runtime.sweep", explain.GCPressure},
	{"runtime.futex", explain.WakeLatency}, {"runtime.usleep", explain.WakeLatency},
	{"runtime.schedule", explain.WakeLatency},
	{"runtime.newproc", explain.GoroutineTooFine},
	{"runtime.", ""}, {"", explain.HotFunction},
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

// top returns the stack with the largest sum of values of a type, grouped by key.
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

// at returns a finding at the first frame that belongs to the program.
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
	return at(explain.CoarseLock, stack)
}

func longestBlock(e *evidence.Evidence) explain.Finding {
	stack := top(e, evidence.Block, "delay", whole)
	if stack == nil {
		return explain.Finding{Name: explain.None}
	}
	return at(suggested(stack[0].Function), stack)
}
