package gotrace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/brewput/brewput/timeline"
	"golang.org/x/exp/trace"
)

// Timeline reads the beginning of a trace, up to a number of spans, as a timeline of when goroutines ran, queued and
// waited. Resources have no names, because a trace does not distinguish one lock or channel from another.
func Timeline(r io.Reader, spans int) (*timeline.Timeline, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if err := header(in); err != nil {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}

	l := &timelineBuilder{byID: map[trace.GoID]*timelineGoroutine{}, maxSpans: spans, out: &timeline.Timeline{}}
	err := l.read(in)
	if len(l.out.Spans) == 0 {
		return nil, fmt.Errorf("reading a trace: %w",
			errors.Join(errors.New("it has no goroutine that is ever active"), err))
	}

	l.finish()
	return l.out, nil
}

// timelineBuilder builds a timeline from the events of a trace.
type timelineBuilder struct {
	byID     map[trace.GoID]*timelineGoroutine
	list     []*timelineGoroutine
	maxSpans int
	began    bool
	first    trace.Time
	now      int64
	out      *timeline.Timeline
}

// timelineGoroutine is one goroutine and its current state.
type timelineGoroutine struct {
	id    trace.GoID
	index int
	start string // start function
	kind  timeline.Kind
	cpu   int
	since int64
	alive bool
}

// read processes events until the trace ends or there are enough spans. The reader may panic on a corrupt trace.
func (l *timelineBuilder) read(in io.Reader) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it is corrupt: %v", r)
		}
	}()
	reader, err := trace.NewReader(in)
	if err != nil {
		return err
	}

	for len(l.out.Spans) < l.maxSpans {
		e, err := reader.ReadEvent()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errors.New(firstLine(err))
		}
		if !l.began {
			l.began, l.first = true, e.Time()
		}
		l.now = int64(e.Time() - l.first)
		if e.Kind() != trace.EventStateTransition {
			continue
		}
		if s := e.StateTransition(); s.Resource.Kind == trace.ResourceGoroutine {
			l.change(&e, &s)
		}
	}

	return nil
}

// change ends the span of a goroutine and begins the next.
func (l *timelineBuilder) change(e *trace.Event, s *trace.StateTransition) {
	id := s.Resource.Goroutine()
	from, to := s.Goroutine()
	g := l.byID[id]
	if g == nil {
		g = &timelineGoroutine{id: id, index: len(l.list)}
		l.byID[id] = g
		l.list = append(l.list, g)
		l.out.Goroutines = append(l.out.Goroutines, "")
	}
	if g.start == "" {
		g.start = root(s.Stack)
	}
	if from == to && g.alive { // a new generation of the trace begins
		return
	}

	l.close(g)
	g.since, g.cpu, g.alive = l.now, timeline.None, true
	switch to {
	case trace.GoRunning:
		g.kind, g.cpu = timeline.Running, int(e.Proc())
		l.out.CPUs = max(l.out.CPUs, g.cpu+1)
	case trace.GoRunnable:
		g.kind = timeline.Runnable
	case trace.GoSyscall:
		g.kind = timeline.Syscall
	case trace.GoWaiting:
		g.kind = waitKind(s.Reason)
	default:
		g.alive = false
	}
}

// close adds the span of what a goroutine did until now.
func (l *timelineBuilder) close(g *timelineGoroutine) {
	if !g.alive || l.now <= g.since || g.kind.OnCPU() && g.cpu < 0 {
		return
	}
	l.out.Spans = append(l.out.Spans, timeline.Span{
		Start: g.since, End: l.now, Kind: g.kind, Goroutine: g.index, CPU: g.cpu, Resource: timeline.None,
		Request: timeline.NoRequest,
	})
}

// finish ends the open spans, and names the goroutines.
func (l *timelineBuilder) finish() {
	for i, g := range l.list {
		l.close(g)
		name := strings.TrimPrefix(g.start, "runtime.main")
		if name == "" && g.id == 1 {
			name = "main.main"
		}
		l.out.Goroutines[i] = strings.TrimSpace(fmt.Sprintf("goroutine %d %s", g.id, name))
	}

	l.out.To = l.now
	l.out.CPUs = max(l.out.CPUs, 1)
	l.out.Sort()
}

// waitKind maps the trace's reason for a wait to a kind of span.
func waitKind(reason string) timeline.Kind {
	switch reason {
	case "chan send":
		return timeline.Sending
	case "chan receive":
		return timeline.Receiving
	case "select", "select (no cases)":
		return timeline.Selecting
	case "sync":
		return timeline.Locking
	case "sleep", "network":
		return timeline.Sleeping
	}

	return timeline.Awaiting
}

// root returns the outermost function of a stack.
func root(s trace.Stack) string {
	name := ""
	for f := range s.Frames() {
		name = f.Func
	}
	return name
}
