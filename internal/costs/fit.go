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
	sample    samples
	costs     sim.Costs // so far; of what is not fitted yet, a guess
	simulate  func(program string, much setting, c sim.Costs) (readings, error)
	prices    []result.CostEstimate
	handOvers []result.HandOver
	found     map[string][][]float64 // what each reading says of a cost, by round
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
	c.SpinFor, c.DeepIdleAfter, c.Spin, c.WakeDeep = int64(between(looks)), int64(between(deep)), sim.Cost{}, sim.Cost{}
	steal := parameter{"steal", "wake", after("steal", naps), &c.Steal, true, nil}
	return []parameter{
		steal,
		{"spin", "handoff", after("handoff", naps[:looks]), &c.Spin, true, &steal},
		{"wake", "handoff", after("handoff", naps[looks:deep]), &c.Wake, true, &steal},
		{"deep", "handoff", after("handoff", naps[deep:]), &c.WakeDeep, true, &steal},
		{"rouse", "handoff", after("rouse", naps[looks:]), &c.Waker, true, nil},
	}
}

// after are the names of a reading after some naps.
func after(reading string, naps []time.Duration) (names []string) {
	for _, n := range naps {
		names = append(names, at(reading, n))
	}
	return names
}

// between is the time between nap i and the one before, in the middle of their logarithms; 0 where i is at either end,
// as there is nothing to tell apart.
func between(i int) time.Duration {
	if i == 0 || i == len(naps) {
		return 0
	}
	return time.Duration(math.Sqrt(float64(max(naps[i-1], naps[1]/2)) * float64(naps[i])))
}

// another is what telling a state of a CPU apart must win: the squares of logarithms that it explains. Of two states
// that last for three naps each it is a difference of 16 % between them.
const another = 0.04

// longest is how long a CPU can go on looking for work; later it is asleep, if not deeply.
const longest = 20 * time.Microsecond

// states returns how many of the naps leave a CPU still looking for work, and after how many it sleeps deeply. It
// chooses the three levels that fit the wake-up times best, unless fewer do as well.
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
		// of a millisecond a nanosecond is a millionth
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
		return nil // and it stays as it is
	}
	live := sorted(byRound)
	price := result.CostEstimate{Cost: p.name, Reading: p.title(), Live: estimate(byRound).Median,
		P10: result.Unavailable,
		P90: result.Unavailable}
	if p.drawn {
		price.Live = result.Value(stat.Quantile(live, 0.5))
	}
	if p.beside != nil {
		other, kept := f.found[p.beside.name], *p.beside.cost
		live = deconvolved(live, sorted(other))
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
