package host

import (
	"math"
	"runtime/metrics"

	"github.com/brewput/brewput/result"
)

// spread is the difference of two histograms: the number of hits in each bucket between them.
type spread struct {
	counts []uint64
	edges  []float64 // one more than counts, rising; the first and last may be infinite
	n      uint64
}

// difference returns later - earlier; false if they are not two states of one histogram.
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

// bounds returns the finite edges of a bucket; an open bucket shrinks to its only edge.
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

// mean returns the mean, with each value in the middle of its bucket. It is unavailable if there are no values.
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

// quantile returns a quantile, with values spread evenly over each bucket. It is unavailable if fewer than 10
// values lie beyond q.
func (s spread) quantile(q float64) result.Value {
	const few = 10 - 1e-9 // because 1 - q is not exact
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
