package compare

import (
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"strings"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// precisionMetrics returns the means that decide a row's precision: throughput and latency of a closed loop, the
// response time of an open one, the wall time of a job.
func (r *Row) precisionMetrics() []string {
	switch {
	case r.Job:
		return []string{result.WallSeconds}
	case r.Open:
		return []string{result.ResponseMean}
	}
	return []string{result.Throughput, result.LatencyMean}
}

// LeastPreciseMean returns the least precise of the means that decide the row's precision, with its relative 95%
// half-width: throughput and latency of a closed loop, response time of an open one, wall time of a job. half is
// infinite below two trials. It is NaN without a mean, or with several steady states.
func (r *Row) LeastPreciseMean() (metric string, half float64) {
	half = math.NaN()
	for _, name := range r.precisionMetrics() {
		s := r.Metric(name)
		h := 0.0
		switch {
		// More replications would not reveal further steady states.
		case s.Mean == nil || !s.Mean.Mean.Known() || len(s.States) > 0:
			continue
		case r.N == 1 && !s.Exact:
			h = math.Inf(1)
		case s.Mean.Mean > 0:
			h = float64(s.Mean.High-s.Mean.Low) / 2 / float64(s.Mean.Mean)
		}
		if metric == "" || h > half {
			metric, half = name, h
		}
	}
	return metric, half
}

// addMean adds the mean and its interval to a summary in virtual time. Replications differ only in their random
// draws, and formulas of queueing theory describe the mean, not the median.
func addMean(s *result.Summary, xs []float64, exact bool) {
	if !s.Median.Known() {
		s.Mean = &result.Interval{Mean: s.Median, Low: s.Median, High: s.Median}
		return
	}
	if exact {
		s.Exact, s.Low, s.High = true, s.Median, s.Median
		s.Mean = &result.Interval{Mean: s.Median, Low: s.Median, High: s.Median}
		return
	}
	mean, low, high := stat.MeanInterval(xs, confidence)
	s.Mean = &result.Interval{Mean: result.Value(mean), Low: result.Value(low), High: result.Value(high)}
}

// repeatsExactly reports whether every trial is periodic and all have the same value, so that there is no sampling
// error.
func repeatsExactly(good []*result.Trial, metric string, xs []float64) bool {
	timed := strings.HasPrefix(metric, "latency_") || strings.HasPrefix(metric, "response_")
	if metric != result.Throughput && !timed || len(xs) == 0 || len(xs) != len(good) {
		return false
	}
	for i, t := range good {
		if t.Period == nil || xs[i] != xs[0] || t.Disturbed.Changes(metric) {
			return false
		}
	}
	return true
}

// DecisionChecksum returns a checksum of the scheduler's decisions in all trials of the rows; 0 if unknown.
func DecisionChecksum(rows []Row) uint64 {
	sum := uint64(0)
	for i := range rows {
		if d := rows[i].Decisions; d != 0 {
			sum = fold(sum, strconv.FormatUint(d, 16))
		}
	}
	return sum
}

// fold adds a checksum to another (FNV-1a). The order matters.
func fold(sum uint64, text string) uint64 {
	if text == "" {
		return sum
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%x %s", sum, text)
	return h.Sum64()
}
