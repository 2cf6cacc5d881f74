package load

import (
	"errors"
	"fmt"
	"math"
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
	Op       Operation
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
	// served under the same load as the first.
	Drain time.Duration

	// AtBegin, AtEnd and At are as in [Closed].
	AtBegin, AtEnd func()
	At             func(at time.Duration, f func())
	// Note is as in [Closed], from the arrival of the request.
	Note func(from, to time.Duration)
}

// OpenResult is the result of an open loop.
type OpenResult struct {
	Service  *hist.Histogram // service times: from a worker's start to its end
	Response *hist.Histogram // response times: from the arrival to the end
	Lag      *hist.Histogram // how late an arrival was noticed while no request was served

	// Arrived counts the requests that arrived within the window. Each is in one of the other four.
	Arrived                                int64
	Served, Dropped, Abandoned, Unfinished int64

	Completed int64 // requests that ended within the window, whenever they arrived
	InTime    int64 // of these, the ones that ended within the patience; all without one
	Total     int64 // all requests served, including those before and after the window
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
	pending             atomic.Int64 // measured requests in service

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

// server is the counts and the state of one worker. The padding keeps workers from sharing cache lines.
type server struct {
	service, response *hist.Recorder
	served, completed int64
	first             int64 // completed in the first half of the window
	inTime, total     int64
	ended             atomic.Int64 // ns: when the request in service ended; atBusy before
	lookout           *lookout     // of one worker only
	_                 [64]byte
}

// atBusy is the end of a request that has not ended.
const atBusy = math.MaxInt64

// Run runs the load and returns when all requests of the window have been served, dropped or abandoned, or after the
// drain.
func (o *Open) Run(e env.Env) (OpenResult, error) {
	r := &openRun{Open: o, baton: env.NewChan[struct{}](e, "", 1), workers: make([]server, o.Workers),
		source: newSource(o.Arrivals, e.Rand()), lag: hist.NewRecorder()}
	defer r.lag.Free()
	for i := range r.workers {
		w := &r.workers[i]
		w.service, w.response = hist.NewRecorder(), hist.NewRecorder()
		defer w.service.Free()
		defer w.response.Free()
	}
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
	r.baton.Send(struct{}{})
	if o.At == nil {
		b.await(e, r.begin, r.end)
	}
	group.Wait()
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
		start := e.Now()
		r.baton.Send(struct{}{})
		e.For(c.request)
		r.Op(e, c.request)
		end := e.Now()
		e.For(env.NoRequest)
		w.ended.Store(int64(end))
		w.note(r, c, measured, start, end)
		if w.lookout != nil {
			w.lookout.pass(end)
		}
		if measured {
			r.pending.Add(-1)
		}
	}
}

// note counts a request that was served.
func (w *server) note(r *openRun, c arrival, measured bool, start, end time.Duration) {
	w.total++
	if r.Note != nil {
		r.Note(c.at, end)
	}
	if end >= r.begin && end < r.end {
		w.completed++
		if end < r.middle() {
			w.first++
		}
		if r.Patience == 0 || end-c.at <= r.Patience {
			w.inTime++
		}
	}
	if measured {
		w.served++
		w.service.Record(int64(end - start))
		w.response.Record(int64(end - c.at))
	}
}

// sum merges the counts of the workers. Every request of the window must be accounted for. The arrivals are counted
// again from their source, which shares nothing with the run.
func (r *openRun) sum(rand env.Rand) (OpenResult, error) {
	o := OpenResult{Service: hist.New(), Response: hist.New(), Lag: hist.New(), Window: r.end - r.begin, Closed: r.end,
		Dropped: r.dropped, Abandoned: r.abandoned}
	o.Lag.Add(r.lag)
	for i := range r.workers {
		w := &r.workers[i]
		o.Service.Add(w.service)
		o.Response.Add(w.response)
		o.Served += w.served
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
	o.Backlog = o.Arrived - o.Completed - r.leftEarly
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
		return o, fmt.Errorf("no request arrived within the window of %v: use a longer duration or a higher rate",
			o.Window)
	case o.Served+o.Dropped+o.Abandoned+o.Unfinished != o.Arrived:
		return o, fmt.Errorf("%d requests arrived, but %d were served, %d dropped, %d gave up and %d were left: "+
			"some were lost",
			o.Arrived, o.Served, o.Dropped, o.Abandoned, o.Unfinished)
	}
	return o, nil
}

// Validate returns an error for a load that cannot be offered.
func (o *Open) Validate() error {
	rate := o.Arrivals.Rate
	if rate == 0 && len(o.Arrivals.Gaps) > 0 {
		rate = RateOf(o.Arrivals.Gaps)
	}
	switch {
	case o.Workers < 1:
		return errors.New("an open loop needs a worker")
	case !(rate > 0):
		return fmt.Errorf("a rate of %v sends no request; give requests a second, such as 100", rate)
	case rate > MaxRate:
		return fmt.Errorf("a rate of %.4g requests a second is beyond the %.0f that the load generator can send", rate,
			MaxRate)
	case o.Patience < 0 || o.Warmup < 0 || o.Window <= 0 || o.Drain < 0:
		return errors.New("negative patience, warm-up, window or drain")
	}
	return nil
}
