// Package timeline is what goroutines did over a stretch of time: who ran on which CPU, for which request and
// in which stage, who waited for what, and what lay in which channel. It knows nothing of where that comes from.
package timeline

import (
	"cmp"
	"slices"
)

// NoRequest is the request of a span that serves none.
const NoRequest = -1

// None stands for no goroutine, no CPU or no resource.
const None = -1

// Timeline is one stretch of time of one program. Times are in nanoseconds since its world began.
type Timeline struct {
	Title      string
	CPUs       int
	From, To   int64    // what was recorded; spans that reach beyond are cut there
	Goroutines []string // unique names
	Resources  []Resource
	Spans      []Span // in the order of their start; see [Timeline.Sort]
}

// Resource is something that goroutines wait for. Those of one kind and name are one.
type Resource struct {
	Kind ResourceKind
	Name string
	Room int // of a channel
	// Pool says that the values of a channel are no requests but what requests need, such as free machines:
	// who stands in line there are its receivers.
	Pool bool
}

// ResourceKind says what a resource is.
type ResourceKind string

// The kinds of resource.
const (
	Lock      ResourceKind = "lock"
	Channel   ResourceKind = "channel"
	Condition ResourceKind = "condition"
	RunQueue  ResourceKind = "run queue" // only of a [Queue]: who waits for a CPU
)

// Kind says what happens in a span.
type Kind uint8

// The kinds of span. Each but Buffered is of a goroutine; Running and Overhead are on a CPU.
const (
	Running   Kind = iota
	Overhead       // on a CPU, but for the scheduler: a switch, the cost of an operation, spinning for a lock
	Runnable       // in a run queue
	Locking        // waits for a lock
	Sending        // waits for room in a channel, or for its receiver
	Receiving      // waits for a value
	Selecting      // waits for the first of several channels
	Awaiting       // waits for a condition or a group
	Sleeping       // waits for a timer, or for network or disk
	Syscall        // is in a system call
	Buffered       // a value in a channel, with the request of its sender
	kinds
)

var kindNames = [kinds]string{
	"running", "overhead", "runnable", "waiting for a lock", "sending", "receiving", "selecting", "waiting", "sleeping",
	"in a system call", "in a channel",
}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown"
}

// OnCPU reports whether the goroutine of the span has a CPU.
func (k Kind) OnCPU() bool { return k == Running || k == Overhead }

// Span is a time in which one thing went on, [Start, End).
type Span struct {
	Start, End int64
	Kind       Kind
	Goroutine  int    // index into Goroutines; None for a value in a channel
	CPU        int    // None unless on one
	Resource   int    // index into Resources: what is waited for, or the channel; None where it has no name
	Stage      string // the station that the goroutine is in, if any, whether it has a CPU or not
	Request    int64  // NoRequest if none
}

// Sort puts spans in the order of their start. Those that start together stay as they are: in a FIFO in
// the order of their end.
func (t *Timeline) Sort() {
	slices.SortStableFunc(t.Spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
}

// Busy is the time that all CPUs together spent on goroutines, what the scheduler took included.
func (t *Timeline) Busy() int64 {
	sum := int64(0)
	for i := range t.Spans {
		if s := &t.Spans[i]; s.Kind.OnCPU() {
			sum += s.End - s.Start
		}
	}
	return sum
}

// Stages are the names of the stages, in the order in which they first appear.
func (t *Timeline) Stages() []string {
	var names []string
	for i := range t.Spans {
		if s := t.Spans[i].Stage; s != "" && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}
