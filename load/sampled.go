package load

import (
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/env"
)

// sampled is a worker that reads the clock before and after every sample-th operation only. Operations are counted in
// groups of so many, at the end of the group, and a group across an end of the window as one.
//
// A group may be longer than the window. So the clock is read within it too, after a number of operations that follows
// from how long they take: often enough to see the window open and close, and so rarely that it costs nothing. A group
// that is cut there is not timed, and its operations count by their share of time inside, for they take equally long on
// average. Nothing of that is shared with other workers, for which an atomic would be an order that hides races.
type sampled struct {
	*Closed
	*tally
	begin, end time.Duration
	limit      int64 // operations in all; negative: no limit
	across     *atomic.Int64
	stride     int64 // operations between two looks at the clock
}

const (
	// firstStride is the operations before the first look.
	firstStride = 1
	// shortLook and longLook are the shares of the window between which two looks are.
	shortLook = 1024
	longLook  = 128
)

// work repeats the operation as [Closed.work] does.
func (s *sampled) work(e env.Env, request uint64) {
	s.stride = firstStride
	for (s.last < s.end || s.last < s.end+s.Window && s.across.Load() > 0) && s.total != s.limit {
		group := int64(s.Sample)
		if s.limit >= 0 {
			group = min(group, s.limit-s.total)
		}
		done, cut := s.untimed(e, &request, group-1)
		if cut {
			continue
		}
		start := e.Now()
		s.once(e, &request)
		now := e.Now()
		if s.Note != nil {
			s.Note(start, now)
		}
		if now >= s.begin && now < s.end {
			s.latency.Record(int64(now - start))
		}
		s.count(done+1, now, false)
	}
}

func (s *sampled) once(e env.Env, request *uint64) {
	e.For(*request)
	s.Op(e, *request)
	*request += uint64(s.Workers)
}

// untimed makes n operations, or fewer if an end of the window comes before: then they are counted.
func (s *sampled) untimed(e env.Env, request *uint64, n int64) (done int64, cut bool) {
	at := s.last
	for done < n {
		part := min(s.stride, n-done)
		for range part {
			s.once(e, request)
		}
		if done += part; done == n {
			return done, false
		}
		now := e.Now()
		if s.over(now) {
			s.count(done, now, true)
			return done, true
		}
		s.adapt(now - at)
		at = now
	}
	return done, false
}

// over reports whether a group must be cut: the window opens or closes in it, or nobody needs the load any more.
func (s *sampled) over(now time.Duration) bool {
	switch {
	case s.last < s.begin:
		return now >= s.begin
	case s.last < s.end:
		return now >= s.end
	}
	return now >= s.end+s.Window || s.across.Load() == 0
}

// adapt adapts the stride to how long the last one took.
func (s *sampled) adapt(took time.Duration) {
	window := s.Window
	if s.Operations > 0 {
		window = time.Second
	}
	switch {
	case took < window/shortLook:
		s.stride *= 2
	case took > window/longLook:
		s.stride = max(1, s.stride/2)
	}
}

// count counts the operations of a group that ends now.
func (s *sampled) count(group int64, now time.Duration, cut bool) {
	last, took := s.last, float64(now-s.last)
	s.total += group
	s.last = now
	switch {
	case now < s.begin:
	case now < s.end:
		inside := group
		if last < s.begin {
			outside := float64(group) * float64(s.begin-last) / took
			s.edges -= outside
			if cut {
				inside -= int64(outside)
				s.edges += float64(int64(outside))
			}
		}
		s.inside += inside
	case last < s.end:
		inside := float64(group) * float64(s.end-max(last, s.begin)) / took
		s.edges += inside
		if cut {
			s.inside += int64(inside)
			s.edges -= float64(int64(inside))
		}
		s.across.Add(-1)
	}
	if s.lookout != nil {
		s.lookout.pass(now)
	}
}
