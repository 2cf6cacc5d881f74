package timeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/internal/seeded"
)

func TestMain(m *testing.M) {
	seeded.Fix()
	m.Run()
}

// shop is a timeline with a bit of everything: two CPUs, three goroutines, a lock and a channel.
func shop() *Timeline {
	return &Timeline{
		Title: "shop", CPUs: 2, From: 100, To: 200,
		Goroutines: []string{"worker", "worker#2", "grinder"},
		Resources:  []Resource{{Kind: Lock, Name: "kitchen"}, {Kind: Channel, Name: "orders", Room: 1}},
		Spans: []Span{
			{100, 150, Running, 0, 0, None, "press", 1},
			{100, 140, Locking, 1, None, 0, "", 2},
			{100, 160, Receiving, 2, None, 1, "", NoRequest},
			{140, 150, Runnable, 1, None, None, "", 2},
			{150, 155, Overhead, 1, 0, None, "", 2},
			{150, 200, Sending, 0, None, 1, "", 1},
			{155, 200, Running, 1, 0, None, "", 2},
			{160, 200, Running, 2, 1, None, "grinder", 7},
			{160, 170, Buffered, None, None, 1, "", 3},
		},
	}
}

func TestValidate(t *testing.T) {
	if err := shop().Validate(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*Timeline){
		"0 CPUs": func(l *Timeline) { l.CPUs = 0 },
		"CPU 0 is busy until 155": func(l *Timeline) {
			l.Spans[4],
				l.Spans[6].Start = Span{150, 155, Overhead, 1, 0, None, "", 2}, 154
		},
		"CPU 0 is busy until 200":                   func(l *Timeline) { l.Spans[7].CPU = 0 },
		"the previous span of worker#2 ends at 135": func(l *Timeline) { l.Spans[1].End = 135 },
		"the previous span of worker ends at 160": func(l *Timeline) {
			l.Spans[0].End = 160
			l.Spans[4].CPU = 1
			l.Spans[6].CPU = 1
			l.Spans[7].Kind = Sleeping
			l.Spans[7].CPU = None
		},
		"starts before the one before": func(l *Timeline) { l.Spans[7], l.Spans[6] = l.Spans[6], l.Spans[7] },
		"not within 100 to 200":        func(l *Timeline) { l.Spans[7].End = 201 },
		"not within":                   func(l *Timeline) { l.Spans[8].End = 160 },
		"no kind 200":                  func(l *Timeline) { l.Spans[8].Kind = 200 },
		"running on CPU 2 of 2":        func(l *Timeline) { l.Spans[7].CPU = 2 },
		"sending on CPU 1":             func(l *Timeline) { l.Spans[5].CPU = 1 },
		"no goroutine 3 of 3":          func(l *Timeline) { l.Spans[7].Goroutine = 3 },
		"no goroutine 0":               func(l *Timeline) { l.Spans[8].Goroutine = 0 },
		"no resource 2 of 2":           func(l *Timeline) { l.Spans[5].Resource = 2 },
		"request -2":                   func(l *Timeline) { l.Spans[5].Request = -2 },
	} {
		l := shop()
		spoil(l)
		if err := l.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func TestSums(t *testing.T) {
	l := shop()
	if got := l.Busy(); got != 50+5+45+40 {
		t.Errorf("busy %d", got)
	}
	if got := l.Stages(); !slices.Equal(got, []string{"press", "grinder"}) {
		t.Errorf("stages %q", got)
	}
	if Running.String() != "running" || Buffered.String() != "in a channel" || Kind(99).String() != "unknown" {
		t.Error("kinds have other names")
	}
}

// lines prints queues: each interval as its request, position, and time.
func lines(l *Timeline, positions int) string {
	var b strings.Builder
	for _, q := range l.Queues(positions) {
		fmt.Fprintf(&b, "%s %s longest %d:", q.Kind, q.Name, q.Longest)
		for _, p := range q.Intervals {
			fmt.Fprintf(&b, " %d@%d[%d,%d)", p.Request, p.Position, p.Start, p.End)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestQueues(t *testing.T) {
	want := "run queue  longest 1: 2@0[140,150)\n" +
		"lock kitchen longest 1: 2@0[100,140)\n" +
		"channel orders longest 2: 1@0[150,160) 3@0[160,170) 1@1[160,170) 1@0[170,200)\n"
	if got := lines(shop(), 9); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	l := shop()
	l.Resources[1].Pool = true
	if got, want := lines(l, 9), "channel orders longest 1: -1@0[100,160)\n"; !strings.HasSuffix(got, want) {
		t.Errorf("a pool: got\n%swant at its end\n%s", got, want)
	}
	if got := lines(shop(), 1); strings.Contains(got, "@1") || !strings.Contains(got, "orders longest 2") {
		t.Errorf("one position: %s", got)
	}
}

// TestWokenInVain checks that a goroutine that is woken for a lock and must wait again keeps its position.
func TestWokenInVain(t *testing.T) {
	l := &Timeline{CPUs: 1, To: 100, Goroutines: []string{"a", "b"}, Resources: []Resource{{Kind: Lock, Name: "m"}},
		Spans: []Span{
			{0, 10, Locking, 0, None, 0, "", 1},
			{5, 100, Locking, 1, None, 0, "", 2},
			{10, 20, Overhead, 0, 0, None, "", 1},
			{20, 100, Locking, 0, None, 0, "", 1},
		}}
	want := "lock m longest 2: 1@0[0,10) 2@1[5,10) 2@0[10,20) 1@0[20,100) 2@1[20,100)\n"
	if got := lines(l, 9); got != want {
		t.Errorf("got %swant %s", got, want)
	}
}

// TestConservation checks that the intervals of a queue take as long as its spans, that positions are filled from the
// front, and that the lengths are those of the intervals.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &Timeline{CPUs: 1, To: 1000, Resources: []Resource{{Kind: Channel, Name: "c"}}}
		total := int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "spans") {
			from := rapid.Int64Range(0, 99).Draw(t, "from")
			to := rapid.Int64Range(from+1, 100).Draw(t, "to")
			l.Spans = append(l.Spans, Span{from, to, Buffered, None, None, 0, "", from})
			total += to - from
		}
		l.Sort()
		if err := l.Validate(); err != nil {
			t.Fatal(err)
		}
		q := l.Queues(1000)[0]
		at := make([]int, 100)
		for _, p := range q.Intervals {
			total -= p.End - p.Start
			for i := p.Start; i < p.End; i++ {
				at[i] |= 1 << p.Position
			}
		}
		if total != 0 {
			t.Errorf("the intervals take %d less than the spans", total)
		}
		length := 0
		for i, positions := range at {
			for _, c := range q.Lengths {
				if c.At == int64(i) {
					length = c.N
				}
			}
			if positions != 1<<length-1 {
				t.Errorf("at %d there are positions %b and a length of %d", i, positions, length)
			}
		}
	})
}
