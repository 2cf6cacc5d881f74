package hist

import "math/bits"

// Recorder is one worker's record of latencies, the part of a histogram that a load loop pays for. It
// is not safe for concurrent use: each worker has its own, and [Histogram.Add] merges them afterwards.
//
// Its table lies outside the Go heap where the system allows it. Some hundred kilobytes for each worker
// on the heap, even untouched, would put off the design's garbage collections the more the more
// workers there are, and so change what is measured.
type Recorder struct {
	_        [64]byte // recorders are made one after the other and must not share a cache line
	counts   []int64
	n, sum   int64
	min, max int64
	free     func()
	_        [64]byte
}

// The table is that of an HDR histogram with three significant digits and a unit of 1 ns: values
// below 2048 have a bucket each, every further power of two 1024 buckets.
const (
	halfBits  = 10
	tableSize = (limitBits - halfBits + 1) << halfBits
)

// NewRecorder makes an empty recorder. Free gives its memory back.
func NewRecorder() *Recorder {
	counts, free := table(tableSize)
	return &Recorder{counts: counts, free: free, min: -1}
}

// Free gives the memory back. The recorder must not be used afterwards.
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

// Sum is the sum of the latencies in nanoseconds.
func (r *Recorder) Sum() int64 { return r.sum }

// index is the place of a value in the table.
func index(ns int64) int {
	octave := max(bits.Len64(uint64(ns))-halfBits-1, 0)
	return octave<<halfBits + int(ns>>octave)
}

// valueAt is the least value of a place of the table.
func valueAt(i int) int64 {
	octave := max(i>>halfBits-1, 0)
	return int64(i-octave<<halfBits) << octave
}
