package load

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/hist"
)

// Open is an open loop: requests arrive at their own times, wait in one FIFO queue, and are served by a fixed number
// of workers.
//
// There is no generator goroutine. It would need a CPU at the very instant at which the design may use all CPUs, and
// would be late. Instead an idle worker, the holder of the baton, polls the arrival schedule. If a request waits, the
// worker serves it. Otherwise it parks until the next arrival, as a server parks in the network poller. The response
// time of a request counts from its arrival, whenever it was noticed.
type Open struct {
	Op  Operation
	Try Attempt // if not nil, takes the place of Op
	// Send, if not nil, takes the place of Op and Try. It needs Remote.
	Send Transmission
	// Remote means that requests wait for other processes. There may be thousands of workers, so they share a few
	// recorders with locks. They keep no CPU busy, so that a request that arrives while a worker is idle is late only
	// because of the load itself.
	Remote   bool
	Workers  int
	Arrivals Arrivals
	// QueueLimit is the largest number of waiting requests. A request that arrives to a full queue is dropped.
	// Negative: no limit.
	QueueLimit int
	// Patience is how long a request waits before it is abandoned. 0: for ever.
	Patience time.Duration
	Warmup   time.Duration
	Window   time.Duration // requests that arrive in it are measured
	// Drain is how long after the window those are still served. Arrivals continue, so that the last requests are
	// served under the same load as the first, unless Ends is set.
	Drain time.Duration
	Ends  bool // no request arrives after the window

	// AtBegin, AtEnd and At are as in [Closed].
	AtBegin, AtEnd func()
	At             func(at time.Duration, f func())
	// Note is as in [Closed], from the arrival of the request.
	Note func(from, to time.Duration)
}

// OpenResult is the result of an open loop.
type OpenResult struct {
	// Service and Response are times of those in Served: from a worker's start, and from the arrival, to the end. With
	// Send, Service starts when the request was sent, and both end when its reply was complete.
	Service, Response *hist.Histogram
	// Lag is how late an arrival was noticed while no request was served. With Remote it is how late Op or Try was
	// called, or Send sent, for a request that arrived while its worker was idle, or would have been idle if earlier
	// requests had been on time.
	Lag *hist.Histogram

	// Arrived counts the requests that arrived within the window. Each is in one of the other five.
	Arrived                                        int64
	Served, Failed, Dropped, Abandoned, Unfinished int64

	Waited    int64         // Remote: the other requests of the window, which arrived while all workers were busy
	Failing   time.Duration // sum of the service times of those in Failed
	Completed int64         // requests that succeeded and ended within the window, whenever they arrived
	InTime    int64         // of these, the ones that ended within the patience; all without one
	Total     int64         // all requests served, including failed ones and those before and after the window
	Window    time.Duration
	Closed    time.Duration // when the window closed
	Backlog   int64         // growth of the queue: arrivals minus departures within the window
	// First is the Backlog of the first half of the window, in which FirstArrived requests arrived.
	First, FirstArrived int64
}

// openRun is one run of an open loop. The fields from source on belong to the holder of the baton.
type openRun struct {
	*Open
	baton               *env.Chan[struct{}]
	release, begin, end time.Duration
	workers             []server
	times               []timings
	pending             atomic.Int64           // measured requests in service
	disordered          atomic.Pointer[served] // the first request whose times of Send are in no possible order
	passing             time.Duration          // see setPassing

	source    *source
	queue     ring // admitted requests; only with a queue limit
	lag       *hist.Recorder
	arrived   int64 // measured
	dropped   int64
	abandoned int64
	leftEarly int64         // requests abandoned or dropped within the window
	leftFirst int64         // the same within its first half
	unnoticed time.Duration // when the last arrival at an idle design was noticed
	done      bool
}

// Run runs the load and returns when all requests of the window have been served, dropped or abandoned, or after the
// drain.
func (o *Open) Run(e env.Env) (OpenResult, error) {
	r := &openRun{Open: o, baton: env.NewChan[struct{}](e, "", 1), workers: make([]server, o.Workers),
		source: newSource(o.Arrivals, e.Rand()), lag: hist.NewRecorder()}
	defer r.lag.Free()
	defer r.equip()()
	r.setPassing()
	group := e.Group()
	for i := range r.workers {
		group.Go(e, "worker", func(e env.Env) { r.work(e, &r.workers[i]) })
	}
	r.release = e.Now()
	r.begin = r.release + o.Warmup
	r.end = r.begin + o.Window
	if o.At != nil {
		o.At(r.begin, o.AtBegin)
		o.At(r.end, o.AtEnd)
	}
	var b *boundaries
	if o.At == nil {
		b, r.workers[0].lookout = ends(r.begin, r.end, o.AtBegin, o.AtEnd)
	}
	if o.Ends {
		r.source.end = o.Warmup + o.Window
	}
	r.baton.Send(struct{}{})
	if o.At == nil {
		b.await(e, nil, r.begin, r.end)
	}
	group.Wait()
	if bad := r.disordered.Load(); bad != nil {
		return OpenResult{}, bad.disorder()
	}
	return r.sum(e.Rand())
}

// work serves requests until there is none left to measure.
func (r *openRun) work(e env.Env, w *server) {
	for {
		r.baton.Recv()
		c, ok := r.next(e, w)
		if !ok {
			r.done = true
			r.baton.Send(struct{}{})
			return
		}
		measured := r.measured(c)
		if measured {
			r.pending.Add(1)
		}
		w.ended.Store(atBusy)
		s := served{arrival: c, start: e.Now(), measured: measured}
		r.baton.Send(struct{}{})
		e.For(c.request)
		r.serve(e, &s)
		e.For(env.NoRequest)
		w.ended.Store(int64(s.free))
		w.note(r, &s)
		if w.lookout != nil {
			w.lookout.pass(s.free)
		}
		if measured {
			r.pending.Add(-1)
		}
	}
}

// serve serves a request.
func (r *openRun) serve(e env.Env, s *served) {
	if r.Send != nil {
		s.start, s.end, s.ok = r.Send(e, s.request, s.at)
		if s.free = e.Now(); s.start < s.at || s.end < s.start || s.free < s.end {
			bad := *s
			r.disordered.CompareAndSwap(nil, &bad)
			s.start = max(s.start, s.at)
			s.end = max(s.start, min(s.end, s.free))
		}
		return
	}
	if r.Remote {
		if s.start = e.Now(); s.start < s.at {
			e.Until(s.at)
			s.start = e.Now()
		}
	}
	s.ok = true
	if r.Try != nil {
		s.ok = r.Try(e, s.request)
	} else {
		r.Op(e, s.request)
	}
	s.end = e.Now()
	s.free = s.end
}

// sum merges the counts of the workers. Every request of the window must be accounted for. The arrivals are counted
// again from their source, which shares nothing with the run.
func (r *openRun) sum(rand env.Rand) (OpenResult, error) {
	o := OpenResult{Service: hist.New(), Response: hist.New(), Lag: hist.New(), Window: r.end - r.begin, Closed: r.end,
		Dropped: r.dropped, Abandoned: r.abandoned}
	o.Lag.Add(r.lag)
	for i := range r.times {
		t := &r.times[i]
		o.Service.Add(t.service)
		o.Response.Add(t.response)
		if r.Remote {
			o.Lag.Add(t.lag)
		}
	}
	departed := r.leftEarly
	for i := range r.workers {
		w := &r.workers[i]
		o.Served += w.served
		o.Failed += w.failed
		o.Failing += w.failing
		o.Waited += w.waited
		departed += w.completed + w.left
		o.Completed += w.completed
		o.First -= w.first
		o.InTime += w.inTime
		o.Total += w.total
	}
	s := newSource(r.Arrivals, rand)
	for {
		_, at := s.peek()
		if at >= r.end-r.release {
			break
		}
		if at >= r.begin-r.release {
			o.Arrived++
			if at < r.middle()-r.release {
				o.FirstArrived++
			}
		}
		s.advance()
	}
	o.Backlog = o.Arrived - departed
	o.First += o.FirstArrived - r.leftFirst
	waiting := int64(0) // admitted and never served
	for r.queue.n > 0 {
		if r.measured(r.queue.pop()) {
			waiting++
		}
	}
	o.Unfinished = o.Arrived - r.arrived + waiting
	switch {
	case o.Arrived == 0:
		return o, fmt.Errorf("no request arrived within the window of %v: use a longer duration, a higher rate or "+
			"more operations", o.Window)
	case o.Served+o.Failed+o.Dropped+o.Abandoned+o.Unfinished != o.Arrived:
		return o, fmt.Errorf("%d requests arrived, but %d were served, %d failed, %d were dropped, %d gave up and %d "+
			"were left: some were lost", o.Arrived, o.Served, o.Failed, o.Dropped, o.Abandoned, o.Unfinished)
	case o.Served == 0 && o.Failed > 0:
		return o, ErrAllFailed
	}
	return o, nil
}

// Validate returns an error for a load that cannot be offered.
func (o *Open) Validate() error {
	rate := o.Arrivals.rate()
	switch {
	case o.Workers < 1:
		return errors.New("an open loop needs a worker")
	case !(rate > 0):
		return fmt.Errorf("a rate of %v sends no request; give requests a second, such as 100", rate)
	case rate > MaxRate:
		return fmt.Errorf("a rate of %.4g requests a second is beyond the %.0f that the load generator can send", rate,
			MaxRate)
	case o.Op == nil && o.Try == nil && o.Send == nil:
		return errors.New("an open loop needs an operation")
	case o.Send != nil && !o.Remote:
		return errors.New("an open loop with Send must be Remote: others do not wake a worker before a request")
	case o.Patience < 0 || o.Warmup < 0 || o.Window <= 0 || o.Drain < 0:
		return errors.New("negative patience, warm-up, window or drain")
	}
	return nil
}
