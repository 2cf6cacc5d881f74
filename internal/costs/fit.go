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

// parameter is a cost and the readings of a program that it is fitted to. The readings are proportional to it, apart
// from what other costs add.
type parameter struct {
	name     string
	program  string
	readings []string
	cost     *sim.Cost
	drawn    bool       // the cost is a distribution, that of all readings; otherwise their median
	included *parameter // another cost in the readings, a distribution that is removed from them; nil if none
}

// fitter finds costs.
type fitter struct {
	sample    samples
	costs     sim.Costs // so far; those that are not fitted yet are guesses
	simulate  func(program string, much setting, c sim.Costs) (readings, error)
	prices    []result.CostEstimate
	handOvers []result.HandOver
	found     map[string][][]float64 // values of each cost, one for each reading, by round
}

// single returns the costs of one CPU. The readings of each may depend on the costs before it.
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

// double returns the costs of two CPUs, which depend on how long one of them has been idle.
func (f *fitter) double() []parameter {
	c := &f.costs
	spinning, deep := f.states()
	c.SpinFor, c.DeepIdleAfter = int64(between(spinning)), int64(between(deep))
	c.Spin, c.WakeDeep = sim.Cost{}, sim.Cost{}
	steal := parameter{"steal", "wake", after("steal", naps), &c.Steal, true, nil}
	return []parameter{
		steal,
		{"spin", "handoff", after("handoff", naps[:spinning]), &c.Spin, true, &steal},
		{"wake", "handoff", after("handoff", naps[spinning:deep]), &c.Wake, true, &steal},
		{"deep", "handoff", after("handoff", naps[deep:]), &c.WakeDeep, true, &steal},
		{"rouse", "handoff", after("rouse", naps[spinning:]), &c.Waker, true, nil},
	}
}

// after returns the names of a reading after some naps.
func after(reading string, naps []time.Duration) (names []string) {
	for _, n := range naps {
		names = append(names, at(reading, n))
	}
	return names
}

// between returns the geometric mean of nap i and the one before, the limit between two states of an idle CPU; 0 if i
// is at either end, because there is only one state.
func between(i int) time.Duration {
	if i == 0 || i == len(naps) {
		return 0
	}
	return time.Duration(math.Sqrt(float64(max(naps[i-1], naps[1]/2)) * float64(naps[i])))
}

// penalty is the reduction of the squared deviations of logarithms that one more state of an idle CPU must achieve. For
// two states of three naps each, it is a difference of 16% between them.
const penalty = 0.04

// longestSpin is the longest time for which an idle CPU can spin; later it sleeps.
const longestSpin = 20 * time.Microsecond

// states returns the number of naps during which an idle CPU spins, and the number after which it sleeps deeply. It
// chooses the levels, three at most, that fit the wake-up times best.
func (f *fitter) states() (spinning, deep int) {
	logs := make([]float64, len(naps))
	steal := median(slices.Concat(f.rounds(parameter{program: "wake", readings: after("steal", naps)})...))
	for i, n := range naps {
		handOff := median(slices.Concat(f.sample[name("handoff", at("handoff", n))]...))
		logs[i] = math.Log(max(1, handOff-steal))
	}
	best := math.Inf(1)
	for i := 0; naps[i] <= longestSpin; i++ {
		for j := i + 1; j <= len(logs); j++ {
			rest := spread(logs[:i]) + spread(logs[i:j]) + spread(logs[j:])
			if i > 0 {
				rest += penalty
			}
			if j < len(logs) {
				rest += 1.01 * penalty // prefer spinning and sleeping to sleeping and sleeping deeply
			}
			if rest < best {
				best, spinning, deep = rest, i, j
			}
		}
	}
	return spinning, deep
}

// spread returns the sum of the squared deviations from the mean.
func spread(xs []float64) (sum float64) {
	mean := stat.Mean(xs)
	for _, x := range xs {
		sum += (x - mean) * (x - mean)
	}
	return sum
}

// fit finds all costs for which there are readings, and then their readings in virtual time. It fails with [Unsteady]
// if the machine changed meanwhile.
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
	all = append(all, f.scatter())
	if err := f.steady(); err != nil {
		return err
	}
	return f.check(all)
}

// scatter finds the variation of equal burns, as ratios to the median of their round, because the clock frequency
// drifts between rounds, and then to the mean of all. A burn of twice the median or more was interrupted by another
// process, and is left out.
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
		// The cost is a fraction in millionths: a nanosecond of a burn of a millisecond.
		*p.cost = distribution(values, func(ns float64) float64 { return ns })
	}
	f.found[p.name] = byRound
	f.prices = append(f.prices, result.CostEstimate{Cost: p.name, Reading: p.title(), Estimate: estimate(byRound),
		Live: result.Value(stat.Quantile(values, 0.5)),
		P10:  result.Value(stat.Quantile(values, 0.1)), P90: result.Value(stat.Quantile(values, 0.9))})
	return p
}

// solve finds one cost.
func (f *fitter) solve(p parameter) error {
	byRound := f.rounds(p)
	if len(byRound) == 0 {
		return nil // the cost keeps its guess
	}
	live := sorted(byRound)
	price := result.CostEstimate{Cost: p.name, Reading: p.title(), Live: estimate(byRound).Median,
		P10: result.Unavailable,
		P90: result.Unavailable}
	if p.drawn {
		price.Live = result.Value(stat.Quantile(live, 0.5))
	}
	if p.included != nil {
		other, kept := f.found[p.included.name], *p.included.cost
		live = deconvolved(live, sorted(other))
		for i := range byRound {
			byRound[i] = without(sorted(byRound[i:i+1]), sorted(other[i:i+1]))
		}
		*p.included.cost = sim.Cost{}
		defer func() { *p.included.cost = kept }()
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
		price.P10, price.P90 = result.Value(cost(stat.Quantile(live, 0.1))),
			result.Value(cost(stat.Quantile(live, 0.9)))
	} else {
		*p.cost = sim.Ns(int64(math.Round(float64(price.Median))))
	}
	f.prices = append(f.prices, price)
	return nil
}

// inverse finds the cost with which a microprogram has the same reading in virtual time as in live runs. It makes one
// step of the secant method, which is exact because readings are proportional to costs. The step starts from a guess
// and a slightly larger value. The guess may be much too large, because it includes other costs.
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

// sorted returns the readings of all rounds in ascending order.
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

// rounds returns the readings of a parameter by round.
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

// pick returns the readings with these names.
func pick(r readings, names []string) []float64 {
	var all []float64
	for _, n := range names {
		all = append(all, r[n]...)
	}
	return all
}

func median(xs []float64) float64 { return stat.Median(xs) }
