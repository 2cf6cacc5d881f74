package costs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
)

// parameter is a cost and the readings of a program that it is fitted to. It is in proportion to them, but for what the
// other costs add.
type parameter struct {
	name     string
	program  string
	readings []string
	cost     *sim.Cost
	drawn    bool       // from the distribution of all readings; else their median, always the same
	beside   *parameter // another cost that is in the readings and is drawn: its part is taken out of them
}

// fitter finds costs.
type fitter struct {
	sample   samples
	costs    sim.Costs // so far; of what is not fitted yet, a guess
	simulate func(program string, much setting, c sim.Costs) (readings, error)
	prices   []result.Price
	found    map[string][][]float64 // of costs that are in the readings of others: what each reading says of them, by round
}

// single are the costs of one CPU. What a parameter's program takes depends on those before it.
func (f *fitter) single() []parameter {
	c := &f.costs
	all := []parameter{
		{name: "chan", cost: &c.Chan}, {name: "lock", cost: &c.Lock}, {name: "switch", cost: &c.Switch},
		{name: "spawn", cost: &c.Spawn}, {name: "timer", cost: &c.Timer}, {name: "syscall", cost: &c.Syscall},
	}
	for i := range all {
		all[i].program, all[i].readings = "operations", []string{all[i].name}
	}
	return all
}

// double are the costs of two CPUs, which depend on how long one of them has been idle.
func (f *fitter) double() []parameter {
	c := &f.costs
	looks, deep := f.states()
	c.SpinFor, c.DeepAfter, c.Spin, c.Deep = int64(between(looks)), int64(between(deep)), sim.Cost{}, sim.Cost{}
	steal := parameter{"steal", "wake", after("steal", naps), &c.Steal, true, nil}
	return []parameter{
		steal,
		{"spin", "handoff", after("handoff", naps[:looks]), &c.Spin, true, &steal},
		{"wake", "handoff", after("handoff", naps[looks:deep]), &c.Wake, true, &steal},
		{"deep", "handoff", after("handoff", naps[deep:]), &c.Deep, true, &steal},
		{"rouse", "handoff", after("rouse", naps[looks:]), &c.Rouse, true, nil},
	}
}

// after are the names of a reading after some naps.
func after(reading string, naps []time.Duration) (names []string) {
	for _, n := range naps {
		names = append(names, at(reading, n))
	}
	return names
}

// between is the time between nap i and the one before, in the middle of their logarithms; 0 where i is at either end, as
// there is nothing to tell apart.
func between(i int) time.Duration {
	if i == 0 || i == len(naps) {
		return 0
	}
	return time.Duration(math.Sqrt(float64(max(naps[i-1], naps[1]/2)) * float64(naps[i])))
}

// another is what telling a state of a CPU apart must win: the squares of logarithms that it explains. Of two states that
// last for three naps each it is a difference of 16 % between them.
const another = 0.04

// longest is how long a CPU can go on looking for work; later it is asleep, if not deeply.
const longest = 20 * time.Microsecond

// states tells how many of the naps leave a CPU still looking for work, and after how many it sleeps deeply: the three
// levels that the times of waking up fit best, where fewer do not do as well.
func (f *fitter) states() (looks, deep int) {
	logs := make([]float64, len(naps))
	steal := median(slices.Concat(f.rounds(parameter{program: "wake", readings: after("steal", naps)})...))
	for i, n := range naps {
		handOff := median(slices.Concat(f.sample[name("handoff", at("handoff", n))]...))
		logs[i] = math.Log(max(1, handOff-steal))
	}
	best := math.Inf(1)
	for i := 0; naps[i] <= longest; i++ {
		for j := i + 1; j <= len(logs); j++ {
			rest := spread(logs[:i]) + spread(logs[i:j]) + spread(logs[j:])
			if i > 0 {
				rest += another
			}
			if j < len(logs) {
				rest += 1.01 * another // of two levels the first is rather that of one who still looks
			}
			if rest < best {
				best, looks, deep = rest, i, j
			}
		}
	}
	return looks, deep
}

// spread is the sum of the squares about the mean.
func spread(xs []float64) (sum float64) {
	mean := stat.Mean(xs)
	for _, x := range xs {
		sum += (x - mean) * (x - mean)
	}
	return sum
}

// fit finds all costs that there are readings of, and then what virtual time makes of them.
func (f *fitter) fit() error {
	all := f.single()
	if len(f.sample[name("wake", after("wake", naps)[0])]) > 0 {
		all = append(all, f.double()...)
	}
	for _, p := range all {
		if err := f.solve(p); err != nil {
			return err
		}
	}
	return f.check(append(all, f.scatter()))
}

// scatter finds how unequal equal pieces of work are: shares of their median in each round, as the clock of a machine drifts from one
// to the next, and then of the mean of all. What takes twice as long as the median is not the CPU's, but somebody else took that.
func (f *fitter) scatter() parameter {
	p := parameter{name: "burn", program: "operations", readings: []string{"burn"}, cost: &f.costs.Burn, drawn: true}
	byRound := f.rounds(p)
	if len(byRound) == 0 {
		return p
	}
	for i, values := range byRound {
		middle := median(values)
		byRound[i] = make([]float64, len(values))
		for j, v := range values {
			byRound[i][j] = min(v/middle, 2)
		}
	}
	scale := float64(work) / stat.Mean(sorted(byRound))
	for _, shares := range byRound {
		for j := range shares {
			shares[j] *= scale
		}
	}
	values := sorted(byRound)
	if values[0] < values[len(values)-1] {
		*p.cost = distribution(values, func(ns float64) float64 { return ns }) // of a millisecond a nanosecond is a millionth
	}
	f.prices = append(f.prices, result.Price{Cost: p.name, Reading: p.title(), Estimate: estimate(byRound), Live: result.Value(stat.Quantile(values, 0.5)),
		P10: result.Value(stat.Quantile(values, 0.1)), P90: result.Value(stat.Quantile(values, 0.9))})
	return p
}

// solve finds one cost.
func (f *fitter) solve(p parameter) error {
	byRound := f.rounds(p)
	if len(byRound) == 0 {
		return nil // and it stays as it is
	}
	live := sorted(byRound)
	price := result.Price{Cost: p.name, Reading: p.title(), Live: estimate(byRound).Median, P10: result.Unavailable, P90: result.Unavailable}
	if p.drawn {
		price.Live = result.Value(stat.Quantile(live, 0.5))
	}
	if p.beside != nil {
		other, kept := f.found[p.beside.name], *p.beside.cost
		live = without(live, sorted(other))
		for i := range byRound {
			byRound[i] = without(sorted(byRound[i:i+1]), sorted(other[i:i+1]))
		}
		*p.beside.cost = sim.Cost{}
		defer func() { *p.beside.cost = kept }()
	}
	cost, err := f.inverse(p, math.Round(stat.Quantile(live, 0.5)))
	if err != nil {
		return err
	}
	for i, values := range byRound {
		byRound[i] = make([]float64, len(values))
		for j, v := range values {
			byRound[i][j] = cost(v)
		}
	}
	f.found[p.name], price.Estimate = byRound, estimate(byRound)
	if p.drawn {
		*p.cost = distribution(live, cost)
		price.P10, price.P90 = result.Value(cost(stat.Quantile(live, 0.1))), result.Value(cost(stat.Quantile(live, 0.9)))
	} else {
		*p.cost = sim.Ns(int64(math.Round(float64(price.Median))))
	}
	f.prices = append(f.prices, price)
	return nil
}

// inverse finds the cost with which virtual time reads what was read live, by a step of the secant method, which is exact
// as readings are in proportion: from a guess, which may be much too large, as other costs are in it, and a little more.
func (f *fitter) inverse(p parameter, guess float64) (cost func(reading float64) float64, err error) {
	const step = 1000
	var reads [2]float64
	for i := range reads {
		*p.cost = sim.Ns(int64(guess) + step*int64(i))
		r, err := f.simulate(p.program, brief(), f.costs)
		if err != nil {
			return nil, err
		}
		reads[i] = median(pick(r, p.readings))
	}
	slope := (reads[1] - reads[0]) / step
	if !(slope > 0) {
		return nil, fmt.Errorf("in virtual time %s does not depend on the cost of %s", p.title(), p.name)
	}
	return func(reading float64) float64 { return max(0, guess+(reading-reads[0])/slope) }, nil
}

// without takes the part of an independent other out of the readings of a sum, both in ascending order: what is left has
// the difference of their middles, and a spread about it whose square is the difference of the squares. The shape is that
// of the sum.
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

// center is the mean without the tenth at either end: means of independent times add up, which medians do not, and the
// few that a host has stretched to milliseconds are no part of it. xs ascends.
func center(xs []float64) float64 {
	cut := len(xs) / 10
	return stat.Mean(xs[cut : len(xs)-cut])
}

// width is where the middle four fifths lie.
func width(xs []float64) float64 { return stat.Quantile(xs, 0.9) - stat.Quantile(xs, 0.1) }

// sorted are all readings of all rounds, in ascending order.
func sorted(byRound [][]float64) []float64 {
	all := slices.Concat(byRound...)
	slices.Sort(all)
	return all
}

// title names the readings.
func (p parameter) title() string {
	first, last := p.readings[0], p.readings[len(p.readings)-1]
	if first == last {
		return name(p.program, first)
	}
	_, end, _ := strings.Cut(last, "@")
	return name(p.program, first) + ".." + end
}

// knots are the quantiles that a distribution is kept as.
const knots = 41

// distribution is what readings, in ascending order, say of a cost: its quantiles, but for the last, which is such that
// the mean above the last but one is kept. Few readings are there, and far apart.
func distribution(readings []float64, cost func(float64) float64) sim.Cost {
	const unit = 10 // ns: a text of so many is long enough
	whole := func(ns float64) int64 { return unit * int64(math.Round(ns/unit)) }
	q := make([]int64, knots)
	for i := range q {
		q[i] = whole(cost(stat.Quantile(readings, float64(i)/(knots-1))))
	}
	rare := readings[len(readings)*(knots-2)/(knots-1):]
	q[knots-1] = max(q[knots-2], whole(2*cost(stat.Mean(rare)))-q[knots-2])
	if q[0] == q[knots-1] {
		return sim.Ns(q[0])
	}
	return sim.Quantiles(q...)
}

// check fills in what the microprograms take in virtual time with all costs.
func (f *fitter) check(all []parameter) error {
	for _, p := range all {
		i := slices.IndexFunc(f.prices, func(x result.Price) bool { return x.Cost == p.name })
		if i < 0 {
			continue // there were no readings
		}
		much := brief()
		much.cycles = full().cycles
		if p.cost == &f.costs.Burn {
			much.batches = full().batches
		}
		r, err := f.simulate(p.program, much, f.costs)
		if err != nil {
			return err
		}
		f.prices[i].Virtual = result.Value(median(pick(r, p.readings)))
	}
	return nil
}

// rounds are the readings of a parameter, round by round.
func (f *fitter) rounds(p parameter) [][]float64 {
	var all [][]float64
	for _, reading := range p.readings {
		for i, values := range f.sample[name(p.program, reading)] {
			if i == len(all) {
				all = append(all, nil)
			}
			all[i] = append(all[i], values...)
		}
	}
	return all
}

// pick are some of the readings.
func pick(r readings, names []string) []float64 {
	var all []float64
	for _, n := range names {
		all = append(all, r[n]...)
	}
	return all
}

func median(xs []float64) float64 { return stat.Median(xs) }
