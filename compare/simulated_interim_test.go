package compare

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/brewput/brewput/internal/stat"
)

// sequential judges at the interim analyses of a budget.
func sequential() Criteria {
	j := DefaultCriteria("", nil)
	j.Interims = usualInterims()
	return j
}

// margins: two designs at six points, six comparisons. At one point they are equal; at the other five they differ
// by exactly the margin. If trials agree well at those and badly at the first, either kind of verdict may be false.
// Holm's method alone adds up the two error rates.
func (o *table) margins() {
	all := []machine{{name: "0.2%", noise: 0.002}, {name: "0.4%", noise: 0.004}, {name: "0.8%", noise: 0.008}}
	once, interims := DefaultCriteria("", nil), sequential()
	got := experiment(4, len(all), func(i int, r *rand.Rand, c tally) {
		var long, short []blockSeries
		for k := range 6 {
			m, effect := all[i], math.Log(1+once.Margin)
			if k == 0 {
				m, effect = machine{noise: 0.05}, 0
			}
			logs := m.sweep(r, 40, []float64{effect, 0})
			long = append(long, differences(logs[0], logs[1]))
			short = append(short, differences(logs[0][:10], logs[1][:10]))
		}
		states := once.judge(short)
		c["once"] += wrong(states)
		c["Holm"] += wrong(byHolm(states))
		c["looks"] += wrong(interims.judge(long))
	})
	o.line("\nSweeps with any false verdict: two designs, equal at one point with an error of 5%% a trial, and " +
		"exactly the margin of\n2%% apart at five others:\n")
	o.head("error of a trial at the others", "10 blocks", "interim analyses", "10 blocks, Holm's method without "+
		"room for equivalence")
	for i, c := range got {
		o.line("| %s | %.1f%% | %.1f%% | %.1f%% |", all[i].name, c.share("once"), c.share("looks"), c.share("Holm"))
		o.sharp(all[i].name+": false", c.share("once"), 5)
		o.within(all[i].name+": false with interim analyses", c.share("looks"), 0, 5)
	}
}

// wrong is 1 for a false verdict: the designs of the first comparison are equal, the others differ.
func wrong(states []sequentialState) float64 {
	for i, s := range states {
		if i == 0 && s.verdict == differs || i > 0 && s.verdict == Equivalent {
			return 1
		}
	}
	return 0
}

// holm adjusts p-values by Holm's method (Scandinavian Journal of Statistics 6(2), 1979).
func holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	adjusted, least := make([]float64, len(ps)), 0.0
	for rank, i := range order {
		least = max(least, min(1, ps[i]*float64(len(ps)-rank)))
		adjusted[i] = least
	}
	return adjusted
}

// byHolm decides on differences by Holm's method without room for equivalence, and changes nothing else.
func byHolm(states []sequentialState) []sequentialState {
	var ps []float64
	for i := range states {
		ps = append(ps, states[i].differenceP())
	}
	other := slices.Clone(states)
	for i, p := range holm(ps) {
		if s := &other[i]; p <= 0.05 && s.verdict == Undecided && s.permutationAgrees(0.05) {
			s.verdict = differs
		}
	}
	return other
}

// spread returns n logarithms with the mean 0 and exactly this standard deviation. Large and small ones alternate,
// so that the order shows nothing.
func spread(n int, sigma float64) []float64 {
	logs := make([]float64, n)
	for i := range logs {
		place := i / 2
		if i%2 == 1 {
			place = n - 1 - i/2
		}
		logs[i] = math.Sqrt(12/float64(n*(n+1))) * sigma * (float64(place) - float64(n-1)/2)
	}
	return logs
}

// detectable: a true ratio equal to the detectable one, with known deviation, is found four times in five. In a
// family it is the only difference.
func (o *table) detectable() {
	const sigma = 0.03
	type situation struct {
		blocks, m int
		interims  bool
	}
	all := []situation{{10, 1, false}, {10, 5, false}, {15, 1, false}, {15, 5, false}, {20, 1, false}, {20, 5, false},
		{40, 1, false}, {40, 5, false}, {40, 1, true}, {40, 5, true}}
	once, interims := DefaultCriteria("", nil), sequential()
	once.Margin, interims.Margin = 0, 0
	got := experiment(5, len(all), func(i int, r *rand.Rand, c tally) {
		j, level := once, 0.05/float64(all[i].m)
		if all[i].interims {
			j = interims
			level = interims.Interims.planned.Level(level, 4)
		}
		known, _ := stat.PairedEstimate(spread(all[i].blocks, sigma))
		effect := math.Log(known.Detectable(1, level))
		family := make([]blockSeries, all[i].m)
		for k := range family {
			logs := make([]float64, all[i].blocks)
			for b := range logs {
				logs[b] = float64(2*(b%2) - 1) // no difference at any analysis
				if k == 0 {
					logs[b] = effect + sigma*r.NormFloat64()
				}
			}
			family[k] = differences(logs, make([]float64, len(logs)))
		}
		c["found"] += float64(boolToInt(j.judge(family)[0].verdict == differs))
	})
	o.line("\nDifferences found, if the true ratio is the detectable ratio:\n")
	o.head("blocks", "one comparison", "five comparisons")
	for i := 0; i < len(all); i += 2 {
		name := fmt.Sprint(all[i].blocks)
		if all[i].interims {
			name = "up to 40, interim analyses"
		}
		o.line("| %s | %.1f%% | %.1f%% |", name, got[i].share("found"), got[i+1].share("found"))
		o.within(name+" blocks: detectable found", got[i].share("found"), 78, 84)
		o.within(name+" blocks, 5 verdicts: detectable found", got[i+1].share("found"), 78, 84)
	}
}

// interims: one comparison whose true ratio lies three standard errors of 40 blocks from 1.
func (o *table) interims() {
	all := append(machines(), lopsided(0.02, 0.15, 0.15))
	once, interims := DefaultCriteria("", nil), sequential()
	once.Margin, interims.Margin = 0, 0
	got := experiment(6, len(all), func(i int, r *rand.Rand, c tally) {
		effect := 3 * all[i].deviation() / math.Sqrt(40)
		logs := all[i].sweep(r, 40, []float64{effect + all[i].bias(), 0})
		s := []blockSeries{differences(logs[0], logs[1])}
		state := interims.judge(s)[0]
		low, high := state.ratio.Interval(1 - state.level(0.05))
		c["covers"] += float64(boolToInt(low <= math.Exp(effect) && math.Exp(effect) <= high))
		c["finds"] += float64(boolToInt(state.verdict == differs))
		c["once"] += float64(boolToInt(once.judge(s)[0].verdict == differs))
		c["blocks"] += float64(state.ratio.N)
	})
	o.line("\nInterim analyses of one comparison; the true ratio is three standard errors of 40 blocks from 1:\n")
	o.head("machine", "interval contains the true ratio at the end", "found", "found by 40 blocks at once",
		"mean number of blocks")
	for i, c := range got {
		o.line("| %s | %.1f%% | %.1f%% | %.1f%% | %.1f |", all[i].name, c.share("covers"), c.share("finds"),
			c.share("once"), c["blocks"]/float64(*tries))
		if !all[i].first {
			o.within(all[i].name+": covers with interim analyses", c.share("covers"), 93.5, 100)
		}
	}
}

// equivalence: the cost of interim analyses for equal designs, and the rate at which designs that differ by exactly
// the margin are called equivalent. Each side has half of alpha.
func (o *table) equivalence() {
	all := []machine{{name: "0.5%", noise: 0.005}, {name: "1%", noise: 0.01}, {name: "2%", noise: 0.02},
		{name: "3%", noise: 0.03}, {name: "4%", noise: 0.04}}
	once, interims := DefaultCriteria("", nil), sequential()
	got := experiment(7, len(all), func(i int, r *rand.Rand, c tally) {
		logs := all[i].sweep(r, 40, []float64{0, 0, math.Log(1.02)})
		equal := []blockSeries{differences(logs[1], logs[0])}
		state := interims.judge(equal)[0]
		c["looks"] += float64(boolToInt(state.verdict == Equivalent))
		c["blocks"] += float64(state.ratio.N)
		c["once"] += float64(boolToInt(once.judge(equal)[0].verdict == Equivalent))
		apart := interims.judge([]blockSeries{differences(logs[2], logs[0])})[0]
		c["false"] += float64(boolToInt(apart.verdict == Equivalent))
	})
	o.line("\nTwo equal designs, one comparison, on a calm machine; in the last column two designs that differ by " +
		"exactly the\nmargin of 2%%:\n")
	o.head("error of a trial", "equivalent by 40 blocks at once", "equivalent by interim analyses",
		"mean number of blocks", "falsely equivalent by interim analyses")
	for i, c := range got {
		o.line("| %s | %.1f%% | %.1f%% | %.1f | %.1f%% |", all[i].name, c.share("once"), c.share("looks"),
			c["blocks"]/float64(*tries), c.share("false"))
		o.sharp(all[i].name+": falsely equivalent", c.share("false"), 2.5)
	}
}

// rareTrials: a fraction of the trials of one design is slow, so that it differs by more than the margin from one
// without any. If no block holds a slow trial, no test can find it.
func (o *table) rareTrials() {
	all := []machine{lopsided(0.005, 0.25, 0.09), lopsided(0.005, 0.15, 0.15), lopsided(0.005, 0.05, 0.45)}
	once, interims, early := DefaultCriteria("", nil), sequential(), sequential()
	early.Interims = &InterimPlan{interims.Interims.Blocks, 0, interims.Interims.Different, interims.Interims.planned}
	got := experiment(9, len(all), func(i int, r *rand.Rand, c tally) {
		logs := all[i].sweep(r, 40, []float64{0, 0})
		equivalent := func(j Criteria, blocks int) float64 {
			return float64(boolToInt(j.judge([]blockSeries{differences(logs[0][:blocks],
				logs[1][:blocks])})[0].verdict == Equivalent))
		}
		for _, blocks := range []int{10, 20, 40} {
			c[fmt.Sprint(blocks)] += equivalent(once, blocks)
		}
		c["looks"] += equivalent(interims, 40)
		c["early"] += equivalent(early, 40)
	})
	o.line("\nFalse equivalences: two designs differ by 2.2%% on average, because some trials of one are slow; an " +
		"error of 0.5%%\na trial:\n")
	o.head("machine", "10 blocks", "20 blocks", "40 blocks", "interim analyses",
		"interim analyses, if 10 blocks could decide")
	for i, c := range got {
		o.line("| %s | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% |", all[i].name, c.share("10"), c.share("20"),
			c.share("40"), c.share("looks"), c.share("early"))
	}
}
