package compare

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// machine is where simulated trials run: what disturbs them.
type machine struct {
	name   string
	block  float64 // standard deviation of the blocks' effects, in logarithms
	drift  float64 // per block
	noise  float64 // scale of a trial's own error
	tails  int     // degrees of freedom of Student's t for that error; 0: normal
	odd    float64 // share of trials that are slowed
	slowed float64 // by how much
}

// usualLooks are made once, which takes longer than most tests.
var usualLooks = sync.OnceValue(func() *Looks { return NewLooks(LookBlocks(), EquivalentFrom) })

// dataSets is how many sweeps a statement is tried on. The standard error of a share near 5 % is then 0.2
// points.
const dataSets = 10_000

// machines have trials with an error of 2 %.
func machines() []machine { return machinesWith(0.02) }

func machinesWith(noise float64) []machine {
	return []machine{
		{name: "calm", noise: noise},
		{name: "blocks differ by 10 %", block: 0.10, noise: noise},
		{name: "drifts by 2 % a block", drift: 0.02, noise: noise},
		{name: "heavy tails", block: 0.05, noise: noise, tails: 3},
		{name: "one trial in 20 is 15 % slow", block: 0.05, noise: noise, odd: 0.05, slowed: 0.15},
	}
}

// own is the error of one trial.
func (m machine) own(r *rand.Rand) float64 {
	e := r.NormFloat64()
	if m.tails > 0 { // Student's t: normal by the root of chi-square / degrees of freedom
		chi := 0.0
		for range m.tails {
			x := r.NormFloat64()
			chi += x * x
		}
		e /= math.Sqrt(chi / float64(m.tails))
	}
	e *= m.noise
	if m.odd > 0 && r.Float64() < m.odd {
		e -= m.slowed
	}
	return e
}

// deviation is the standard deviation of the difference of two trials of a block.
func (m machine) deviation() float64 {
	v := m.noise * m.noise
	if m.tails > 0 {
		v *= float64(m.tails) / float64(m.tails-2)
	}
	return math.Sqrt(2 * (v + m.odd*(1-m.odd)*m.slowed*m.slowed))
}

// common is what all trials of block b have in common.
func (m machine) common(r *rand.Rand, b int) float64 {
	return m.drift*float64(b) + m.block*r.NormFloat64()
}

// sweep has the logarithms of the throughput of each design in each block; effects are the designs'.
func (m machine) sweep(r *rand.Rand, blocks int, effects []float64) [][]float64 {
	logs, _ := m.apart(r, blocks, effects)
	return logs
}

// apart is a sweep with what the trials of each block have in common.
func (m machine) apart(r *rand.Rand, blocks int, effects []float64) (logs [][]float64, common []float64) {
	logs, common = make([][]float64, len(effects)), make([]float64, blocks)
	for b := range blocks {
		common[b] = m.common(r, b)
		for d, effect := range effects {
			logs[d] = append(logs[d], effect+common[b]+m.own(r))
		}
	}
	return logs, common
}

// differences are the logarithms of the ratios of each block.
func differences(a, b []float64) series {
	var s series
	for i := range a {
		s.blocks, s.logs, s.resolutions = append(s.blocks, i), append(s.logs, a[i]-b[i]), append(s.resolutions, 0)
	}
	return s
}

// family compares each design with its neighbour and with the first.
func family(logs [][]float64) []series {
	var all []series
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

// twoSample is the interval of a two-sample t test: the difference and the half-width.
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
	for i := range 2 * 10 {
		ab[i/10] = append(ab[i/10], m.common(r, i)+m.own(r)+effect*float64(1-i/10))
	}
	d, half := twoSample(ab[0], ab[1])
	return math.Abs(d-effect) <= half, math.Abs(d) > half
}

// sweepOf makes rows and trials of logarithms of throughput by design and block.
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
		Status: result.OK, Type: result.Stream, Metrics: result.Metrics{result.Throughput: result.Value(100 * math.Exp(log))},
	}
}

func onePoint() plan.Point {
	return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
}
