package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// machine simulates the disturbances of a machine. Each trial has its own time within its block, and slow noise
// continues from trial to trial. Only the random order makes the comparison fair.
type machine struct {
	name   string
	block  float64 // standard deviation of the blocks' effects, in logarithms
	swing  float64 // standard deviation of the drift within a block
	drift  float64 // per block
	wander float64 // standard deviation of slow noise
	noise  float64 // scale of a trial's own error
	tails  int     // degrees of freedom of Student's t for that error; 0: normal
	odd    float64 // fraction of slow trials
	slowed float64 // by this factor, in logarithms
	first  bool    // only trials of the first design are slow
}

// memory is the correlation time of slow noise, in blocks.
const memory = 10

// usualInterims is computed once, because it takes longer than most tests.
var usualInterims = sync.OnceValue(func() *InterimPlan { return NewInterimPlan(InterimBlocks(), EquivalentFrom) })

// dataSets is the number of simulated sweeps per statement. The standard error of a rate of 5% is then 0.2 points.
const dataSets = 10_000

// machines have trials with an error of 2%.
func machines() []machine { return machinesWith(0.02) }

func machinesWith(noise float64) []machine {
	return []machine{
		{name: "calm", noise: noise},
		{name: "blocks differ by 10%, and within by 3%", block: 0.10, swing: 0.03, noise: noise},
		{name: "drifts by 2% a block", drift: 0.02, noise: noise},
		{name: "heavy tails", block: 0.05, noise: noise, tails: 3},
		{name: "one trial in 20 is 15% slow", block: 0.05, noise: noise, odd: 0.05, slowed: 0.15},
		{name: "wanders by 5%", wander: 0.05, noise: noise},
	}
}

// lopsided returns a machine on which some trials of the first design are slow, and none of the others.
func lopsided(noise, share, slowed float64) machine {
	name := fmt.Sprintf("one design: %.0f trials in 100 are %.0f%% slow", 100*share, 100*slowed)
	return machine{name: name, noise: noise, odd: share, slowed: slowed, first: true}
}

// own returns the error of one trial of design d.
func (m machine) own(r *rand.Rand, d int) float64 {
	e := r.NormFloat64()
	if m.tails > 0 { // Student's t: normal over the root of chi-square / degrees of freedom
		chi := 0.0
		for range m.tails {
			x := r.NormFloat64()
			chi += x * x
		}
		e /= math.Sqrt(chi / float64(m.tails))
	}
	e *= m.noise
	if m.odd > 0 && (d == 0 || !m.first) && r.Float64() < m.odd {
		e -= m.slowed
	}
	return e
}

// bias returns the mean slow-down of the first design's trials relative to the others.
func (m machine) bias() float64 {
	if m.first {
		return m.odd * m.slowed
	}
	return 0
}

// deviation returns the standard deviation of the difference of two designs in a block.
func (m machine) deviation() float64 {
	own := m.noise * m.noise
	if m.tails > 0 {
		own *= float64(m.tails) / float64(m.tails-2)
	}
	odd := m.odd * (1 - m.odd) * m.slowed * m.slowed
	if !m.first {
		odd *= 2
	}
	apart := (m.drift*m.drift + m.swing*m.swing) / 4
	return math.Sqrt(2*own + odd + apart + 2*m.wander*m.wander*(1-math.Exp(-0.5/memory)))
}

// weather returns the effect of the machine on each trial, by block and order.
func (m machine) weather(r *rand.Rand, blocks, trials int) [][]float64 {
	var all [][]float64
	step := 1 / float64(trials)
	keep := math.Exp(-step / memory)
	slow := m.wander * r.NormFloat64()
	for b := range blocks {
		block, swing := m.block*r.NormFloat64(), m.swing*r.NormFloat64()
		var effects []float64
		for i := range trials {
			at := (float64(i) + 0.5) * step
			effects = append(effects, block+swing*(at-0.5)+m.drift*(float64(b)+at)+slow)
			slow = keep*slow + m.wander*math.Sqrt(1-keep*keep)*r.NormFloat64()
		}
		all = append(all, effects)
	}
	return all
}

// sweep returns the logarithms of the throughput of each design in each block; effects are true effects.
func (m machine) sweep(r *rand.Rand, blocks int, effects []float64) [][]float64 {
	logs, _ := m.shuffledSweep(r, blocks, effects)
	return logs
}

// shuffledSweep returns a sweep in random order within each block, and the machine's effect on each trial.
func (m machine) shuffledSweep(r *rand.Rand, blocks int, effects []float64) (logs, done [][]float64) {
	logs, done = make([][]float64, len(effects)), make([][]float64, len(effects))
	for _, weather := range m.weather(r, blocks, len(effects)) {
		for d, place := range r.Perm(len(effects)) {
			logs[d] = append(logs[d], effects[d]+weather[place]+m.own(r, d))
			done[d] = append(done[d], weather[place])
		}
	}
	return logs, done
}

// differences returns the logarithms of the ratios of the blocks.
func differences(a, b []float64) blockSeries {
	var s blockSeries
	for i := range a {
		s.blocks, s.logs = append(s.blocks, i), append(s.logs, a[i]-b[i])
	}
	return s
}

// family compares each design with its neighbour and with the first.
func family(logs [][]float64) []blockSeries {
	var all []blockSeries
	for d := 1; d < len(logs); d++ {
		all = append(all, differences(logs[d], logs[d-1]))
		if d > 1 {
			all = append(all, differences(logs[d], logs[0]))
		}
	}
	return all
}

// The 0.975 quantile of Student's t with 18 degrees of freedom: two designs with 10 trials each.
const t18 = 2.10092

// twoSample returns the interval of a two-sample t test: difference and half-width.
func twoSample(a, b []float64) (difference, half float64) {
	ma, mb := stat.Mean(a), stat.Mean(b)
	ss := 0.0
	for i := range a {
		ss += (a[i]-ma)*(a[i]-ma) + (b[i]-mb)*(b[i]-mb)
	}
	n := float64(len(a))
	return ma - mb, t18 * math.Sqrt(ss/(2*n-2)*2/n)
}

// naive is the usual analysis: all of A, then all of B, means and a two-sample t interval.
func (m machine) naive(r *rand.Rand, effect float64) (covers, differs bool) {
	var ab [2][]float64
	for b, weather := range m.weather(r, 10, 2) {
		for _, x := range weather {
			d := b / 5
			ab[d] = append(ab[d], x+m.own(r, d)+effect*float64(1-d))
		}
	}
	d, half := twoSample(ab[0], ab[1])
	return math.Abs(d-effect) <= half, math.Abs(d) > half
}

// sweepOf returns rows and trials from logarithms of throughput by design and block.
func sweepOf(names []string, logs [][]float64) ([]Row, []result.Trial) {
	var rows []Row
	var trials []result.Trial
	for d, name := range names {
		rows = append(rows, Row{Workload: "w", Design: name, World: result.Live, Point: onePoint(), N: len(logs[d])})
		for b, x := range logs[d] {
			trials = append(trials, trialOf(name, b, x))
		}
	}
	return rows, trials
}

func trialOf(design string, block int, log float64) result.Trial {
	return result.Trial{
		Kind: result.KindTrial, Workload: "w", Design: design, World: result.Live, Point: onePoint(), Block: block,
		Status: result.OK, Expected: true, Type: result.Stream,
		Metrics: result.Metrics{result.Throughput: result.Value(100 * math.Exp(log))},
	}
}

func onePoint() plan.Point {
	return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
}
