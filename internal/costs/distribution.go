package costs

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/sim"
)

// without removes an independent component from the readings of a sum, both in ascending order. The result has the
// difference of their centers, and a width whose square is the difference of the squares. Its shape is that of the
// sum.
func without(sum, other []float64) []float64 {
	middle, rest, scale := center(sum), center(sum)-center(other), 0.0
	if w, o := width(sum), width(other); w > o {
		scale = math.Sqrt(1 - o*o/(w*w))
	}
	left := make([]float64, len(sum))
	for i, x := range sum {
		left[i] = max(0, rest+(x-middle)*scale)
	}
	return left
}

// center returns the mean without the lowest and the highest tenth of xs, which ascends. Unlike medians, means of
// independent times add up. The few readings that a host has stretched to milliseconds have no effect.
func center(xs []float64) float64 {
	cut := len(xs) / 10
	return stat.Mean(xs[cut : len(xs)-cut])
}

// width returns the width of the middle four fifths.
func width(xs []float64) float64 { return stat.Quantile(xs, 0.9) - stat.Quantile(xs, 0.1) }

// distribution returns a cost with the quantiles of readings, which ascend. The last quantile keeps the mean of the
// readings above the last but one, because there are few and they are far apart.
func distribution(readings []float64, cost func(float64) float64) sim.Cost {
	const unit = 10 // ns: a text of so many is long enough
	rounded := func(ns float64) int64 { return unit * int64(math.Round(ns/unit)) }
	var knots []sim.Knot
	for _, at := range probabilities(len(readings)) {
		knots = append(knots, sim.Knot{At: at, Ns: rounded(cost(stat.Quantile(readings, float64(at)/all)))})
	}
	last, beyond := &knots[len(knots)-1], knots[len(knots)-2]
	rare := readings[int64(len(readings))*beyond.At/all:]
	last.Ns = max(beyond.Ns, rounded(2*cost(stat.Mean(rare)))-beyond.Ns)
	if knots[0].Ns == last.Ns {
		return sim.Ns(last.Ns)
	}
	return sim.Knots(knots...)
}

// all is probability 1 in millionths.
const all = 1_000_000

// probabilities returns the probabilities of the quantiles kept from n readings, in millionths: each fortieth, and in
// the last fortieth each thousandth, because those readings range from a tenth of a millisecond to several.
func probabilities(n int) []int64 {
	// fewest is how many readings must lie beyond a quantile of the tail
	const body, tail, fewest = all / 40, all / 1000, 4
	var ps []int64
	for at := int64(0); at < all; {
		ps = append(ps, at)
		step := int64(body)
		if at >= all-body {
			step = tail
		}
		if at += step; at > all-body && int64(n)*(all-at) < fewest*all {
			break
		}
	}
	return append(ps, all)
}

// deconvolved returns the distribution of a time that, added to an independent other, has the distribution of sum. The
// arguments and the result are readings in ascending order; the result has as many as sum. The time is one of a grid,
// which is finer in the body than in the tail. Expectation maximization finds the weight of each point of the grid
// (Richardson 1972, Lucy 1974). It never makes one negative. It stops early, so that it does not fit the noise.
func deconvolved(sum, other []float64) []float64 {
	if sum[0] == sum[len(sum)-1] || other[0] == other[len(other)-1] {
		return without(sum, other)
	}
	const steps = 20
	bins := newBins(sum)
	times := grid(sum, other)
	below := cdf(other)
	chance := make([][]float64, len(bins.share)) // of each bin, for each time
	for i := range chance {
		chance[i] = make([]float64, len(times))
		for j, x := range times {
			chance[i][j] = below.at(bins.edges[i+1]-x) - below.at(bins.edges[i]-x)
		}
	}
	weights := make([]float64, len(times))
	for j := range weights {
		weights[j] = 1 / float64(len(weights))
	}
	for range steps {
		maximize(weights, chance, bins.share)
	}
	return spreadOut(times, weights, len(sum))
}

// maximize makes one step of expectation maximization: it gives each time the share of the readings that it explains. A
// time whose sums partly lie outside the bins gets no compensation, because no reading lies there.
func maximize(weights []float64, chance [][]float64, share []float64) {
	explained := make([]float64, len(weights))
	for i, row := range chance {
		expected := 0.0
		for j, c := range row {
			expected += c * weights[j]
		}
		if expected <= 0 {
			continue // no time of the grid leads here
		}
		for j, c := range row {
			explained[j] += c * share[i] / expected
		}
	}
	total := 0.0
	for j := range weights {
		weights[j] *= explained[j]
		total += weights[j]
	}
	if total == 0 { // no time of the grid explains a reading; the least comes nearest
		weights[0], total = 1, 1
	}
	for j := range weights {
		weights[j] /= total
	}
}

// bins are intervals that hold at least a few readings each, with the share of the readings in each.
type bins struct{ edges, share []float64 }

// newBins cuts readings, in ascending order, at their quantiles: the percentiles, and the thousandths above the 99th.
func newBins(readings []float64) (b bins) {
	for p := 0; p < 1000; p++ {
		if p%10 == 0 && p <= 990 || p > 990 && float64(len(readings))*float64(1000-p) >= 2000 {
			b.edges = append(b.edges, stat.Quantile(readings, float64(p)/1000))
		}
	}
	b.edges = slices.Compact(append(b.edges, math.Nextafter(readings[len(readings)-1], math.Inf(1))))
	for i, low := range b.edges[:len(b.edges)-1] {
		from, _ := slices.BinarySearch(readings, low)
		to, _ := slices.BinarySearch(readings, b.edges[i+1])
		b.share = append(b.share, float64(to-from)/float64(len(readings)))
	}
	return b
}

// grid returns the possible times of a part of sum: evenly spaced up to about its 97.5% quantile, and then
// geometrically up to its maximum.
func grid(sum, other []float64) []float64 {
	const body, tail = 120, 60
	top := max(1, stat.Quantile(sum, 0.975)-stat.Quantile(other, 0.01))
	end := max(1.01*top, sum[len(sum)-1]-stat.Quantile(other, 0.5))
	var times []float64
	for i := range body {
		times = append(times, top*float64(i)/body)
	}
	for i := range tail + 1 {
		times = append(times, top*math.Pow(end/top, float64(i)/tail))
	}
	return times
}

// cdf is the distribution function of readings in ascending order. It is linear between them, and has a step where some
// are equal.
type cdf []float64

// at returns the fraction of the readings below x.
func (c cdf) at(x float64) float64 {
	i, _ := slices.BinarySearch(c, x)
	switch {
	case i == 0:
		return 0
	case i == len(c):
		return 1
	}
	return (float64(i-1) + (x-c[i-1])/(c[i]-c[i-1])) / float64(len(c)-1)
}

// spreadOut returns n times in ascending order that have the distribution of the weights. The distribution function
// reaches the middle of a weight at its time, and is linear in between.
func spreadOut(times, weights []float64, n int) []float64 {
	middles, total := make([]float64, len(weights)), 0.0
	for j, w := range weights {
		middles[j] = total + w/2
		total += w
	}
	spread := make([]float64, n)
	for i := range spread {
		p := (float64(i) + 0.5) / float64(n)
		switch j, _ := slices.BinarySearch(middles, p); {
		case j == 0:
			spread[i] = times[0]
		case j == len(times):
			spread[i] = times[j-1]
		default:
			part := (p - middles[j-1]) / (middles[j] - middles[j-1])
			spread[i] = times[j-1] + part*(times[j]-times[j-1])
		}
	}
	return spread
}
