package gotrace

import (
	"math/bits"
	"time"

	"github.com/brewput/brewput/evidence"
)

// subBuckets is the number of buckets for each power of two: quantiles are exact to 1/16.
const subBuckets = 8

// latencies is a histogram of times in ns with log-linear buckets.
type latencies struct {
	count, sum, max int64
	buckets         []int32
}

func (l *latencies) add(ns int64) {
	ns = max(ns, 0)
	l.count++
	l.sum += ns
	l.max = max(l.max, ns)
	i := bucket(ns)
	if i >= len(l.buckets) {
		l.buckets = append(l.buckets, make([]int32, i+subBuckets-len(l.buckets))...)
	}
	l.buckets[i]++
}

// bucket returns the bucket of a time. The first 2*subBuckets are exact.
func bucket(ns int64) int {
	if ns < 2*subBuckets {
		return int(ns)
	}
	octave := bits.Len64(uint64(ns)) - bits.Len(2*subBuckets-1)
	return octave*subBuckets + int(ns>>octave)
}

// middle returns the middle of a bucket.
func middle(i int) int64 {
	if i < 2*subBuckets {
		return int64(i)
	}
	octave := i/subBuckets - 1
	low := int64(i-octave*subBuckets) << octave
	return low + int64(1)<<octave/2
}

func (l *latencies) quantile(q float64) time.Duration {
	want := int64(q * float64(l.count))
	for i, n := range l.buckets {
		if want -= int64(n); want < 0 {
			return time.Duration(min(middle(i), l.max))
		}
	}
	return time.Duration(l.max)
}

func (l *latencies) export() evidence.Latencies {
	if l.count == 0 {
		return evidence.Latencies{}
	}
	return evidence.Latencies{
		Count: l.count, Sum: time.Duration(l.sum), Max: time.Duration(l.max),
		P10: l.quantile(0.1), P50: l.quantile(0.5), P90: l.quantile(0.9), P99: l.quantile(0.99),
	}
}
