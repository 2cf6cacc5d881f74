package virtual

import (
	"cmp"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/timeline"
)

// mostSpans bounds a timeline to about 70 MB. A longer one is cut off there.
const mostSpans = 1 << 20

// recorder makes a timeline from the events of the kernel and the declarations of designs. It observes from the
// beginning of the world. Otherwise it would not know, when recording starts, which goroutines wait, since when, and
// for which request.
type recorder struct {
	k                          *sim.Kernel
	t                          timeline.Timeline
	recording                  bool // since t.From, until t.To
	over                       bool
	most                       int // largest number of spans
	goroutineCount, valueCount int // goroutines and values so far
	actors                     map[*sim.G]*actor
	names                      map[int]string // of goroutines that have a span, by number
	resources                  map[resourceKey]int
	values                     map[*sim.Chan][]value // values in channels
}

// resourceKey identifies a resource.
type resourceKey struct {
	kind timeline.ResourceKind
	name string
}

// value is a value in a channel.
type value struct {
	number  int // in the order of arrival, over all channels
	since   int64
	request int64
}

// newRecorder creates a recorder that observes k.
func newRecorder(k *sim.Kernel) *recorder {
	r := &recorder{k: k, most: mostSpans, actors: map[*sim.G]*actor{}, names: map[int]string{},
		resources: map[resourceKey]int{}, values: map[*sim.Chan][]value{}}
	r.t.CPUs = k.CPUs()
	k.Observe(r)
	return r
}

// record starts the timeline.
func (r *recorder) record(d time.Duration) {
	if r.over || r.recording {
		return
	}
	r.recording = true
	r.t.From = r.k.Now()
	r.t.To = r.t.From + int64(d)
}

// past reports whether the timeline is complete, and completes it when its time is over.
func (r *recorder) past() bool {
	if !r.over && r.recording && (r.k.Now() >= r.t.To || len(r.t.Spans) >= r.most) {
		r.finish()
	}
	return r.over
}

// emitValue adds the span of a value that leaves a channel.
func (r *recorder) emitValue(c *sim.Chan, v value) {
	r.emit(timeline.Span{Start: v.since, End: r.k.Now(), Kind: timeline.Buffered, Goroutine: timeline.None,
		CPU:      timeline.None,
		Resource: r.resource(timeline.Channel, c.Name, c.Cap()), Request: v.request})
}

// emit adds the part of a span that lies within the record, and reports whether there is one.
func (r *recorder) emit(s timeline.Span) bool {
	if !r.recording {
		return false
	}
	s.Start, s.End = max(s.Start, r.t.From), min(s.End, r.t.To)
	if s.Start >= s.End {
		return false
	}
	r.t.Spans = append(r.t.Spans, s)
	return true
}

// finish ends the record, now or at the end of its time. Spans are added in the order of their beginning, as
// goroutines leave a queue.
func (r *recorder) finish() {
	r.over = true
	r.k.Observe(nil)
	r.t.To = min(r.t.To, r.k.Now())
	left := make([]*sim.G, 0, len(r.actors))
	for g := range r.actors {
		left = append(left, g)
	}
	slices.SortFunc(left, func(g, h *sim.G) int {
		a, b := r.actors[g], r.actors[h]
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.number, b.number))
	})
	for _, g := range left {
		r.flush(g, r.actors[g])
	}
	r.finishValues()
	r.t.Sort()
	r.resolve()
}

// finishValues ends the spans of values that are still in channels.
func (r *recorder) finishValues() {
	type left struct {
		c *sim.Chan
		v value
	}
	var all []left
	for c, line := range r.values {
		for _, v := range line {
			all = append(all, left{c, v})
		}
	}
	slices.SortFunc(all, func(a, b left) int { return cmp.Compare(a.v.number, b.v.number) })
	for _, l := range all {
		r.emitValue(l.c, l.v)
	}
}

// resolve numbers the goroutines that have spans in the order of their start. It removes the requests of values that
// turned out not to be requests.
func (r *recorder) resolve() {
	place := map[int]int{}
	for n := range r.goroutineCount {
		if name, ok := r.names[n]; ok {
			place[n] = len(r.t.Goroutines)
			r.t.Goroutines = append(r.t.Goroutines, name)
		}
	}
	for i := range r.t.Spans {
		if s := &r.t.Spans[i]; s.Goroutine != timeline.None {
			s.Goroutine = place[s.Goroutine]
		} else if s.Resource != timeline.None && r.t.Resources[s.Resource].Pool {
			s.Request = timeline.NoRequest
		}
	}
}

// resource returns the index of a resource; None for one without a name.
func (r *recorder) resource(kind timeline.ResourceKind, name string, room int) int {
	if name == "" {
		return timeline.None
	}
	key := resourceKey{kind, name}
	i, ok := r.resources[key]
	if !ok {
		i = len(r.t.Resources)
		r.resources[key] = i
		r.t.Resources = append(r.t.Resources, timeline.Resource{Kind: kind, Name: name, Room: room})
	}
	return i
}

// Record starts a timeline of the next d of virtual time. Only the first call counts. It needs [Config].Timeline.
func (w *World) Record(d time.Duration) {
	if w.recorder != nil {
		w.recorder.record(d)
	}
}

// Timeline returns the record after Run has returned. It is nil if nothing was recorded, or if the design still
// blocks outside env.
func (w *World) Timeline() *timeline.Timeline {
	if w.recorder == nil || !w.ended || !w.recorder.recording {
		return nil
	}
	if !w.recorder.over {
		w.recorder.finish()
	}
	return &w.recorder.t
}

// activeRecorder returns the recorder for a declaration of the running goroutine; nil if there is none. It ends a
// caller that is not the running goroutine. Goroutines of a world that is over are not recorded. Real code may use
// stations, because that is no operation.
func (w *World) activeRecorder() *recorder {
	if !w.on() {
		return nil
	}
	w.claim()
	return w.recorder
}

// For implements env.Machine.
func (w *World) For(request uint64) {
	w.co.request = request
	if r := w.activeRecorder(); r != nil {
		n := int64(request)
		if request == env.NoRequest {
			n = timeline.NoRequest
		}
		r.declareRequest(&w.co.G, n)
	}
}

// Enter implements env.Machine.
func (w *World) Enter(station string) {
	if r := w.activeRecorder(); r != nil {
		r.enter(&w.co.G, station)
	}
}

// Leave implements env.Machine.
func (w *World) Leave(station string) {
	if r := w.activeRecorder(); r != nil {
		r.leave(&w.co.G, station)
	}
}
