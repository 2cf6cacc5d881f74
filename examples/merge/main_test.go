package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// merged returns the calls of Merge for events that are waiting when it starts.
func merged[T comparable](events []T, told bool) (calls []string, expanded []T) {
	c, done := make(chan T, len(events)), make(chan struct{})
	for _, event := range events {
		c <- event
	}
	if told {
		close(done)
	} else {
		close(c)
	}
	Merge(done, c, func(event T, count int) {
		calls = append(calls, fmt.Sprintf("(%v,%d)", event, count))
		for range count {
			expanded = append(expanded, event)
		}
	})
	return calls, expanded
}

// TestMerge checks that runs of waiting events are maximal, and that neither a closed channel nor done loses an event.
func TestMerge(t *testing.T) {
	for _, told := range []bool{false, true} {
		for range 20 { // select chooses at random
			if calls, _ := merged(strings.Split("aaaabbb", ""), told); strings.Join(calls, ",") != "(a,4),(b,3)" {
				t.Fatal(calls)
			}
			if calls, _ := merged([]string{"", "", "a", ""}, told); strings.Join(calls, ",") != "(,2),(a,1),(,1)" {
				t.Fatal(calls)
			}
		}
	}
}

// TestMergeAnything checks that expanding the calls restores the events, and that neighbouring calls have different
// events if all are waiting.
func TestMergeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOfN(rapid.IntRange(0, 2), 0, 50).Draw(t, "events")
		calls, expanded := merged(events, rapid.Bool().Draw(t, "told"))
		if fmt.Sprint(expanded) != fmt.Sprint(events) {
			t.Fatalf("%v became %v", events, calls)
		}
		for i := 1; i < len(calls); i++ {
			if calls[i][:2] == calls[i-1][:2] {
				t.Fatalf("%v: a run is split: %v", events, calls)
			}
		}
	})
}

// TestMergeWhileSending checks that events that arrive during calls are all passed on, in order.
func TestMergeWhileSending(t *testing.T) {
	c := make(chan int)
	go func() {
		defer close(c)
		for i := range 10_000 {
			c <- i / 3
		}
	}()
	n := 0
	Merge(nil, c, func(event, count int) {
		for range count {
			if event != n/3 {
				t.Fatalf("event %d is %d", n, event)
			}
			n++
		}
	})
	if n != 10_000 {
		t.Fatal(n)
	}
}

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(strings.NewReader("a\n\n\n"), &out); err != nil || !strings.HasSuffix(out.String(), " \n") {
		t.Errorf("%v %q", err, out.String())
	}
	if err := run(strings.NewReader(strings.Repeat("x", 2<<20)), &out); err == nil {
		t.Error("a line of 2 MB is refused")
	}
	if err := run(strings.NewReader("a\n"), broken{}); err == nil || err.Error() != "full" {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }
