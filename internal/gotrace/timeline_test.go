package gotrace

import (
	"bytes"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/timeline"
	exp "golang.org/x/exp/trace"
)

// A goroutine that waits for another one does so in the timeline, which obeys its own laws.
func TestTimeline(t *testing.T) {
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		t.Fatal(err)
	}
	pass := make(chan int)
	go passOn(pass)
	for stack := make([]byte, 1<<16); !strings.Contains(string(stack[:runtime.Stack(stack, true)]), "[chan send"); {
		runtime.Gosched() // until the goroutine waits
	}
	for range 10 {
		<-pass
	}
	trace.Stop()
	text := b.Bytes()
	l, err := Timeline(bytes.NewReader(text), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Validate(); err != nil {
		t.Error(err)
	}
	i := slices.IndexFunc(l.Goroutines, func(n string) bool { return strings.HasSuffix(n, "gotrace.passOn") })
	if i < 0 {
		t.Fatalf("goroutines %q", l.Goroutines)
	}
	kinds := map[timeline.Kind]bool{}
	for _, s := range l.Spans {
		if s.Goroutine == i {
			kinds[s.Kind] = true
		}
	}
	if !kinds[timeline.Running] || !kinds[timeline.Sending] {
		t.Errorf("it does %v", kinds)
	}
	if few, err := Timeline(bytes.NewReader(text), 3); err != nil || len(few.Spans) < 3 ||
		len(few.Spans) > 3+len(few.Goroutines) {
		t.Errorf("%v, %v", few, err)
	}
	if _, err := Timeline(strings.NewReader("nothing of that kind"), 3); err == nil {
		t.Error("anything is read")
	}
}

func passOn(c chan int) {
	for i := range 10 {
		c <- i
	}
}

// A new generation of the trace ends no span.
func TestTimelineGenerations(t *testing.T) {
	l := &timelineBuilder{byID: map[exp.GoID]*timelineGoroutine{}, out: &timeline.Timeline{}}
	for i, to := range []exp.GoState{exp.GoRunning, exp.GoRunning, exp.GoWaiting, exp.GoWaiting, exp.GoRunnable} {
		from := []exp.GoState{exp.GoUndetermined, exp.GoRunning, exp.GoRunning, exp.GoWaiting, exp.GoWaiting}[i]
		d := exp.MakeGoStateTransition(7, from, to)
		if from == exp.GoRunning && to == exp.GoWaiting {
			d.Reason = "chan receive"
		}
		e, err := exp.MakeEvent(exp.EventConfig[exp.StateTransition]{Kind: exp.EventStateTransition,
			Time: exp.Time(1 + i), Goroutine: 7, Proc: 0, Details: d})
		if err != nil {
			t.Fatal(err)
		}
		s := e.StateTransition()
		l.now = int64(10 * i)
		l.change(&e, &s)
	}
	want := []timeline.Span{
		{End: 20, Kind: timeline.Running, Resource: timeline.None, Request: timeline.NoRequest},
		{Start: 20, End: 40, Kind: timeline.Receiving, CPU: timeline.None, Resource: timeline.None,
			Request: timeline.NoRequest},
	}
	if !slices.Equal(l.out.Spans, want) {
		t.Errorf("%+v, want %+v", l.out.Spans, want)
	}
}
