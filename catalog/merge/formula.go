package merge

import (
	"math"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// consumer is a design, as its formula needs it.
type consumer int

const (
	original consumer = iota
	carried
	swapped
)

// maxQueued limits the states of the Markov chain. If more events queue, but not all the time, there is no prediction.
const maxQueued = 400

// calls predicts the calls for each event from the traffic intensity.
func calls(c consumer) *workload.Formula {
	return &workload.Formula{
		Metric: callsPerEvent,
		Text: "E(calls) / E(events) from one receive to the next, where the queued events are a Markov chain with " +
			"Poisson arrivals during each call",
		Source: "the embedded chain of a queue with bulk service: N. T. J. Bailey, Journal of the Royal Statistical " +
			"Society B 16(1), 1954",
		Value: func(p plan.Point, _ workload.Measured) float64 {
			a, run := p.Float("intensity"), p.Float("run")
			if a == 0 || p.Int("cpus") < 2 || p.Text("gaps") != "exponential" || p.Text("runs") != "geometric" {
				return math.NaN()
			}
			return expectedCalls(c, a, 1/run, max(1, p.Int("buffer")))
		},
	}
}

// expectedCalls returns the expected number of calls for each event if a events arrive during a call on average, and
// the next event differs with probability change. limit is the capacity of the queue. The result is NaN if the queue is
// sometimes full and sometimes not.
func expectedCalls(c consumer, a, change float64, limit int) float64 {
	if full, fastest := saturated(c, change, limit); a > 1.2*fastest {
		if c != swapped && math.Pow(1-change, float64(limit)) > 0.01 {
			return math.NaN() // a run may not fit in the queue
		}
		return full
	}

	limit = min(limit, maxQueued)
	step := stepChannel
	if c == swapped {
		step = stepSwapped(a, change, limit)
	}

	// Iterate to the stationary distribution of the number of events at the beginning of a call or, if they are taken
	// together, of a swap.
	now := make([]float64, limit+1)
	now[1] = 1
	for range 10_000 {
		then, made, taken := step(c, now, a, change)
		moved := 0.0
		for i := range now {
			moved += math.Abs(then[i] - now[i])
		}
		now = then
		switch {
		case now[limit] > 1e-4:
			return math.NaN()
		case moved < 1e-10:
			return made / taken
		}
	}
	return math.NaN()
}

// saturated returns the calls for each event if the queue is always full and holds a whole run, and the largest traffic
// intensity that the consumer can keep up with.
func saturated(c consumer, change float64, limit int) (calls, fastest float64) {
	run := 1 / change
	switch c {
	case original: // a run and the event that ends it have two calls
		return 2 / (run + 1), (run + 1) / 2
	case swapped:
		calls = (1 + float64(limit-1)*change) / float64(limit)
		return calls, 1 / calls
	}
	return 1 / run, run
}

// stepChannel returns the distribution of the queued events at the next beginning, and the expected calls and events
// from this one to the next. now[q] is the probability of q queued events.
func stepChannel(c consumer, now []float64, a, change float64) (then []float64, made, taken float64) {
	limit := len(now) - 1

	// left[r] is the probability that a run ends because the event changes, with r events left.
	left := make([]float64, limit+2)
	before := 0.0
	for r := limit - 1; r >= 1; r-- {
		left[r] = change*now[r+1] + (1-change)*left[r+1]
		before += left[r]
	}
	queued, after := 0.0, 0.0
	for q, p := range now {
		queued += float64(q) * p
	}
	for r, p := range left {
		after += float64(r) * p
	}

	then = make([]float64, limit+1)
	one, two := poisson(a, limit), poisson(2*a, limit)
	add := func(r int, p float64, arrivals []float64) {
		for k, x := range arrivals {
			then[min(max(1, r+k), limit)] += p * x
		}
	}
	add(0, 1-before, one)
	for r := 1; r <= limit; r++ {
		switch {
		case left[r] == 0:
		case c == original: // the event that ends the run has a call of its own
			add(r-1, left[r], two)
		default:
			add(r, left[r], one)
		}
	}
	if c == original {
		return then, 1 + before, queued - after + before
	}
	return then, 1, queued - after
}

// stepSwapped is stepChannel for a consumer that takes all queued events together.
func stepSwapped(a, change float64, limit int) func(c consumer, now []float64, a, change float64) ([]float64, float64,
	float64) {
	arrivals := make([][]float64, limit+1) // by the number of calls
	for n := 1; n <= limit; n++ {
		arrivals[n] = poisson(float64(n)*a, limit)
	}
	return func(_ consumer, now []float64, _, _ float64) (then []float64, made, taken float64) {
		// runs[n] is the probability of n runs among the queued events, and ways[n] that among q events.
		runs, ways := make([]float64, limit+1), make([]float64, limit+1)
		ways[1] = 1
		for q := 1; q <= limit; q++ {
			for n := q; n >= 1; n-- {
				runs[n] += now[q] * ways[n]
			}
			for n := min(q+1, limit); n >= 1; n-- {
				ways[n] = ways[n]*(1-change) + ways[n-1]*change
			}
			taken += float64(q) * now[q]
		}

		then = make([]float64, limit+1)
		for n := 1; n <= limit; n++ {
			made += float64(n) * runs[n]
			if runs[n] == 0 {
				continue
			}
			for k, x := range arrivals[n] {
				then[min(max(1, k), limit)] += runs[n] * x
			}
		}
		return then, made, taken
	}
}

// poisson returns the probabilities of 0 to at most limit events with this mean. The last one is that of so many or
// more.
func poisson(mean float64, limit int) []float64 {
	limit = min(limit, int(mean+10*math.Sqrt(mean)+20)) // the probability of more is below 1e-15
	p := make([]float64, limit+1)
	sum := 0.0
	for k := range limit {
		lg, _ := math.Lgamma(float64(k + 1))
		p[k] = math.Exp(float64(k)*math.Log(mean) - mean - lg)
		sum += p[k]
	}
	p[limit] = max(0, 1-sum)
	return p
}
