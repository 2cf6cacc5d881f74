package hist

import "math/bits"

// Recorder records the latencies of one worker: the part of a histogram that the load loop executes. It is not
// safe for concurrent use. Each worker has its own, and [Histogram.Add] merges them afterwards.
//
// Its table is outside the Go heap, if the system allows it. On the heap, some hundred kilobytes for each
// worker, even untouched, would delay the design's garbage collections: the more, the more workers there are.
// That would change the measurement.
type Recorder struct {
	_        [64]byte // recorders are allocated one after the other and must not share a cache line
	counts   []int64
	n, sum   int64
	min, max int64
	free     func()
	_        [64]byte
}

// The table is that of an HDR histogram with three significant digits and a unit of 1 ns. Each value below 2048
// has a bucket of its own, and each further power of two has 1024 buckets.
const (
	halfBits  = 10
	tableSize = (limitBits - halfBits + 1) << halfBits
)

// NewRecorder returns an empty recorder. Free releases its memory.
func NewRecorder() *Recorder {
	counts, free := table(tableSize)
	return &Recorder{counts: counts, free: free, min: -1}
}

// Free releases the memory. The recorder must not be used afterwards.
func (r *Recorder) Free() {
	r.free()
	r.counts = nil
}

// Record adds one latency of ns >= 0 nanoseconds.
func (r *Recorder) Record(ns int64) {
	r.n++
	r.sum += ns
	if ns > r.max {
		r.max = ns
	}
	if ns < r.min || r.min < 0 {
		r.min = ns
	}
	r.counts[index(min(ns, Limit-1))]++
}

// Sum returns the sum of the latencies in nanoseconds.
func (r *Recorder) Sum() int64 { return r.sum }

// index returns the index of a value in the table.
func index(ns int64) int {
	octave := max(bits.Len64(uint64(ns))-halfBits-1, 0)
	return octave<<halfBits + int(ns>>octave)
}

// valueAt returns the smallest value at an index of the table.
func valueAt(i int) int64 {
	octave := max(i>>halfBits-1, 0)
	return int64(i-octave<<halfBits) << octave
}
