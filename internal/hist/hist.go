// Package hist records latencies in constant memory, without locks, and without allocations for each value.
// Values are kept in an HDR histogram (Tene: HdrHistogram, 2012) with three significant digits. Count, sum and
// extremes are exact.
package hist

import (
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Limit is the largest latency in the table of a histogram: 2^42 ns, about 73 minutes. Larger ones count as
// Limit in quantiles, and exactly in the mean and the maximum.
const Limit = 1 << limitBits

const limitBits = 42

const digits = 3

// Histogram holds latencies in nanoseconds. It is not safe for concurrent use.
type Histogram struct {
	h        *hdrhistogram.Histogram
	n, sum   int64
	min, max int64
}

// New returns an empty histogram.
func New() *Histogram {
	return &Histogram{h: hdrhistogram.New(1, Limit, digits), min: -1}
}

// Record adds one latency of ns >= 0 nanoseconds.
func (h *Histogram) Record(ns int64) {
	h.note(1, ns, ns, ns)
	h.record(ns, 1)
}

// note updates count, sum and extremes.
func (h *Histogram) note(n, sum, least, greatest int64) {
	h.n += n
	h.sum += sum
	h.max = max(h.max, greatest)
	if least >= 0 && (h.min < 0 || least < h.min) {
		h.min = least
	}
}

func (h *Histogram) record(ns, count int64) {
	if h.h.RecordValues(ns, count) != nil {
		h.h.RecordValues(Limit, count) // cannot fail: Limit is the limit of the table
	}
}

// Add adds the latencies of a recorder.
func (h *Histogram) Add(r *Recorder) {
	if r.n == 0 {
		return
	}
	h.note(r.n, r.sum, r.min, r.max)
	// The rest of the table is empty, and with many workers most of it has never been touched.
	for i := index(min(r.min, Limit-1)); i <= index(min(r.max, Limit-1)); i++ {
		if count := r.counts[i]; count > 0 {
			h.record(valueAt(i), count)
		}
	}
}

// Count returns the number of values.
func (h *Histogram) Count() int64 { return h.n }

// Sum returns the sum of the values in nanoseconds.
func (h *Histogram) Sum() int64 { return h.sum }

// Mean returns the exact mean in nanoseconds; 0 if empty.
func (h *Histogram) Mean() float64 {
	if h.n == 0 {
		return 0
	}
	return float64(h.sum) / float64(h.n)
}

// minBeyond is the number of values that must lie beyond a quantile that is reported. The p99 of 100 values is a
// single value, and so chance.
const minBeyond = 10

// Quantile returns the q-quantile in nanoseconds, within 0.1%. For q = 0 and 1 it is the exact extreme. ok is
// false if fewer than ten values lie on either side of it.
func (h *Histogram) Quantile(q float64) (ns float64, ok bool) { return h.QuantileOf(q, 0) }

// QuantileOf is Quantile of the values and of lost infinite values.
func (h *Histogram) QuantileOf(q float64, lost int64) (ns float64, ok bool) {
	n := float64(h.n + lost)
	switch {
	case n == 0 || q < 0 || q > 1:
		return 0, false
	case 0 < q && q < 1 && n*min(q, 1-q) < minBeyond-1e-9:
		return 0, false
	case q*n > float64(h.n)+1e-9, h.n == 0:
		return math.Inf(1), true
	case q == 0:
		return float64(h.min), true
	case q == 1:
		return float64(h.max), true
	}
	v := h.h.ValueAtQuantile(min(q*n/float64(h.n), 1) * 100)
	return float64(min(max(v, h.min), h.max)), true
}

// StdDev returns the standard deviation in nanoseconds, of values rounded to 0.1%; 0 if empty.
func (h *Histogram) StdDev() float64 {
	if h.n == 0 {
		return 0
	}
	return h.h.StdDev()
}

// Encode returns the histogram in the compressed interchange format of HdrHistogram (version 2).
func (h *Histogram) Encode() ([]byte, error) {
	return h.h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
}

// Decode decodes the result of Encode. Extremes and mean are then those of the table, within 0.1%.
func Decode(blob []byte) (*Histogram, error) {
	t, err := hdrhistogram.Decode(blob)
	if err != nil {
		return nil, fmt.Errorf("not a histogram: %w", err)
	}
	h := &Histogram{h: t, n: t.TotalCount(), min: -1}
	if h.n > 0 {
		h.min, h.max, h.sum = t.Min(), t.Max(), int64(t.Mean()*float64(h.n))
	}
	return h, nil
}
