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

// Timeline reads the beginning of a trace as spans, up to so many of them: who ran, queued and waited when. Resources
// have no names: a stock trace does not tell one lock or channel from another.
func Timeline(r io.Reader, spans int) (*timeline.Timeline, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if err := header(in); err != nil {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}

	l := &timelineBuilder{of: map[trace.GoID]*timelineGoroutine{}, most: spans, out: &timeline.Timeline{}}
	err := l.read(in)
	if len(l.out.Spans) == 0 {
		return nil, fmt.Errorf("reading a trace: %w",
			errors.Join(errors.New("it has no goroutine that does something"), err))
	}

	l.finish()
	return l.out, nil
}

// lanes are the goroutines of a timeline that is being made.
type timelineBuilder struct {
	of    map[trace.GoID]*timelineGoroutine
	list  []*timelineGoroutine
	most  int
	began bool
	first trace.Time
	now   int64
	out   *timeline.Timeline
}

// lane is one goroutine with what it is doing.
type timelineGoroutine struct {
	id    trace.GoID
	index int
	start string // the function that it runs
	kind  timeline.Kind
	cpu   int
	since int64
	alive bool
}

// read takes in a trace until it ends or there are enough spans. The reader of a corrupt one may panic.
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

	for len(l.out.Spans) < l.most {
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

// change ends what a goroutine did, and begins what it does now.
func (l *timelineBuilder) change(e *trace.Event, s *trace.StateTransition) {
	id := s.Resource.Goroutine()
	from, to := s.Goroutine()
	g := l.of[id]
	if g == nil {
		g = &timelineGoroutine{id: id, index: len(l.list)}
		l.of[id] = g
		l.list = append(l.list, g)
		l.out.Goroutines = append(l.out.Goroutines, "")
	}
	if g.start == "" {
		g.start = root(s.Stack)
	}
	if from == to && g.alive { // a part of the trace begins
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

// close makes a span of what a goroutine did until now.
func (l *timelineBuilder) close(g *timelineGoroutine) {
	if !g.alive || l.now <= g.since || g.kind.OnCPU() && g.cpu < 0 {
		return
	}
	l.out.Spans = append(l.out.Spans, timeline.Span{
		Start: g.since, End: l.now, Kind: g.kind, Goroutine: g.index, CPU: g.cpu, Resource: timeline.None,
		Request: timeline.NoRequest,
	})
}

// finish ends all that goes on, and names the goroutines.
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

// waitKind is what a goroutine waits for, in the trace's words.
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

// root is the outermost function of a stack.
func root(s trace.Stack) string {
	name := ""
	for f := range s.Frames() {
		name = f.Func
	}
	return name
}
