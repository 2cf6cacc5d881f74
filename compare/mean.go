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

// precise are the means by which a row's precision is judged: of a closed loop its rate and time, of an open one
// its time, whose rate is given.
func (r *Row) precise() []string {
	switch {
	case r.Job:
		return []string{result.WallSeconds}
	case r.Open:
		return []string{result.ResponseMean}
	}
	return []string{result.Throughput, result.LatencyMean}
}

// Widest is the least precise of them, with half of its 95 % interval by itself: infinite below two trials, and NaN
// where there is no mean, or several steady states.
func (r *Row) Widest() (metric string, half float64) {
	half = math.NaN()
	for _, name := range r.precise() {
		s := r.Metric(name)
		h := 0.0
		switch {
		// of several states more replications show no others
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

// average adds to a summary in virtual time the mean with its interval. Replications differ in their customers
// alone, and their mean, other than their median, is what the formulas of queueing theory are about.
func average(s *result.Summary, xs []float64, exact bool) {
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

// exactly reports whether every trial repeated itself and says the same: then it is no sample.
func exactly(good []*result.Trial, metric string, xs []float64) bool {
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

// Decisions is the checksum of what the scheduler decided in all trials of some rows; 0 where nothing is known.
func Decisions(rows []Row) uint64 {
	sum := uint64(0)
	for i := range rows {
		if d := rows[i].Decisions; d != 0 {
			sum = fold(sum, strconv.FormatUint(d, 16))
		}
	}
	return sum
}

// fold takes one more checksum into a sum (FNV-1a). Their order counts.
func fold(sum uint64, text string) uint64 {
	if text == "" {
		return sum
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%x %s", sum, text)
	return h.Sum64()
}
