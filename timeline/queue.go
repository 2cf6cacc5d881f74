package timeline

import (
	"cmp"
	"math"
	"slices"
)

// Queue is the queue of one resource over time.
type Queue struct {
	Resource
	Longest   int        // greatest length
	Lengths   []Length   // the length after each change
	Intervals []Interval // in the order of their start, then of their position
}

// Length is the length of a queue from a time on.
type Length struct {
	At int64
	N  int
}

// Interval is a time during which a goroutine or a value was at one position of a queue.
type Interval struct {
	Start, End int64
	Position   int  // 0 is next
	Buffered   bool // a value in the channel, not a goroutine that waits to send it
	Request    int64
	Goroutine  int // None for a value
}

// Queues returns the queues that were ever used: first the goroutines that wait for a CPU, and then each resource in
// the order of Resources. The queue of a channel is its values, followed by the waiting senders. That of a pool is
// its receivers, and that of a lock or condition its waiters. Resources without a name have none. Only the given
// number of positions have Intervals.
func (t *Timeline) Queues(positions int) []Queue {
	lines := make([][]member, len(t.Resources)+1) // the run queue, then by resource
	again := make([]waiter, len(t.Goroutines))
	for i := range t.Spans {
		s := &t.Spans[i]
		at, rank, ok := t.line(s)
		since := s.Start
		if s.Goroutine != None {
			since = again[s.Goroutine].since(s)
		}
		if ok {
			lines[at] = append(lines[at],
				member{Interval{Start: s.Start, End: s.End, Buffered: s.Kind == Buffered, Request: s.Request,
					Goroutine: s.Goroutine}, rank, since, i})
		}
	}
	var queues []Queue
	for i, members := range lines {
		if members == nil {
			continue
		}
		q := Queue{Resource: Resource{Kind: RunQueue}}
		if i > 0 {
			q.Resource = t.Resources[i-1]
		}
		q.place(members, positions)
		queues = append(queues, q)
	}
	return queues
}

// line returns the queue that a span belongs to, and its rank there: values precede senders.
func (t *Timeline) line(s *Span) (at, rank int, ok bool) {
	if s.Kind == Runnable {
		return 0, 0, true
	}
	if s.Resource == None {
		return 0, 0, false
	}
	at = s.Resource + 1
	pool := t.Resources[s.Resource].Pool
	switch s.Kind {
	case Locking, Awaiting:
		return at, 0, true
	case Buffered:
		return at, 0, !pool
	case Sending:
		return at, 1, !pool
	case Receiving:
		return at, 0, pool
	}
	return 0, 0, false
}

// waiter is what a goroutine last waited for. A goroutine that is woken for a lock and does not get it waits again;
// its wait counts from the first time.
type waiter struct {
	resource int
	first    int64
	waits    bool
}

// since returns when the wait of a span began.
func (w *waiter) since(s *Span) int64 {
	switch {
	case s.Kind == Running:
		w.waits = false
	case s.Kind == Locking && w.waits && w.resource == s.Resource:
		return w.first
	case s.Kind == Locking:
		*w = waiter{s.Resource, s.Start, true}
	}
	return s.Start
}

// member is an entry of a queue, with what decides its position.
type member struct {
	Interval
	rank  int
	since int64
	order int // of the span
}

func (m member) compare(o member) int {
	return cmp.Or(cmp.Compare(m.rank, o.rank), cmp.Compare(m.since, o.since), cmp.Compare(m.order, o.order))
}

// owner is equal for two spans of one wait: those of a goroutine that is woken and waits again at once.
func (m member) owner() int {
	if m.Goroutine != None {
		return -1 - m.Goroutine
	}
	return m.order
}

// place cuts members, sorted by their start, into intervals. Each arrival and departure may change the position of
// those behind.
func (q *Queue) place(members []member, positions int) {
	var line []member     // sorted by position
	open := map[int]int{} // the last interval of each entry
	for len(members) > 0 || len(line) > 0 {
		now := next(members, line)
		line = slices.DeleteFunc(line, func(m member) bool { return m.End <= now })
		for len(members) > 0 && members[0].Start == now {
			at, _ := slices.BinarySearchFunc(line, members[0], member.compare)
			line = slices.Insert(line, at, members[0])
			members = members[1:]
		}
		q.Longest = max(q.Longest, len(line))
		if n := len(q.Lengths); n == 0 || q.Lengths[n-1].N != len(line) {
			q.Lengths = append(q.Lengths, Length{now, len(line)})
		}
		until := next(members, line)
		for at, m := range line[:min(positions, len(line))] {
			if i, ok := open[m.owner()]; ok && q.Intervals[i].Position == at && q.Intervals[i].End == now &&
				q.Intervals[i].Request == m.Request {
				q.Intervals[i].End = until
				continue
			}
			p := m.Interval
			p.Start, p.End, p.Position = now, until, at
			open[m.owner()] = len(q.Intervals)
			q.Intervals = append(q.Intervals, p)
		}
	}
}

// next returns the time of the next arrival or departure.
func next(members, line []member) int64 {
	at := int64(math.MaxInt64)
	if len(members) > 0 {
		at = members[0].Start
	}
	for i := range line {
		at = min(at, line[i].End)
	}
	return at
}
