package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/brewput/brewput/internal/stat"
)

// sequential judges at the looks of a budget.
func sequential() Criteria {
	j := DefaultCriteria("", nil)
	j.Interims = usualLooks()
	return j
}

// margins: two designs at six points, six comparisons: at one point they are equal, at the other five one of
// them is ahead by exactly the margin. Where trials agree well at those and badly at the first, either kind
// of verdict may be wrong: a difference where there is none, or an equivalence of what is apart. Holm's
// method alone lets both add up.
func (o *table) margins() {
	all := []machine{{name: "0.2%", noise: 0.002}, {name: "0.4%", noise: 0.004}, {name: "0.8%", noise: 0.008}}
	once, looks := DefaultCriteria("", nil), sequential()
	got := experiment(4, len(all), func(i int, r *rand.Rand, c tally) {
		var long, short []series
		for k := range 6 {
			m, effect := all[i], math.Log(1+once.Margin)
			if k == 0 {
				m, effect = machine{noise: 0.05}, 0
			}
			logs := m.sweep(r, 40, []float64{effect, 0})
			long = append(long, differences(logs[0], logs[1]))
			short = append(short, differences(logs[0][:10], logs[1][:10]))
		}
		standings := once.judge(short)
		c["once"] += wrong(standings)
		c["Holm"] += wrong(byHolm(standings))
		c["looks"] += wrong(looks.judge(long))
	})
	o.line("\nTwo designs at six points: equal at one, with an error of 5%% a trial, apart by exactly the margin of " +
		"2%% at\nthe others; sweeps with any false verdict, a difference where there is none or an equivalence " +
		"where they are apart:\n")
	o.head("a trial's error at the others", "10 blocks", "looks", "10 blocks, Holm's method without "+
		"room for equivalence")
	for i, c := range got {
		o.line("| %s | %.1f%% | %.1f%% | %.1f%% |", all[i].name, c.share("once"), c.share("looks"), c.share("Holm"))
		o.sharp(all[i].name+": false", c.share("once"), 5)
		o.within(all[i].name+": false with looks", c.share("looks"), 0, 5)
	}
}

// wrong is 1 where a verdict is false: the first comparison is of equals, the others are apart.
func wrong(standings []standing) float64 {
	for i, s := range standings {
		if i == 0 && s.verdict == differs || i > 0 && s.verdict == Equivalent {
			return 1
		}
	}
	return 0
}

// byHolm decides again on differences by Holm's method without room for equivalence, and nothing else changed.
func byHolm(standings []standing) []standing {
	var ps []float64
	for i := range standings {
		ps = append(ps, standings[i].pDifferent())
	}
	other := slices.Clone(standings)
	for i, p := range stat.Holm(ps) {
		if s := &other[i]; p <= 0.05 && s.verdict == Undecided && s.agrees(0.05) {
			s.verdict = differs
		}
	}
	return other
}

// spread are n logarithms with the mean 0 and exactly this standard deviation, in an order that shows nothing: large
// and small ones alternate.
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

// detectable: a true ratio as large as the one called detectable, where the deviation is known, is found
// four times in five; in a family it is the only difference.
func (o *table) detectable() {
	const sigma = 0.03
	type situation struct {
		blocks, m int
		looks     bool
	}
	all := []situation{{10, 1, false}, {10, 5, false}, {15, 1, false}, {15, 5, false}, {20, 1, false}, {20, 5, false},
		{40, 1, false}, {40, 5, false}, {40, 1, true}, {40, 5, true}}
	once, looks := DefaultCriteria("", nil), sequential()
	once.Margin, looks.Margin = 0, 0
	got := experiment(5, len(all), func(i int, r *rand.Rand, c tally) {
		j, level := once, 0.05/float64(all[i].m)
		if all[i].looks {
			j = looks
			level = looks.Interims.planned.Level(level, 4)
		}
		known, _ := stat.PairOnly(spread(all[i].blocks, sigma))
		effect := math.Log(known.Detectable(1, level))
		family := make([]series, all[i].m)
		for k := range family {
			logs := make([]float64, all[i].blocks)
			for b := range logs {
				logs[b] = float64(2*(b%2) - 1) // no difference, at any look
				if k == 0 {
					logs[b] = effect + sigma*r.NormFloat64()
				}
			}
			family[k] = differences(logs, make([]float64, len(logs)))
		}
		c["found"] += float64(one(j.judge(family)[0].verdict == differs))
	})
	o.line("\nA true ratio as large as the one called detectable:\n")
	o.head("blocks", "one comparison", "five comparisons")
	for i := 0; i < len(all); i += 2 {
		name := fmt.Sprint(all[i].blocks)
		if all[i].looks {
			name = "up to 40, looks"
		}
		o.line("| %s | %.1f%% | %.1f%% |", name, got[i].share("found"), got[i+1].share("found"))
		o.within(name+" blocks: detectable found", got[i].share("found"), 78, 84)
		o.within(name+" blocks, 5 verdicts: detectable found", got[i+1].share("found"), 78, 84)
	}
}

// looks: one comparison whose true ratio lies three standard errors of 40 blocks from 1.
func (o *table) looks() {
	all := append(machines(), lopsided(0.02, 0.15, 0.15))
	once, looks := DefaultCriteria("", nil), sequential()
	once.Margin, looks.Margin = 0, 0
	got := experiment(6, len(all), func(i int, r *rand.Rand, c tally) {
		effect := 3 * all[i].deviation() / math.Sqrt(40)
		logs := all[i].sweep(r, 40, []float64{effect + all[i].bias(), 0})
		s := []series{differences(logs[0], logs[1])}
		standing := looks.judge(s)[0]
		low, high := standing.ratio.Interval(1 - standing.level(0.05))
		c["covers"] += float64(one(low <= math.Exp(effect) && math.Exp(effect) <= high))
		c["finds"] += float64(one(standing.verdict == differs))
		c["once"] += float64(one(once.judge(s)[0].verdict == differs))
		c["blocks"] += float64(standing.ratio.N)
	})
	o.line("\nLooks at one comparison, the true ratio three standard errors of 40 blocks from 1:\n")
	o.head("machine", "the interval holds it when the looks end", "found", "found by 40 blocks at once",
		"blocks until then, on average")
	for i, c := range got {
		o.line("| %s | %.1f%% | %.1f%% | %.1f%% | %.1f |", all[i].name, c.share("covers"), c.share("finds"),
			c.share("once"), c["blocks"]/float64(*tries))
		if !all[i].first {
			o.within(all[i].name+": covers with looks", c.share("covers"), 93.5, 100)
		}
	}
}

// equivalence: what the looks cost where two designs are equal, and how often designs that differ by just
// the margin are called equivalent: each side has half of alpha.
func (o *table) equivalence() {
	all := []machine{{name: "0.5%", noise: 0.005}, {name: "1%", noise: 0.01}, {name: "2%", noise: 0.02},
		{name: "3%", noise: 0.03}, {name: "4%", noise: 0.04}}
	once, looks := DefaultCriteria("", nil), sequential()
	got := experiment(7, len(all), func(i int, r *rand.Rand, c tally) {
		logs := all[i].sweep(r, 40, []float64{0, 0, math.Log(1.02)})
		equal := []series{differences(logs[1], logs[0])}
		standing := looks.judge(equal)[0]
		c["looks"] += float64(one(standing.verdict == Equivalent))
		c["blocks"] += float64(standing.ratio.N)
		c["once"] += float64(one(once.judge(equal)[0].verdict == Equivalent))
		c["false"] += float64(one(looks.judge([]series{differences(logs[2], logs[0])})[0].verdict == Equivalent))
	})
	o.line("\nTwo equal designs, one comparison, on a calm machine; and two that differ by exactly " +
		"the margin of 2%%:\n")
	o.head("a trial's error", "equivalent by 40 blocks at once", "equivalent by the looks",
		"blocks until then, on average", "2% apart: falsely equivalent by the looks")
	for i, c := range got {
		o.line("| %s | %.1f%% | %.1f%% | %.1f | %.1f%% |", all[i].name, c.share("once"), c.share("looks"),
			c["blocks"]/float64(*tries), c.share("false"))
		o.sharp(all[i].name+": falsely equivalent", c.share("false"), 2.5)
	}
}

// rareTrials: a design of which a share of the trials is slow, by so much that it is apart by more than the
// margin, beside one that has none. Where no block holds one of them, nothing can tell.
func (o *table) rareTrials() {
	all := []machine{lopsided(0.005, 0.25, 0.09), lopsided(0.005, 0.15, 0.15), lopsided(0.005, 0.05, 0.45)}
	once, looks, early := DefaultCriteria("", nil), sequential(), sequential()
	early.Interims = &InterimPlan{looks.Interims.Blocks, 0, looks.Interims.Different, looks.Interims.planned}
	got := experiment(9, len(all), func(i int, r *rand.Rand, c tally) {
		logs := all[i].sweep(r, 40, []float64{0, 0})
		equivalent := func(j Criteria, blocks int) float64 {
			return float64(one(j.judge([]series{differences(logs[0][:blocks],
				logs[1][:blocks])})[0].verdict == Equivalent))
		}
		for _, blocks := range []int{10, 20, 40} {
			c[fmt.Sprint(blocks)] += equivalent(once, blocks)
		}
		c["looks"] += equivalent(looks, 40)
		c["early"] += equivalent(early, 40)
	})
	o.line("\nTwo designs that are 2.2%% apart on average, because some trials of one of them are slow; an error of " +
		"0.5%% a trial;\nfalsely equivalent:\n")
	o.head("machine", "10 blocks", "20 blocks", "40 blocks", "looks", "looks, if the first could say so")
	for i, c := range got {
		o.line("| %s | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% |", all[i].name, c.share("10"), c.share("20"),
			c.share("40"), c.share("looks"), c.share("early"))
	}
}
