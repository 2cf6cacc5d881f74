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

// The kinds of arrivals; every other is a recorded one.
const (
	Poisson  = "poisson"  // independent customers: gaps are exponential
	Constant = "constant" // a clock: all gaps are alike
)

// MaxRate is the largest rate that an open loop offers, in requests a second. To take the next request
// costs a worker about 100 ns when another has just done so, and much more when it must be woken.
const MaxRate = 1e6

// Arrivals say when requests come. Without Gaps they are drawn, Poisson or Constant.
type Arrivals struct {
	Kind string
	Rate float64 // requests a second
	// Gaps are recorded times between requests, repeated for ever; Rate, if > 0, stretches them.
	Gaps []time.Duration
}

// arrivalStage keys the draws of arrivals; no design has so many stages.
const arrivalStage = math.MaxUint64

// source walks through arrivals. Times count from the release of the workers.
type source struct {
	arrivals Arrivals
	rand     env.Rand
	scale    float64 // of recorded gaps
	at       float64 // ns, of the next request
	next     uint64  // its number
}

func newSource(a Arrivals, r env.Rand) *source {
	s := &source{arrivals: a, rand: r, scale: 1}
	if len(a.Gaps) > 0 && a.Rate > 0 {
		s.scale = RateOf(a.Gaps) / a.Rate
	}
	s.at = s.gap(0)
	if a.Kind == Constant && len(a.Gaps) == 0 {
		s.at /= 2 // windows that are a whole number of gaps hold that many requests, edges aside
	}
	return s
}

// gap is the time before request i.
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

// peek is the number and time of the next request.
func (s *source) peek() (request uint64, at time.Duration) {
	return s.next, time.Duration(min(s.at, forever))
}

func (s *source) advance() {
	s.next++
	s.at += s.gap(s.next)
}

// RateOf is the rate of recorded gaps, in requests a second.
func RateOf(gaps []time.Duration) float64 {
	sum := 0.0
	for _, g := range gaps {
		sum += float64(g)
	}
	return float64(len(gaps)) / sum * 1e9
}

// maxArrivals is the greatest number of recorded arrivals: all of them go to every trial.
const maxArrivals = 1_000_000

// ReadGaps reads recorded arrivals: one time a line, since the beginning, as seconds (0.25) or with a
// unit (250ms), none before the last; empty lines and those that begin with # are skipped. The time from
// 0 to the first is its gap, also when they are repeated; where it is longer than all the others together, the
// times are taken for those of a clock. An error names the line.
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

// parseTime reads seconds, or a time with its unit.
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
