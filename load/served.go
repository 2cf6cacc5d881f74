package load

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/internal/hist"
)

// server is the counts and the state of one worker. The padding keeps workers from sharing cache lines.
type server struct {
	times             *timings
	served, completed int64
	first             int64 // requests that ended in the first half of the window
	inTime, total     int64
	failed            int64         // of the requests of the window
	failing           time.Duration // their service times
	left              int64         // failed requests that ended within the window
	waited            int64         // see [OpenResult]
	lag, free         time.Duration // see delay
	ended             atomic.Int64  // ns: when the request in service ended; atBusy before
	lookout           *lookout      // of one worker only
	_                 [64]byte
}

// atBusy is the end of a request that has not ended.
const atBusy = math.MaxInt64

// served is a request that was served.
type served struct {
	arrival
	start, end time.Duration
	free       time.Duration // when its worker was free again
	measured   bool          // it arrived within the window
	ok         bool          // it succeeded
}

// disorder returns the error of times in an order that is impossible.
func (s *served) disorder() error {
	return fmt.Errorf("request %d was to be sent at %v, but Send, which returned at %v, says that it was sent at %v "+
		"and its reply complete at %v: this order is impossible", s.request, s.at, s.free, s.start, s.end)
}

// note counts a request that was served.
func (w *server) note(r *openRun, s *served) {
	w.total++
	if r.Note != nil {
		r.Note(s.at, s.end)
	}
	if s.end >= r.begin && s.end < r.end {
		if s.end < r.middle() {
			w.first++
		}
		if !s.ok {
			w.left++
		} else {
			w.completed++
			if r.Patience == 0 || s.end-s.at <= r.Patience {
				w.inTime++
			}
		}
	}
	if r.Remote {
		w.times.mu.Lock()
		defer w.times.mu.Unlock()
		if idle := w.delay(s); s.measured && idle {
			w.times.lag.Record(int64(w.lag))
		} else if s.measured {
			w.waited++
		}
	}
	switch {
	case !s.measured:
	case s.ok:
		w.served++
		w.times.service.Record(int64(s.end - s.start))
		w.times.response.Record(int64(s.end - s.at))
	default:
		w.failed++
		w.failing += s.end - s.start
	}
}

// delay reports whether the worker would have been idle when a request arrived, if it had sent all earlier ones on
// time. Then lag becomes how late it sent this one. This is Lindley's recursion along the requests of a worker: one
// that was late would have been free earlier by that lag. Workers take turns, so that no other one was idle.
func (w *server) delay(s *served) (idle bool) {
	if idle = w.free <= s.at; idle {
		w.lag = s.start - s.at
	}
	w.free = s.free - w.lag
	return idle
}

// timings are the recorders of one worker, or with Remote of several.
type timings struct {
	mu                     sync.Mutex // only used with Remote
	service, response, lag *hist.Recorder
	_                      [64]byte
}

// equip gives each worker its recorders, and returns a function that releases them.
func (r *openRun) equip() (free func()) {
	n := r.Workers
	if r.Remote {
		n = min(n, maxShared)
	}
	var recorders []*hist.Recorder
	add := func() *hist.Recorder {
		recorders = append(recorders, hist.NewRecorder())
		return recorders[len(recorders)-1]
	}
	r.times = make([]timings, n)
	for i := range r.times {
		t := &r.times[i]
		t.service, t.response = add(), add()
		if r.Remote {
			t.lag = add()
		}
	}
	for i := range r.workers {
		r.workers[i].times = &r.times[i%n]
	}
	return func() {
		for _, h := range recorders {
			h.Free()
		}
	}
}
