package load

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/env"
)

// The kinds of arrivals. All others are recorded.
const (
	Poisson  = "poisson"  // independent requests with exponential gaps
	Constant = "constant" // equal gaps
)

// MaxRate is the largest rate of an open loop in requests per second. A worker needs about 100 ns to take the next
// request right after another worker, and much more if it must be woken.
const MaxRate = 1e6

// Arrivals are the times at which requests arrive. Without Gaps the times are Poisson or Constant.
type Arrivals struct {
	Kind string
	Rate float64 // requests a second
	// Gaps are recorded times between requests, repeated for ever. If Rate > 0 they are scaled to that rate.
	Gaps []time.Duration
}

// rate returns the mean rate in requests a second.
func (a Arrivals) rate() float64 {
	if a.Rate == 0 && len(a.Gaps) > 0 {
		return RateOf(a.Gaps)
	}
	return a.Rate
}

// arrivalStage is the stage of the random numbers of arrivals; no design has so many stages.
const arrivalStage = math.MaxUint64

// source iterates over arrivals. Times count from the release of the workers.
type source struct {
	arrivals Arrivals
	rand     env.Rand
	scale    float64       // of recorded gaps
	at       float64       // ns, of the next request
	next     uint64        // its number
	end      time.Duration // no request arrives at it or later; 0: they arrive for ever
}

// newSource returns a source at the first arrival.
func newSource(a Arrivals, r env.Rand) *source {
	s := &source{arrivals: a, rand: r, scale: 1}
	if len(a.Gaps) > 0 && a.Rate > 0 {
		s.scale = RateOf(a.Gaps) / a.Rate
	}
	s.at = s.gap(0)
	if a.Kind == Constant && len(a.Gaps) == 0 {
		s.at /= 2 // so windows of a whole number of gaps contain that many requests, apart from their ends
	}
	return s
}

// gap returns the time before request i.
func (s *source) gap(i uint64) float64 {
	if n := uint64(len(s.arrivals.Gaps)); n > 0 {
		return float64(s.arrivals.Gaps[i%n]) * s.scale
	}
	mean := 1e9 / s.arrivals.Rate
	if s.arrivals.Kind == Constant {
		return mean
	}
	d := s.rand.At(i, arrivalStage)
	return d.Exp() * mean
}

// peek returns the number and the time of the next request.
func (s *source) peek() (request uint64, at time.Duration) {
	if at = time.Duration(min(s.at, forever)); s.end > 0 && at >= s.end {
		at = forever
	}
	return s.next, at
}

// advance moves to the request after it.
func (s *source) advance() {
	s.next++
	s.at += s.gap(s.next)
}

// Times returns when requests 0, 1, ... arrive before a time, in a run with these random numbers. Times count from the
// beginning of its warm-up.
func (a Arrivals) Times(r env.Rand, before time.Duration) (times []time.Duration) {
	s := newSource(a, r)
	for {
		_, at := s.peek()
		if at >= before {
			return times
		}
		times = append(times, at)
		s.advance()
	}
}

// RateOf returns the rate of recorded gaps in requests per second.
func RateOf(gaps []time.Duration) float64 {
	sum := 0.0
	for _, g := range gaps {
		sum += float64(g)
	}
	return float64(len(gaps)) / sum * 1e9
}

// maxArrivals is the largest number of recorded arrivals, because all are sent to every trial.
const maxArrivals = 1_000_000

// ReadGaps reads recorded arrivals, one time per line in ascending order. Times count from the beginning, in seconds
// (0.25) or with a unit (250ms). Empty lines and those that begin with # are skipped. The time from 0 to the first
// arrival is its gap, also in repetitions. If it is longer than all others together, ReadGaps refuses the times as
// those of a clock. An error names the line.
func ReadGaps(r io.Reader) ([]time.Duration, error) {
	var gaps []time.Duration
	last := time.Duration(0)
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		at, err := parseTime(text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", n, err)
		case at < last:
			return nil, fmt.Errorf("line %d: %v is before the arrival of the line above, %v; sort the times", n, at,
				last)
		case len(gaps) == maxArrivals:
			return nil, fmt.Errorf("line %d: more than %d arrivals; give fewer, they are repeated", n, maxArrivals)
		}
		gaps, last = append(gaps, at-last), at
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if last == 0 {
		return nil, errors.New("no arrival after time 0; give one time a line, such as 0.25 or 250ms")
	}
	if rest := last - gaps[0]; len(gaps) > 1 && gaps[0] > rest {
		first := strconv.FormatFloat(gaps[0].Seconds(), 'f', -1, 64)
		return nil, fmt.Errorf("the first arrival is at %s s and all others within %v of it: times count from the "+
			"start; subtract %s s from all of them, or write the times of two rounds if the wait before the "+
			"first belongs to them", first, rest, first)
	}
	return gaps, nil
}

// parseTime parses seconds, or a time with its unit.
func parseTime(text string) (time.Duration, error) {
	seconds, err := strconv.ParseFloat(text, 64)
	if err == nil {
		if !(seconds >= 0 && seconds <= math.MaxInt64/2/1e9) {
			return 0, fmt.Errorf("%q is not a time from 0 s to some years", text)
		}
		return time.Duration(math.Round(seconds * 1e9)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a time; write seconds such as 0.25, or 250ms", text)
	}
	return d, nil
}
