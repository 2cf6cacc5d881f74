package timeline_test

import (
	"fmt"

	"github.com/brewput/brewput/timeline"
)

// Two goroutines share one CPU. The second is runnable for 3 ns, until the first sleeps.
func ExampleTimeline() {
	span := func(goroutine int, kind timeline.Kind, start, end int64) timeline.Span {
		s := timeline.Span{Goroutine: goroutine, Kind: kind, Start: start, End: end, CPU: timeline.None,
			Resource: timeline.None, Request: timeline.NoRequest}
		if kind.OnCPU() {
			s.CPU = 0
		}
		return s
	}
	t := timeline.Timeline{CPUs: 1, From: 0, To: 10, Goroutines: []string{"a", "b"}, Spans: []timeline.Span{
		span(0, timeline.Running, 0, 3), span(0, timeline.Sleeping, 3, 10),
		span(1, timeline.Runnable, 0, 3), span(1, timeline.Running, 3, 8),
	}}
	t.Sort()
	if err := t.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("the CPU is busy for %d of %d ns\n", t.Busy(), t.To-t.From)
	// Output:
	// the CPU is busy for 8 of 10 ns
}
