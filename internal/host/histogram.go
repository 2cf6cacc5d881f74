package host

import (
	"math"
	"runtime/metrics"

	"github.com/brewput/brewput/result"
)

// spread is the difference of two histograms: how often each bucket was hit between them.
type spread struct {
	counts []uint64
	edges  []float64 // one more than counts, rising; the outer ones can be infinite
	n      uint64
}

// difference is later - earlier; false where they are not two states of one histogram.
func difference(later, earlier *metrics.Float64Histogram) (spread, bool) {
	if later == nil || earlier == nil || len(later.Counts) != len(earlier.Counts) ||
		len(later.Buckets) != len(later.Counts)+1 {
		return spread{}, false
	}
	s := spread{counts: make([]uint64, len(later.Counts)), edges: later.Buckets}
	for i, c := range later.Counts {
		if c < earlier.Counts[i] {
			return spread{}, false
		}
		s.counts[i] = c - earlier.Counts[i]
		s.n += s.counts[i]
	}
	return s, true
}

// bounds are a bucket's finite edges: an open bucket shrinks to the edge it has.
func (s spread) bounds(i int) (low, high float64) {
	low, high = s.edges[i], s.edges[i+1]
	if math.IsInf(low, -1) {
		low = high
	}
	if math.IsInf(high, 1) {
		high = low
	}
	return low, high
}

// mean takes every value as its bucket's middle. Unavailable where nothing was counted.
func (s spread) mean() result.Value {
	if s.n == 0 {
		return result.Unavailable
	}
	sum := 0.0
	for i, c := range s.counts {
		if c > 0 {
			low, high := s.bounds(i)
			sum += float64(c) * (low + high) / 2
		}
	}
	return result.Value(sum / float64(s.n))
}

// quantile takes the values as evenly spread over their bucket. It is unavailable where fewer than 10
// values lie beyond q.
func (s spread) quantile(q float64) result.Value {
	const few = 10 - 1e-9 // 1 - q is not exact
	if float64(s.n)*(1-q) < few {
		return result.Unavailable
	}
	left := q * float64(s.n)
	for i, c := range s.counts {
		if c > 0 && left <= float64(c) {
			low, high := s.bounds(i)
			return result.Value(low + (high-low)*left/float64(c))
		}
		left -= float64(c)
	}
	return result.Unavailable
}
