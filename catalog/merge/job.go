package merge

import (
	"fmt"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// input are the events of a trial, and when they arrive.
type input struct {
	events []string
	due    []time.Duration // since the beginning of the job; nil if there are no gaps
	call   time.Duration
}

// newInput makes the events of a point, always the same for a seed. Neighbouring runs have different events.
func newInput(p plan.Point, r env.Rand) *input {
	in := &input{events: make([]string, p.Int("events")), call: p.Duration("call")}
	letters := "abcdefghijklmnop"
	at, left := 0, 0
	for i := range in.events {
		d := r.At(uint64(i), 0)
		if left == 0 {
			at = (at + 1 + d.IntN(len(letters)-1)) % len(letters)
			left = runLength(p, &d)
		}
		in.events[i] = letters[at : at+1]
		left--
	}

	if a := p.Float("intensity"); a > 0 {
		gap := float64(in.call) / a
		in.due = make([]time.Duration, len(in.events))
		sum := 0.0
		for i := range in.due {
			d := r.At(uint64(i), 1)
			if p.Text("gaps") == "exponential" {
				sum += gap * d.Exp()
			} else {
				sum += gap
			}
			in.due[i] = time.Duration(sum)
		}
	}
	return in
}

// runLength draws the length of a run: at least 1.
func runLength(p plan.Point, d *env.Draws) int {
	mean := p.Float("run")
	if p.Text("runs") == "constant" {
		return int(mean)
	}
	n := 1
	for d.Float64() >= 1/mean {
		n++
	}
	return n
}

// call is one call: an event, and how many of it are merged.
type call struct {
	event string
	count int
}

// output records the calls of a trial. Only the consumer writes it.
type output struct {
	in    *input
	calls []call
	done  int           // events in these calls
	began time.Duration // of the job
	delay float64       // sum over events of the seconds from their arrival to the beginning of their call
	all   *env.Chan[struct{}]
}

// call handles merged events. After the last event it closes the channel all.
func (o *output) call(e env.Env, event string, count int) {
	if o.in.due != nil {
		now := e.Now() - o.began
		for _, due := range o.in.due[o.done:min(o.done+count, len(o.in.due))] {
			o.delay += max(0, now-due).Seconds()
		}
	}
	if o.in.call > 0 {
		e.Burn(o.in.call)
	}
	o.calls = append(o.calls, call{event, count})
	if o.done += count; o.done == len(o.in.events) {
		o.all.Close()
	}
}

// send passes the events to a function when they are due.
func (o *output) send(e env.Env, put func(event string)) {
	for i, event := range o.in.events {
		if o.in.due != nil {
			e.Until(o.began + o.in.due[i])
		}
		put(event)
	}
}

// job returns the job of a design, which runs the producer and the consumer, and ends after the last call.
func job(e env.Env, p plan.Point, run func(e env.Env, o *output)) workload.Job {
	o := &output{in: newInput(p, e.Rand())}
	o.calls = make([]call, len(o.in.events))
	clear(o.calls) // so that the run need not wait for memory pages
	o.calls = o.calls[:0]
	return workload.Job{
		Items: int64(len(o.in.events)),
		Run: func(e env.Env) error {
			o.all = env.NewChan[struct{}](e, "", 0)
			o.began = e.Now()
			run(e, o)
			return nil
		},
		Check:   o.check,
		Metrics: o.metrics,
	}
}

// check expands the calls, which must give the events.
func (o *output) check() (workload.Answer, error) {
	at := 0
	for i, c := range o.calls {
		if c.count < 1 || at+c.count > len(o.in.events) {
			return nil, fmt.Errorf("call %d has %d times %q, after %d of %d events", i+1, c.count, c.event, at,
				len(o.in.events))
		}
		run := o.in.events[at : at+c.count]
		if k := slices.IndexFunc(run, func(event string) bool { return event != c.event }); k >= 0 {
			return nil, fmt.Errorf("call %d has %d times %q, and event %d is %q", i+1, c.count, c.event, at+k+1, run[k])
		}
		at += c.count
	}
	if at != len(o.in.events) {
		return nil, fmt.Errorf("the calls have %d of %d events", at, len(o.in.events))
	}
	return workload.Answer{"events": at}, nil
}

// callsPerEvent is the metric for the number of calls: the lower, the longer the merged runs.
const callsPerEvent = "calls_per_event"

func (o *output) metrics() map[string]float64 {
	n := float64(len(o.in.events))
	m := map[string]float64{callsPerEvent: float64(len(o.calls)) / n}
	if o.in.due != nil {
		m["delay_mean_seconds"] = o.delay / n
	}
	return m
}
