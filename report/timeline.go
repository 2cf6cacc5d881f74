package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/timeline"
)

// TimelineJSON writes timelines as Chrome trace events (the "JSON Array Format" wrapped in an object; Trace Event
// Format, Google 2016), which ui.perfetto.dev opens. Each timeline is three processes: its CPUs, its goroutines and
// its queues. Times are in microseconds from the start of the timeline, with all nanoseconds.
func TimelineJSON(w io.Writer, all []*timeline.Timeline) error {
	e := &traceEvents{w: bufio.NewWriter(w), separator: "\n"}
	fmt.Fprint(e.w, `{"displayTimeUnit":"ns","traceEvents":[`)
	for i, t := range all {
		e.t, e.cpus, e.goroutines, e.queues = t, 3*i+1, 3*i+2, 3*i+3
		e.nameEvents()
		for i := range t.Spans {
			e.spanEvents(&t.Spans[i])
		}
		e.queueEvents()
	}
	fmt.Fprint(e.w, "\n]}\n")
	return e.w.Flush()
}

// traceEvents writes events, one per line.
type traceEvents struct {
	w                        *bufio.Writer
	separator                string
	t                        *timeline.Timeline
	cpus, goroutines, queues int // processes
}

func (e *traceEvents) event(format string, args ...any) {
	e.w.WriteString(e.separator)
	e.separator = ",\n"
	fmt.Fprintf(e.w, format, args...)
}

// maxPositions is the largest number of positions of a queue that have a row of their own.
const maxPositions = 16

// nameEvents writes the names of processes and threads. Viewers show them in this order.
func (e *traceEvents) nameEvents() {
	for _, p := range []struct {
		pid  int
		name string
	}{{e.cpus, "CPUs"}, {e.goroutines, "goroutines"}, {e.queues, "queues"}} {
		e.event(`{"ph":"M","name":"process_name","pid":%d,"args":{"name":%s}}`, p.pid, jsonString(e.t.Title+": "+p.name))
		e.event(`{"ph":"M","name":"process_sort_index","pid":%d,"args":{"sort_index":%d}}`, p.pid, p.pid)
	}
	for i := range e.t.CPUs {
		e.thread(e.cpus, i+1, fmt.Sprint("CPU ", i))
	}
	for i, name := range e.t.Goroutines {
		e.thread(e.goroutines, i+1, name)
	}
}

func (e *traceEvents) thread(pid, tid int, name string) {
	e.event(`{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":%s}}`, pid, tid, jsonString(name))
	e.event(`{"ph":"M","name":"thread_sort_index","pid":%d,"tid":%d,"args":{"sort_index":%d}}`, pid, tid, tid)
}

// spanEvents writes a span as an event of its goroutine and, if it is on a CPU, of the CPU. Values in a channel
// belong to its queue.
func (e *traceEvents) spanEvents(s *timeline.Span) {
	if s.Goroutine == timeline.None {
		return
	}
	name := spanName(e.t, s)
	args := fmt.Sprintf(`"goroutine":%s`, jsonString(e.t.Goroutines[s.Goroutine]))
	if s.Request != timeline.NoRequest {
		args = fmt.Sprintf(`"request":%d,`, s.Request) + args
	}
	if s.Stage != "" {
		args += fmt.Sprintf(`,"stage":%s`, jsonString(s.Stage))
	}
	if s.Kind.OnCPU() {
		args += fmt.Sprintf(`,"cpu":%d`, s.CPU)
		e.slice(e.cpus, s.CPU+1, s.Start, s.End, name, s.Kind.String(), args)
	}
	e.slice(e.goroutines, s.Goroutine+1, s.Start, s.End, name, s.Kind.String(), args)
}

func (e *traceEvents) slice(pid, tid int, from, to int64, name, category, args string) {
	e.event(`{"ph":"X","name":%s,"cat":%s,"pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":{%s}}`,
		jsonString(name), jsonString(category), pid, tid, microseconds(from-e.t.From), microseconds(to-from), args)
}

// spanName is a span's label: its request and stage, or what it waits for.
func spanName(t *timeline.Timeline, s *timeline.Span) string {
	var words []string
	if s.Request != timeline.NoRequest {
		words = append(words, fmt.Sprint(s.Request))
	}
	switch {
	case s.Kind != timeline.Running:
		words = append(words, s.Kind.String())
	case s.Stage != "":
		words = append(words, s.Stage)
	case s.Request == timeline.NoRequest:
		words = append(words, t.Goroutines[s.Goroutine])
	}
	if s.Resource != timeline.None {
		words = append(words, t.Resources[s.Resource].Name)
	}
	return strings.Join(words, " ")
}

// queueEvents writes the queues: their lengths as counters, and which request is at which position.
func (e *traceEvents) queueEvents() {
	tid := 0
	for _, q := range e.t.Queues(maxPositions) {
		name := queueName(q.Resource)
		for _, l := range q.Lengths {
			e.event(`{"ph":"C","name":%s,"pid":%d,"ts":%s,"args":{"waiting":%d}}`, jsonString(name), e.queues,
				microseconds(l.At-e.t.From), l.N)
		}
		for position := range min(maxPositions, q.Longest) {
			e.thread(e.queues, tid+position+1, fmt.Sprintf("%s, place %d", name, position+1))
		}
		for _, p := range q.Intervals {
			label, args, what := "", fmt.Sprintf(`"place":%d`, p.Position+1), "waits"
			if p.Request != timeline.NoRequest {
				label = fmt.Sprint(p.Request)
				args += `,"request":` + label
			}
			if p.Buffered {
				what = "in the channel"
			} else {
				args += fmt.Sprintf(`,"goroutine":%s`, jsonString(e.t.Goroutines[p.Goroutine]))
			}
			e.slice(e.queues, tid+p.Position+1, p.Start, p.End, strings.TrimSpace(label+" "+what), "queue", args)
		}
		tid += min(maxPositions, q.Longest)
	}
}

// queueName is a queue's label, such as "lock grinder".
func queueName(r timeline.Resource) string {
	if r.Name == "" {
		return string(r.Kind)
	}
	return string(r.Kind) + " " + r.Name
}

// microseconds prints nanoseconds exactly, such as 1234.567.
func microseconds(ns int64) string {
	return fmt.Sprintf("%d.%03d", ns/1000, ns%1000)
}

// jsonString is s as a JSON string.
func jsonString(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // strings can always be encoded
		return `""`
	}
	return string(quote.JSON(b))
}
