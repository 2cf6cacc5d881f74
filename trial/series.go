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
	// batchSize is the number of requests of a batch, as in MSER-5, before there are too many batches.
	batchSize = 5
	// mostBatches is how many batches are kept: then two become one.
	mostBatches = 1 << 15
	// mostServed is how many of the last requests are kept, to see whether they repeat themselves.
	mostServed = 1 << 16
	// leastRepeats is how often a period must have been seen.
	leastRepeats = 4
)

// series is what a trial in virtual time keeps of its requests, in the order of their ends: its memory is
// bounded, however many there are.
type series struct {
	release time.Duration // when the load began
	begin   time.Duration // of the window
	end     time.Duration // of the window: what ends later ends under less load
	size    int           // requests of a batch
	batches []batch
	open    batch // the last one, with its sum in mean
	n       int   // requests in open

	least, most time.Duration // of the requests that ended within the window

	ring []served // the last requests, the oldest at next once it is full
	next int
	all  int64
}

// batch is the mean time of successive requests and the end of the last.
type batch struct {
	mean float64
	end  time.Duration
}

// served is one request.
type served struct{ end, took time.Duration }

// keep begins the series of a load in virtual time that begins now, and looks ahead to its end.
func (m *measurement) keep(e env.Env, v *virtual.World) func(from, to time.Duration) {
	if m.probe != nil {
		m.probe.begin(v)
		return m.probe.note
	}
	span := m.spec.Warmup + m.spec.Duration
	m.series = &series{size: batchSize, release: e.Now(), begin: e.Now() + m.spec.Warmup, end: e.Now() + span}
	if m.spec.Operations > 0 {
		return m.series.note
	}
	o := &outlook{span: span, limit: m.spec.Limit, workers: m.spec.Point.Int("workers"), open: m.spec.Open != nil,
		now: time.Now, fail: v.Fail}
	return func(from, to time.Duration) {
		m.series.note(from, to)
		o.note(to)
	}
}

// note takes the next request.
func (s *series) note(from, to time.Duration) {
	if to >= s.end {
		return
	}
	took := to - from
	if to >= s.begin {
		if s.most == 0 {
			s.least = took
		}
		s.least, s.most = min(s.least, took), max(s.most, took)
	}
	if s.all++; len(s.ring) < mostServed {
		s.ring = append(s.ring, served{to, took})
	} else {
		s.ring[s.next] = served{to, took}
		s.next = (s.next + 1) % mostServed
	}
	s.open.mean += float64(took)
	s.open.end = to
	if s.n++; s.n < s.size {
		return
	}
	s.open.mean /= float64(s.size)
	s.batches = append(s.batches, s.open)
	s.open, s.n = batch{}, 0
	if len(s.batches) == mostBatches {
		for i := range mostBatches / 2 {
			a, b := s.batches[2*i], s.batches[2*i+1]
			s.batches[i] = batch{(a.mean + b.mean) / 2, b.end}
		}
		s.batches = s.batches[:mostBatches/2]
		s.size *= 2
	}
}

// transient is how long after its beginning the load had settled, by MSER-5; settled is false where that is in the
// second half of the requests, or where there are too few of them.
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

// period finds out whether the requests repeat themselves to the nanosecond: their times and what lies between
// their ends. It is the shortest period of the longest stretch at the end that has it four times, where that
// is half of all requests, or all that are kept.
func (s *series) period() repetition {
	return repeats(slices.Concat(s.ring[s.next:], s.ring[:s.next]), s.all)
}

// repeats is period for the last of so many requests, the oldest first. It reverses them.
func repeats(last []served, all int64) (p repetition) {
	slices.Reverse(last)
	n := len(last) - 1 // the one before it tells when the first of a period began
	if n < leastRepeats {
		return p
	}
	same := func(i, j int) bool {
		return last[i].took == last[j].took && last[i].end-last[i+1].end == last[j].end-last[j+1].end
	}
	// border[m] is the longest proper border of the first m: the failure function of Knuth, Morris and Pratt. A
	// stretch of m has the period m - border[m].
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
		if m >= leastRepeats*(m-b) {
			best = m
		}
	}
	if size := best - border[best]; int64(best) >= min(all/2, mostServed-1) && best > 0 {
		p = repetition{last[:size], last[0].end - last[size].end, best / size, last[best].end, best == n}
	}
	return p
}

// repetition is what requests repeat.
type repetition struct {
	requests []served // the last first
	span     time.Duration
	repeats  int
	since    time.Duration // from when on, as far as is known
	whole    bool          // all that are kept
}

// drawn reports whether somebody has asked for draws, if only to make them later: then it may yet do otherwise, however
// often it did the same. An open loop itself asks for its arrivals, before and to count them.
func (m *measurement) drawn() bool {
	v, ok := m.world.(*virtual.World)
	if m.real != nil && m.real.n > 0 {
		return true // what real code takes is as good as drawn
	}
	own := 0
	if m.spec.Open != nil {
		own = 2
	}
	return !ok || v.SeedReads() > own
}

// settle notes how long the transient lasted, and if the load came to repeat itself, replaces what a window of
// any length says by what one period says.
func (m *measurement) settle(of string, lost int64) {
	s := m.series
	if s == nil {
		return
	}
	p := s.period()
	d, settled := s.transient()
	full := s.all > mostServed && p.whole // and so it may have repeated itself before what is kept
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
	case len(period) == 0 || m.drawn():
		return
	case !full && p.since > s.end-m.spec.Duration:
		return // it began within the window
	case full: // what came before must have gone at the same rate
		want := float64(len(period)) / span.Seconds() * (m.spec.Warmup + m.spec.Duration).Seconds()
		least, most := extremes(period)
		if math.Abs(float64(s.all)-want) > float64(len(period)+m.spec.Point.Int("workers")) || least != s.least ||
			most != s.most {
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
	m.repeats, m.of = p, of
}

// metrics are the rate and the times of a repetition. It sorts the requests by their times.
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
	slices.SortFunc(p.requests, func(a, b served) int { return cmp.Compare(a.took, b.took) })
	for _, q := range result.Quantiles {
		i := max(0, int(math.Ceil(q.Q*n-1e-9))-1)
		list[of+"_"+q.Name+"_ns"] = result.Value(p.requests[i].took)
	}
	return list
}

func extremes(requests []served) (least, most time.Duration) {
	least = requests[0].took
	for _, r := range requests {
		least, most = min(least, r.took), max(most, r.took)
	}
	return least, most
}
