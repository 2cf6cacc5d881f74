package load

import (
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/env"
)

// sampled is a worker that reads the clock only before and after every sample-th operation. It counts operations in
// groups of that size at the end of the group. A group across an end of the window counts by its fraction inside.
//
// A group may be longer than the window. So the clock is also read within it, after a number of operations that is
// derived from their duration. That is often enough to notice the ends of the window, and so rare that it costs
// nothing. A group that is cut there is not timed. Its operations count by their fraction of time inside, because
// they take equally long on average. Nothing of this is shared with other workers, because an atomic operation would
// order them and hide races.
type sampled struct {
	*Closed
	*tally
	begin, end time.Duration
	limit      int64 // total number of operations; negative: no limit
	across     *atomic.Int64
	stride     int64 // operations between two reads of the clock
}

const (
	// firstStride is the number of operations before the first read.
	firstStride = 1
	// shortestInterval and longestInterval bound the interval of two reads, as divisors of the window.
	shortestInterval = 1024
	longestInterval  = 128
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

// once makes one operation.
func (s *sampled) once(e env.Env, request *uint64) {
	e.For(*request)
	s.Op(e, *request)
	*request += uint64(s.Workers)
}

// untimed makes n operations. If an end of the window comes before that, it makes fewer and counts them.
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

// over reports whether a group must be cut: the window opens or closes in it, or the load is no longer needed.
func (s *sampled) over(now time.Duration) bool {
	switch {
	case s.last < s.begin:
		return now >= s.begin
	case s.last < s.end:
		return now >= s.end
	}
	return now >= s.end+s.Window || s.across.Load() == 0
}

// adapt adapts the stride to the duration of the last one.
func (s *sampled) adapt(took time.Duration) {
	window := s.Window
	if s.Operations > 0 {
		window = time.Second
	}
	switch {
	case took < window/shortestInterval:
		s.stride *= 2
	case took > window/longestInterval:
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
