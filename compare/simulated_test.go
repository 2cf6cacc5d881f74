package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// dataSets is how many sweeps each statement below is tried on. The standard error of a share near 5 %
// is then 0.2 points.
const dataSets = 10_000

// machine is where simulated trials run: what disturbs them.
type machine struct {
	name   string
	block  float64 // standard deviation of the blocks' effects, in logarithms
	drift  float64 // per block
	noise  float64 // standard deviation of a trial's own error
	tails  float64 // degrees of freedom of Student's t for that error; 0: normal
	odd    float64 // share of trials that are slowed
	slowed float64 // by how much
}

func machines() []machine {
	return []machine{
		{name: "calm", noise: 0.02},
		{name: "block effects", block: 0.10, noise: 0.02},
		{name: "drift", drift: 0.02, noise: 0.02},
		{name: "heavy tails", block: 0.05, noise: 0.02, tails: 3},
		{name: "odd trials", block: 0.05, noise: 0.02, odd: 0.05, slowed: 0.15},
	}
}

// measure returns the logarithm of one trial's throughput in block b.
func (m machine) measure(r *rand.Rand, b int, blockEffect float64) float64 {
	e := r.NormFloat64()
	if m.tails > 0 { // Student's t with 3 degrees of freedom: normal by root of chi-square / 3
		chi := 0.0
		for range int(m.tails) {
			x := r.NormFloat64()
			chi += x * x
		}
		e /= math.Sqrt(chi / m.tails)
	}
	x := blockEffect + m.drift*float64(b) + m.noise*e
	if r.Float64() < m.odd {
		x -= m.slowed
	}
	return x
}

// sweep has the logarithms of the throughput of each design in each block; effects are the designs'.
func (m machine) sweep(r *rand.Rand, blocks int, effects []float64) [][]float64 {
	out := make([][]float64, len(effects))
	for b := range blocks {
		block := m.block * r.NormFloat64()
		for d, effect := range effects {
			out[d] = append(out[d], effect+m.measure(r, b, block))
		}
	}
	return out
}

func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

// naive is the usual analysis: all of A, then all of B, means and a two-sample t interval.
func (m machine) naive(r *rand.Rand, blocks int, effect float64) (covers, differs bool) {
	var a, b []float64
	for i := range 2 * blocks {
		x := m.measure(r, i, m.block*r.NormFloat64())
		if i < blocks {
			a = append(a, x+effect)
		} else {
			b = append(b, x)
		}
	}
	ma, mb := stat.Mean(a), stat.Mean(b)
	ss := 0.0
	for i := range a {
		ss += (a[i]-ma)*(a[i]-ma) + (b[i]-mb)*(b[i]-mb)
	}
	const t18 = 2.1009 // 0.975 quantile at 18 degrees of freedom: 10 and 10 trials
	half := t18 * math.Sqrt(ss/float64(2*blocks-2)*2/float64(blocks))
	d := ma - mb
	return math.Abs(d-effect) <= half, math.Abs(d) > half
}

// TestIntervalsCover: the interval of a ratio holds the true one in at least 93.5 % on every machine.
// The naive analysis of the same machines does not, or cannot see the difference.
func TestIntervalsCover(t *testing.T) {
	const blocks, effect = 10, 0.05
	naiveFails := 0
	for i, m := range machines() {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		cover, power, naiveCover, naiveFalse, naivePower := 0, 0, 0, 0, 0
		for range dataSets {
			d := m.sweep(r, blocks, []float64{effect, 0})
			p, _ := stat.Pair(stat.Sample{Logs: differences(d[0], d[1])}, 0.95)
			if p.Low <= math.Exp(effect) && math.Exp(effect) <= p.High {
				cover++
			}
			if p.P() <= 0.05 && p.Permutation() <= 0.05 {
				power++
			}
			c, found := m.naive(r, blocks, effect)
			_, false0 := m.naive(r, blocks, 0)
			naiveCover += one(c)
			naivePower += one(found)
			naiveFalse += one(false0)
		}
		share := func(n int) float64 { return 100 * float64(n) / dataSets }
		t.Logf("%-14s paired: covers %.1f %%, finds 5 %% in %.1f %%; naive: covers %.1f %%, finds it in %.1f %%, false alarms %.1f %%",
			m.name, share(cover), share(power), share(naiveCover), share(naivePower), share(naiveFalse))
		if share(cover) < 93.5 {
			t.Errorf("%s: the interval covers in %.1f %%", m.name, share(cover))
		}
		if share(naiveCover) < 93.5 || share(naivePower) < share(power)/2 {
			naiveFails++
		}
	}
	if naiveFails < 2 {
		t.Errorf("the naive analysis fails on %d machines only: they are too kind", naiveFails)
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestDetectable: a true ratio as large as the one called detectable is found in 78 to 84 %.
func TestDetectable(t *testing.T) {
	for _, blocks := range []int{10, 15, 20} {
		for _, m := range []int{1, 5} {
			r := rand.New(rand.NewPCG(2, uint64(blocks*10+m)))
			// The residual is known here: what is detectable of it, on average over the estimates.
			found := 0
			const sigma = 0.03
			known := knownResidual(sigma, blocks)
			effect := math.Log(known.Detectable(m, 0.05))
			for range dataSets {
				logs := make([]float64, blocks)
				for i := range logs {
					logs[i] = effect + sigma*r.NormFloat64()
				}
				p, _ := stat.Pair(stat.Sample{Logs: logs}, 1-0.05/float64(m))
				found += one(p.Low > 1 || p.High < 1)
			}
			share := 100 * float64(found) / dataSets
			t.Logf("%d blocks, %d verdicts: found in %.1f %%", blocks, m, share)
			if share < 78 || share > 84 {
				t.Errorf("%d blocks, %d verdicts: a detectable ratio is found in %.1f %%", blocks, m, share)
			}
		}
	}
}

// knownResidual is a comparison of n blocks whose logarithms have exactly this standard deviation.
func knownResidual(sigma float64, n int) stat.Comparison {
	logs := make([]float64, n)
	for i := range logs {
		logs[i] = float64(2*(i%2) - 1)
	}
	p, _ := stat.Pair(stat.Sample{Logs: logs}, 0.95)
	scale := sigma / (math.Log(p.Detectable(1, 0.05)) / unitDetectable(n))
	for i := range logs {
		logs[i] *= scale
	}
	p, _ = stat.Pair(stat.Sample{Logs: logs}, 0.95)
	return p
}

// unitDetectable is the logarithm of the detectable ratio at a standard deviation of 1.
func unitDetectable(n int) float64 {
	logs := make([]float64, n)
	sum := 0.0
	for i := range logs {
		logs[i] = float64(i)
		sum += logs[i]
	}
	mean, ss := sum/float64(n), 0.0
	for _, x := range logs {
		ss += (x - mean) * (x - mean)
	}
	p, _ := stat.Pair(stat.Sample{Logs: logs}, 0.95)
	return math.Log(p.Detectable(1, 0.05)) / math.Sqrt(ss/float64(n-1))
}

// TestFamilywise: five equal designs get a false verdict of a difference in at most 5 % of the sweeps.
func TestFamilywise(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	for i, m := range machines() {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		wrong := 0
		for range dataSets / 8 {
			rows, trials := sweepOf(names, m.sweep(r, 10, make([]float64, len(names))))
			for _, v := range Usual("a", nil).Verdicts(rows, trials) {
				if v.Verdict == Faster || v.Verdict == Slower {
					wrong++
					break
				}
			}
		}
		share := 100 * float64(wrong) / (dataSets / 8)
		t.Logf("%-14s a false difference in %.1f %% of the sweeps", m.name, share)
		if share > 6.2 { // 5 % and two standard errors of 1,250
			t.Errorf("%s: a false difference in %.1f %% of the sweeps", m.name, share)
		}
	}
}

// sweepOf makes rows and trials of logarithms of throughput by design and block.
func sweepOf(names []string, logs [][]float64) ([]Row, []result.Trial) {
	var rows []Row
	var trials []result.Trial
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	for d, name := range names {
		rows = append(rows, Row{Workload: "w", Design: name, World: result.Live, Point: point, N: len(logs[d])})
		for b, x := range logs[d] {
			trials = append(trials, result.Trial{
				Kind: result.KindTrial, Workload: "w", Design: name, World: result.Live, Point: point, Block: b,
				Status: result.OK, Type: result.Stream, Metrics: result.Metrics{result.Throughput: result.Value(100 * math.Exp(x))},
			})
		}
	}
	return rows, trials
}
