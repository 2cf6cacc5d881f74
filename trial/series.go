package trial

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

const (
	// batchSize is the initial number of requests of a batch, as in MSER-5.
	batchSize = 5
	// maxBatches is the largest number of batches; beyond it, two become one.
	maxBatches = 1 << 15
	// maxServed is the number of recent requests that are kept to find a period.
	maxServed = 1 << 16
	// minRepeats is how often a period must have occurred.
	minRepeats = 4
)

// series records the requests of a trial in virtual time, in the order of their ends. Its memory is bounded,
// whatever the number of requests.
type series struct {
	release time.Duration // when the load began
	begin   time.Duration // begin of the window
	end     time.Duration // end of the window; later requests end under less load
	size    int           // requests of a batch
	batches []batch
	open    batch // the last one; its mean holds the sum
	n       int   // requests in open

	min, max time.Duration // times of the requests that ended within the window

	ring []request // the last requests; once it is full, the oldest is at next
	next int
	all  int64
}

// batch is the mean time of successive requests and the end of the last one.
type batch struct {
	mean float64
	end  time.Duration
}

// request is the end of a request and the time that it took.
type request struct{ end, took time.Duration }

// startSeries starts the series of a load in virtual time, and its limit predictor. It returns the function that
// records a request.
func (m *measurement) startSeries(e env.Env, v *virtual.World) func(from, to time.Duration) {
	if m.disturber != nil {
		m.disturber.begin(v)
		return m.disturber.note
	}
	span := m.spec.Warmup + m.spec.Duration
	m.series = &series{size: batchSize, release: e.Now(), begin: e.Now() + m.spec.Warmup, end: e.Now() + span}
	if m.spec.Operations > 0 {
		return m.series.note
	}
	o := &limitPredictor{span: span, limit: m.spec.Limit, workers: m.spec.Point.Int("workers"),
		open: m.spec.Open != nil, now: time.Now, fail: v.Fail}
	return func(from, to time.Duration) {
		m.series.note(from, to)
		o.note(to)
	}
}

// note records the next request.
func (s *series) note(from, to time.Duration) {
	if to >= s.end {
		return
	}
	took := to - from
	if to >= s.begin {
		if s.max == 0 {
			s.min = took
		}
		s.min, s.max = min(s.min, took), max(s.max, took)
	}
	if s.all++; len(s.ring) < maxServed {
		s.ring = append(s.ring, request{to, took})
	} else {
		s.ring[s.next] = request{to, took}
		s.next = (s.next + 1) % maxServed
	}
	s.open.mean += float64(took)
	s.open.end = to
	if s.n++; s.n < s.size {
		return
	}
	s.open.mean /= float64(s.size)
	s.batches = append(s.batches, s.open)
	s.open, s.n = batch{}, 0
	if len(s.batches) == maxBatches {
		for i := range maxBatches / 2 {
			a, b := s.batches[2*i], s.batches[2*i+1]
			s.batches[i] = batch{(a.mean + b.mean) / 2, b.end}
		}
		s.batches = s.batches[:maxBatches/2]
		s.size *= 2
	}
}

// transient returns the length of the initial transient by MSER-5. settled is false if it reaches into the
// second half of the requests, or if there are too few of them.
func (s *series) transient() (d time.Duration, settled bool) {
	means := make([]float64, len(s.batches))
	for i, b := range s.batches {
		means[i] = b.mean
	}
	n, settled := stat.MSER(means)
	if n > 0 {
		d = s.batches[n-1].end - s.release
	}
	return d, settled
}

// period finds out whether the requests repeat themselves to the nanosecond: their times, and the gaps between
// their ends. The result is the shortest period of the longest suffix that contains it four times. The suffix
// must be half of all requests, or all that are kept.
func (s *series) period() repetition {
	return repeats(slices.Concat(s.ring[s.next:], s.ring[:s.next]), s.all)
}

// repeats is period for the last requests, the oldest first; all is the number of all requests. It reverses
// last.
func repeats(last []request, all int64) (p repetition) {
	slices.Reverse(last)
	n := len(last) - 1 // the request before the first period shows when that period began
	if n < minRepeats {
		return p
	}
	same := func(i, j int) bool {
		return last[i].took == last[j].took && last[i].end-last[i+1].end == last[j].end-last[j+1].end
	}
	// border[m] is the longest proper border of the first m requests: the failure function of Knuth, Morris and
	// Pratt. The first m requests have the period m - border[m].
	border := make([]int, n+1)
	best := 0
	for m := 2; m <= n; m++ {
		b := border[m-1]
		for b > 0 && !same(b, m-1) {
			b = border[b]
		}
		if same(b, m-1) {
			b++
		}
		border[m] = b
		if m >= minRepeats*(m-b) {
			best = m
		}
	}
	if size := best - border[best]; int64(best) >= min(all/2, maxServed-1) && best > 0 {
		p = repetition{last[:size], last[0].end - last[size].end, best / size, last[best].end, best == n}
	}
	return p
}

// repetition is the period that requests repeat.
type repetition struct {
	requests []request // of one period, the last first
	span     time.Duration
	repeats  int
	since    time.Duration // earliest known time of the repetition
	whole    bool          // all kept requests repeat
}

// drawn reports whether the design has asked for random draws, even if only for later: then it may still
// change, however often it did the same. An open loop itself asks twice, for its arrivals and to count them.
func (m *measurement) drawn() bool {
	v, ok := m.world.(*virtual.World)
	if m.real != nil && m.real.n > 0 {
		return true // the measured cost of real code is as good as random
	}
	own := 0
	if m.spec.Open != nil {
		own = 2
	}
	return !ok || v.SeedReads() > own
}

// settle records the length of the transient. If the load came to repeat itself, it replaces the results of the
// window by those of one period.
func (m *measurement) settle(of string, lost int64) {
	s := m.series
	if s == nil {
		return
	}
	p := s.period()
	d, settled := s.transient()
	full := s.all > maxServed && p.whole // it may have repeated itself before the first request that is kept
	switch since := p.since - s.release; {
	case len(p.requests) == 0:
	case !full || !settled || since < d:
		d, settled = since, true
	}
	m.set(result.Transient, result.Value(d.Seconds()))
	if !settled {
		m.set(result.Transient, result.Unavailable)
	}
	period, span := p.requests, p.span
	switch {
	case len(period) == 0 || m.drawn() || m.fallible: // a series does not know which requests failed
		return
	case !full && p.since > s.end-m.spec.Duration:
		return // it began within the window
	case full: // earlier requests must have had the same rate
		want := float64(len(period)) / span.Seconds() * (m.spec.Warmup + m.spec.Duration).Seconds()
		least, most := extremes(period)
		if math.Abs(float64(s.all)-want) > float64(len(period)+m.spec.Point.Int("workers")) || least != s.min ||
			most != s.max {
			return
		}
	}
	if span <= 0 || lost > 0 || m.trial.Unstable || m.spec.Operations > 0 {
		return
	}
	m.trial.Period = &result.Period{Operations: len(period), Seconds: span.Seconds(), Repeats: p.repeats}
	if m.spec.Open == nil {
		m.trial.Progress = float64(len(period)) / span.Seconds() * m.trial.WallSeconds
	}
	for name, v := range p.metrics(of) {
		m.set(name, v)
	}
	m.repeats, m.timesKind = p, of
}

// metrics returns the throughput and the times of a repetition. It sorts the requests by their times.
func (p *repetition) metrics(of string) result.Metrics {
	n := float64(len(p.requests))
	sum := time.Duration(0)
	for _, r := range p.requests {
		sum += r.took
	}
	mean, ssq := float64(sum)/n, 0.0
	for _, r := range p.requests {
		ssq += (float64(r.took) - mean) * (float64(r.took) - mean)
	}
	list := result.Metrics{
		result.Throughput: result.Value(n / p.span.Seconds()), of + "_mean_ns": result.Value(mean),
		of + "_sd_ns": result.Value(math.Sqrt(ssq / n)),
	}
	slices.SortFunc(p.requests, func(a, b request) int { return cmp.Compare(a.took, b.took) })
	for _, q := range result.Quantiles {
		i := max(0, int(math.Ceil(q.Q*n-1e-9))-1)
		list[of+"_"+q.Name+"_ns"] = result.Value(p.requests[i].took)
	}
	return list
}

// extremes returns the shortest and the longest time.
func extremes(requests []request) (least, most time.Duration) {
	least = requests[0].took
	for _, r := range requests {
		least, most = min(least, r.took), max(most, r.took)
	}
	return least, most
}
