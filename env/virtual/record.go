package virtual

import (
	"cmp"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/timeline"
)

// mostSpans bounds a timeline, some 70 bytes each: what is longer is cut there.
const mostSpans = 1 << 20

// recorder makes a timeline of what the kernel tells and of what designs say they do. It watches from the
// world's beginning, or it would not know at the beginning of the record who waits, since when and for whom.
type recorder struct {
	k         *sim.Kernel
	t         timeline.Timeline
	recording bool // since t.From, until t.To
	over      bool
	most      int // spans
	born, put int // goroutines and values so far
	actors    map[*sim.G]*actor
	names     map[int]string // of those who have a span, by number
	resources map[resourceKey]int
	values    map[*sim.Chan][]value // in channels
}

type resourceKey struct {
	kind timeline.ResourceKind
	name string
}

// value is one that lies in a channel.
type value struct {
	number  int // of all, in the order in which they came
	since   int64
	request int64
}

func newRecorder(k *sim.Kernel) *recorder {
	r := &recorder{k: k, most: mostSpans, actors: map[*sim.G]*actor{}, names: map[int]string{},
		resources: map[resourceKey]int{}, values: map[*sim.Chan][]value{}}
	r.t.CPUs = k.CPUs()
	k.Observe(r)
	return r
}

// record begins the timeline.
func (r *recorder) record(d time.Duration) {
	if r.over || r.recording {
		return
	}
	r.recording = true
	r.t.From = r.k.Now()
	r.t.To = r.t.From + int64(d)
}

// past reports whether there is nothing more to watch, and sees to the end of it when its time has come.
func (r *recorder) past() bool {
	if !r.over && r.recording && (r.k.Now() >= r.t.To || len(r.t.Spans) >= r.most) {
		r.finish()
	}
	return r.over
}

func (r *recorder) emitValue(c *sim.Chan, v value) {
	r.emit(timeline.Span{Start: v.since, End: r.k.Now(), Kind: timeline.Buffered, Goroutine: timeline.None,
		CPU:      timeline.None,
		Resource: r.resource(timeline.Channel, c.Name, c.Cap()), Request: v.request})
}

// emit adds what of a span lies within the record, and reports whether anything does.
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

// finish ends the record, now or when its time was over. What was there first comes first, as it would have
// in a queue.
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
	r.number()
}

// finishValues ends what still lies in channels.
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

// number gives the goroutines that have spans their place in the list, in the order of their start, and takes the
// requests off what turned out to be no value of a request.
func (r *recorder) number() {
	place := map[int]int{}
	for n := range r.born {
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

// resource is the index of a resource; None for one without a name.
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

// Record begins a timeline of the next d of virtual time. Only the first call counts, in a world that keeps one.
func (w *World) Record(d time.Duration) {
	if w.recorder != nil {
		w.recorder.record(d)
	}
}

// Timeline is what has been recorded when Run has returned; nil if nothing has, or if the design still blocks outside
// env.
func (w *World) Timeline() *timeline.Timeline {
	if w.recorder == nil || !w.ended || !w.recorder.recording {
		return nil
	}
	if !w.recorder.over {
		w.recorder.finish()
	}
	return &w.recorder.t
}

// present is the recorder, if there is one, for what the running goroutine says of itself, and ends who is not that
// one. What goroutines of a world that is over do as they end is nobody's. Real code may use stations, which is no
// operation.
func (w *World) present() *recorder {
	if !w.on() {
		return nil
	}
	w.claim()
	return w.recorder
}

// For implements env.Machine.
func (w *World) For(request uint64) {
	w.co.request = request
	if r := w.present(); r != nil {
		n := int64(request)
		if request == env.NoRequest {
			n = timeline.NoRequest
		}
		r.serves(&w.co.G, n)
	}
}

// Enter implements env.Machine.
func (w *World) Enter(station string) {
	if r := w.present(); r != nil {
		r.enter(&w.co.G, station)
	}
}

// Leave implements env.Machine.
func (w *World) Leave(station string) {
	if r := w.present(); r != nil {
		r.leave(&w.co.G, station)
	}
}
