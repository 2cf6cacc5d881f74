// Package timeline describes what goroutines did over a stretch of time: which goroutine ran on which CPU, for which
// request and in which stage; what each one waited for; and which values were in which channel. It does not depend on
// the source of that data.
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
	From, To   int64    // the recorded time; spans are cut there
	Goroutines []string // unique names
	Resources  []Resource
	Spans      []Span // in the order of their start; see [Timeline.Sort]
}

// Resource is something that goroutines wait for. Resources of one kind and name are one.
type Resource struct {
	Kind ResourceKind
	Name string
	Room int // capacity of a channel
	// Pool means that the values of a channel are not requests, but something that requests need, such as free
	// workers. Its queue is that of the receivers.
	Pool bool
}

// ResourceKind is the kind of a resource.
type ResourceKind string

// The kinds of resource.
const (
	Lock      ResourceKind = "lock"
	Channel   ResourceKind = "channel"
	Condition ResourceKind = "condition"
	RunQueue  ResourceKind = "run queue" // only in a [Queue]: goroutines that wait for a CPU
)

// Kind is the state of a goroutine, or of a value, during a span.
type Kind uint8

// The kinds of span. All except Buffered are of a goroutine; Running and Overhead are on a CPU.
const (
	Running   Kind = iota
	Overhead       // on a CPU for the scheduler: a switch, the cost of an operation, spinning for a lock
	Runnable       // in a run queue
	Locking        // waits for a lock
	Sending        // waits for room in a channel, or for a receiver
	Receiving      // waits for a value
	Selecting      // waits for the first of several channels
	Awaiting       // waits for a condition or a group
	Sleeping       // waits for a timer, the network or a disk
	Syscall        // is in a system call
	Buffered       // a value in a channel, with the request of its sender
	kinds
)

var kindNames = [kinds]string{
	"running", "overhead", "runnable", "waiting for a lock", "sending", "receiving", "selecting", "waiting", "sleeping",
	"in a system call", "in a channel",
}

// String returns the kind in words.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown"
}

// OnCPU reports whether the goroutine of the span has a CPU.
func (k Kind) OnCPU() bool { return k == Running || k == Overhead }

// Span is a time during which one state lasted, [Start, End).
type Span struct {
	Start, End int64
	Kind       Kind
	Goroutine  int    // index into Goroutines; None for a value in a channel
	CPU        int    // None unless the kind is on a CPU
	Resource   int    // index into Resources: what is waited for, or the channel; None without a name
	Stage      string // the station that the goroutine is in, if any, with or without a CPU
	Request    int64  // NoRequest if none
}

// Sort sorts the spans by their start. Spans with equal starts keep their order, which in a FIFO is that of their
// ends.
func (t *Timeline) Sort() {
	slices.SortStableFunc(t.Spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
}

// Busy returns the time that all CPUs together spent on goroutines, including the overhead of the scheduler.
func (t *Timeline) Busy() int64 {
	sum := int64(0)
	for i := range t.Spans {
		if s := &t.Spans[i]; s.Kind.OnCPU() {
			sum += s.End - s.Start
		}
	}
	return sum
}

// Stages returns the names of the stages in the order of their first appearance.
func (t *Timeline) Stages() []string {
	var names []string
	for i := range t.Spans {
		if s := t.Spans[i].Stage; s != "" && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}
