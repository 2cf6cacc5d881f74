package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/brewput/brewput/timeline"
)

// kitchen is a timeline with all kinds of spans, names that need escaping, and times that are not whole microseconds.
func kitchen() *timeline.Timeline {
	const none = timeline.None
	ms := func(f float64) int64 { return 1e9 + int64(f*1e6) }
	l := &timeline.Timeline{
		Title: `pipe<&"of two"> cpus=2`, CPUs: 2, From: ms(0), To: ms(10),
		Goroutines: []string{"worker", "grinder", `press "2"`},
		Resources: []timeline.Resource{{Kind: timeline.Lock, Name: "till <1>"},
			{Kind: timeline.Channel, Name: "press", Room: 2},
			{Kind: timeline.Channel, Name: "cups", Room: 3, Pool: true}},
		Spans: []timeline.Span{
			{Start: ms(0), End: ms(3), Kind: timeline.Running, Goroutine: 0, CPU: 0, Resource: none, Request: 1001},
			{Start: ms(0), End: ms(2), Kind: timeline.Running, Goroutine: 1, CPU: 1, Resource: none, Stage: "grinder",
				Request: 1002},
			{Start: ms(0), End: ms(2.5), Kind: timeline.Receiving, Goroutine: 2, CPU: none, Resource: 1,
				Request: timeline.NoRequest},
			{Start: ms(2), End: ms(2.000_2), Kind: timeline.Overhead, Goroutine: 1, CPU: 1, Resource: none,
				Request: 1002},
			{Start: ms(2.000_2), End: ms(2.000_5), Kind: timeline.Running, Goroutine: 1, CPU: 1, Resource: none,
				Stage: "grinder", Request: 1003},
			{Start: ms(2.000_5), End: ms(6), Kind: timeline.Sending, Goroutine: 1, CPU: none, Resource: 1,
				Request: 1003},
			{Start: ms(2), End: ms(7), Kind: timeline.Buffered, Goroutine: none, CPU: none, Resource: 1, Request: 1002},
			{Start: ms(2.5), End: ms(2.6), Kind: timeline.Overhead, Goroutine: 2, CPU: 1, Resource: none,
				Request: timeline.NoRequest},
			{Start: ms(2.6), End: ms(5), Kind: timeline.Running, Goroutine: 2, CPU: 1, Resource: none,
				Request: timeline.NoRequest},
			{Start: ms(3), End: ms(4), Kind: timeline.Locking, Goroutine: 0, CPU: none, Resource: 0, Request: 1001},
			{Start: ms(4), End: ms(4.5), Kind: timeline.Runnable, Goroutine: 0, CPU: none, Resource: none,
				Request: 1001},
			{Start: ms(4.5), End: ms(9.123_456), Kind: timeline.Running, Goroutine: 0, CPU: 0, Resource: none,
				Stage: "gauge", Request: 1001},
			{Start: ms(5), End: ms(8), Kind: timeline.Receiving, Goroutine: 2, CPU: none, Resource: 2, Request: 1004},
			{Start: ms(6), End: ms(10), Kind: timeline.Syscall, Goroutine: 1, CPU: none, Resource: none, Request: 1003},
		},
	}
	l.Sort()
	return l
}

// calm is a timeline without queues, with a stretch of spans that are too short to be drawn.
func calm() *timeline.Timeline {
	l := &timeline.Timeline{Title: "calm", CPUs: 1, From: 0, To: 2e9, Goroutines: []string{"worker"}}
	for i := range int64(300) {
		l.Spans = append(l.Spans, timeline.Span{Start: 1e9 + i*1e5, End: 1e9 + i*1e5 + 1e5, Kind: timeline.Running,
			CPU: 0, Resource: timeline.None, Request: i})
	}
	return l
}

func TestTimelineSVG(t *testing.T) {
	var b bytes.Buffer
	if err := kitchen().Validate(); err != nil {
		t.Fatal(err)
	}
	if err := calm().Validate(); err != nil {
		t.Fatal(err)
	}
	if err := TimelineSVG(&b, []*timeline.Timeline{kitchen(), calm()}); err != nil {
		t.Fatal(err)
	}
	golden(t, "timeline.svg", b.Bytes())
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && (e.Name.Local == "script" || e.Name.Local == "a" ||
			e.Name.Local == "image") {
			t.Errorf("the picture has a %s", e.Name.Local)
		}
	}
	// one in the legend, one for two spans of the kitchen, and one for the 300
	if strings.Count(b.String(), `class="many"`) != 3 {
		t.Error("spans too short to be drawn are not drawn together")
	}
}

// TestTimelineAtAnyScale checks timelines of thousands of CPUs, of a second, and of no time.
func TestTimelineAtAnyScale(t *testing.T) {
	for name, l := range map[string]*timeline.Timeline{
		"nothing":   {Title: "nothing", CPUs: 1},
		"many CPUs": {Title: "many", CPUs: 1024, To: 5},
		"twenty CPUs": {Title: "twenty", CPUs: 20, To: 7_200e9, Goroutines: []string{"g"},
			Spans: []timeline.Span{{End: 3_600e9, Stage: strings.Repeat("é", 2000), Resource: -1}}},
		"control text": {Title: "a\x00b\x1b", CPUs: 1, To: 1},
	} {
		var b bytes.Buffer
		if err := TimelineSVG(&b, []*timeline.Timeline{l}); err != nil {
			t.Error(err)
		}
		if err := xml.Unmarshal(b.Bytes(), new(struct{})); err != nil || strings.Contains(b.String(), `="-`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := newPanel(&timeline.Timeline{CPUs: 1, To: 720_000e9})
	if got := p.width(0, 360_000e9); got < svgLanes/2-2 || got > svgLanes/2 {
		t.Errorf("half of 200 hours is %v wide, of %v", got, svgLanes)
	}
}

// TestTimelineLabels checks that the label of a lane ends before the lane, even for a queue that is too long to be
// drawn.
func TestTimelineLabels(t *testing.T) {
	l := &timeline.Timeline{Title: "long", CPUs: 1, To: 1e6,
		Resources: []timeline.Resource{{Kind: timeline.Channel, Name: "lines", Room: 1000}}}
	for i := range int64(1001) {
		l.Spans = append(l.Spans, timeline.Span{Start: i, End: 1e6, Kind: timeline.Buffered, Goroutine: timeline.None,
			CPU: timeline.None, Request: i})
	}
	l.Sort()
	var b bytes.Buffer
	if err := TimelineSVG(&b, []*timeline.Timeline{l}); err != nil {
		t.Fatal(err)
	}
	labels := regexp.MustCompile(`<text class="small" x="16"[^>]*>([^<]*)`).FindAllStringSubmatch(b.String(), -1)
	for _, label := range labels {
		if len(label[1]) > 30 { // of 5 px each in the 154 available
			t.Errorf("the label %q reaches into its lane", label[1])
		}
	}
	if !strings.Contains(b.String(), "room 1000, longest 1001<") ||
		!strings.Contains(b.String(), "the first 16 drawn<") {
		t.Errorf("the lane does not say what it holds: %q", labels)
	}
}

// traceEvent is what a reader of the format sees.
type traceEvent struct {
	Ph, Name, Cat string
	Pid, Tid      int
	Ts, Dur       json.Number
	Args          map[string]any
}

func traceOf(t *testing.T, all ...*timeline.Timeline) []traceEvent {
	t.Helper()
	var b bytes.Buffer
	if err := TimelineJSON(&b, all); err != nil {
		t.Fatal(err)
	}
	var trace struct{ TraceEvents []traceEvent }
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	return trace.TraceEvents
}

func TestTimelineJSON(t *testing.T) {
	var b bytes.Buffer
	if err := TimelineJSON(&b, []*timeline.Timeline{kitchen()}); err != nil {
		t.Fatal(err)
	}
	golden(t, "timeline.json", b.Bytes())
	names, threads, slices := map[int]string{}, map[[2]int]string{}, map[string]traceEvent{}
	counters := 0
	for _, e := range traceOf(t, kitchen(), calm()) {
		switch {
		case e.Name == "process_name":
			names[e.Pid] = e.Args["name"].(string)
		case e.Name == "thread_name":
			threads[[2]int{e.Pid, e.Tid}] = e.Args["name"].(string)
		case e.Ph == "X":
			if threads[[2]int{e.Pid, e.Tid}] == "" {
				t.Errorf("%+v is of no thread", e)
			}
			slices[threads[[2]int{e.Pid, e.Tid}]+": "+e.Name] = e
		case e.Ph == "C":
			counters++
		}
	}
	if len(names) != 6 || names[1] != `pipe<&"of two"> cpus=2: CPUs` || names[5] != "calm: goroutines" ||
		counters == 0 {
		t.Errorf("processes %v, %d counters", names, counters)
	}
	for name, want := range map[string][3]string{
		"CPU 0: 1001 gauge":                        {"4500.000", "4623.456", "worker"},
		"worker: 1001 gauge":                       {"4500.000", "4623.456", "worker"},
		"CPU 1: 1002 overhead":                     {"2000.000", "0.200", "grinder"},
		"CPU 1: press \"2\"":                       {"2600.000", "2400.000", `press "2"`},
		"worker: 1001 waiting for a lock till <1>": {"3000.000", "1000.000", "worker"},
		"lock till <1>, place 1: 1001 waits":       {"3000.000", "1000.000", "worker"},
		"channel press, place 2: 1003 waits":       {"2000.500", "3999.500", "grinder"},
		"channel cups, place 1: 1004 waits":        {"5000.000", "3000.000", `press "2"`},
	} {
		e, ok := slices[name]
		if !ok || e.Ts.String() != want[0] || e.Dur.String() != want[1] || e.Args["goroutine"] != want[2] {
			t.Errorf("%s: %+v, want %q", name, e, want)
		}
	}
	if e := slices["channel press, place 1: 1002 in the channel"]; e.Args["request"] != 1002. ||
		e.Args["goroutine"] != nil {
		t.Errorf("a value in a channel: %+v", e)
	}
	if e := slices["CPU 0: 1001 gauge"]; e.Args["stage"] != "gauge" || e.Args["request"] != 1001. ||
		e.Cat != "running" {
		t.Errorf("a stage: %+v", e)
	}
}

func TestMilliseconds(t *testing.T) {
	for _, c := range []struct {
		ns, step int64
		want     string
	}{{0, 5e6, "0"}, {15e6, 5e6, "15"}, {1_500_000, 5e5, "1.5"}, {200_000, 1e5, "0.2"}, {3, 1, "0.000003"},
		{1_002_138_032, 1, "1002.138032"}, {50e6, 1, "50"}, {20, 10, "0.00002"}} {
		if got := milliseconds(c.ns, c.step); got != c.want {
			t.Errorf("%d ns in steps of %d: %s, want %s", c.ns, c.step, got, c.want)
		}
	}
	if (px(12_05)).String() != "12.05" || px(12_50).String() != "12.5" || px(12_00).String() != "12" {
		t.Error("pixels are printed otherwise")
	}
	if m := stagePrefixes([]string{"grinder", "gauge", "press", "pressure"}); m["grinder"] != 2 || m["gauge"] != 2 ||
		m["press"] != 5 || m["pressure"] != 6 {
		t.Errorf("least %v", m)
	}
}
