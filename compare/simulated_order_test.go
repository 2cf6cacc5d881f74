package compare

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/brewput/brewput/internal/stat"
)

// ratioNoise is the standard deviation of the logarithm of the ratio of two trials with an error of 2% each.
const ratioNoise = 0.02 * math.Sqrt2

// noise disturbs the ratios of two equal designs, block by block.
type noise struct {
	name string
	// The largest rates of false differences, in percent: from 20 blocks on, with fewer, and for any number with
	// the usual margin, if that is less; 0 if nothing is promised.
	most, few, usual float64
	draw             func(r *rand.Rand, n int) []float64
}

// limit returns the largest rate for n blocks.
func (x noise) limit(n int, margin float64) float64 {
	switch {
	case margin > 0 && x.usual > 0:
		return x.usual
	case n < 20:
		return x.few
	}
	return x.most
}

// noises are those of the manual's table. Nothing is promised if one phase is longer than a third of 20 blocks, nor
// below 20 blocks if noise lasts. Independent noise is held to 6% everywhere except for a tail of one design below
// 20 blocks; see [table.bound]. The last noise has so large a tail that the usual margin helps little.
func noises() []noise {
	return []noise{
		{"independent, normal", 6, 6, 0, autoregressive(0)},
		{"independent, Student's t with 2 degrees of freedom", 6, 6, 0, heavy},
		{"independent, one design has an exponential tail", 6, 9, 3.5, exponential(0.02)},
		{"AR(1), 0.3", 8, 0, 0, autoregressive(0.3)},
		{"AR(1), 0.5", 10, 0, 0, autoregressive(0.5)},
		{"phases of 3 blocks hit one design by 6%", 10, 0, 0, phases(3)},
		{"phases of 8 blocks hit one design by 6%", 0, 0, 0, phases(8)},
		{"independent, one design has an exponential tail, half as large again", 6, 9, 0, exponential(0.03)},
	}
}

// autoregressive noise keeps a fraction of its value in the block before.
func autoregressive(share float64) func(r *rand.Rand, n int) []float64 {
	return func(r *rand.Rand, n int) []float64 {
		xs := make([]float64, n)
		x := r.NormFloat64()
		for i := range xs {
			xs[i] = ratioNoise * x
			x = share*x + math.Sqrt(1-share*share)*r.NormFloat64()
		}
		return xs
	}
}

// phases of a given number of blocks make either design 6% slow with the same probability. The first phase may have
// begun before the run.
func phases(length int) func(r *rand.Rand, n int) []float64 {
	return func(r *rand.Rand, n int) []float64 {
		xs := make([]float64, n)
		begun, hit := r.IntN(length), 0.06
		for i := range xs {
			if (i+begun)%length == 0 || i == 0 {
				hit = math.Copysign(hit, float64(r.IntN(2))-0.5)
			}
			xs[i] = hit + ratioNoise*r.NormFloat64()
		}
		return xs
	}
}

// exponential noise: one design has an exponential error with the mean 0 and this standard deviation, the other a
// normal error of a quarter of it.
func exponential(scale float64) func(r *rand.Rand, n int) []float64 {
	return func(r *rand.Rand, n int) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = scale*(r.ExpFloat64()-1) + scale/4*r.NormFloat64()
		}
		return xs
	}
}

func heavy(r *rand.Rand, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = ratioNoise * r.NormFloat64() / math.Sqrt(r.ExpFloat64())
	}
	return xs
}

// seriesOf returns a comparison whose blocks all have values.
func seriesOf(logs []float64) blockSeries { return differences(logs, make([]float64, len(logs))) }

// orders: false differences between equal designs with correlated ratios, by the number of blocks and at the
// interim analyses of a budget. Once without a margin, which would end comparisons early, so that every possible
// error occurs, and once with the usual one.
func (o *table) orders() {
	counts := []int{6, 10, 15, 20, 30, 40}
	for _, margin := range []float64{0, 0.02} {
		all := noises()
		once, interims := DefaultCriteria("", nil), sequential()
		once.Margin, interims.Margin = margin, margin
		got := experiment(11, len(all), func(i int, r *rand.Rand, c tally) {
			logs := all[i].draw(r, 40)
			for _, n := range counts {
				state := once.judge([]blockSeries{seriesOf(logs[:n])})[0]
				c[fmt.Sprint(n)] += float64(boolToInt(state.verdict == differs))
			}
			c["looks"] += float64(boolToInt(interims.judge([]blockSeries{seriesOf(logs)})[0].verdict == differs))
			plain, _ := stat.ComparePairedUnordered(logs[:20], ratioConfidence)
			c["plain"] += float64(boolToInt(plain.P() <= 0.05 && plain.EquivalenceP(margin) > 0.05))
		})
		o.line("\nFalse differences: two equal designs, one comparison, %s:\n",
			map[bool]string{true: "no margin", false: "the usual margin of 2%"}[margin == 0])
		o.falseByOrder(all, counts, got, margin)
	}
}

// falseByOrder is a table of [table.orders].
func (o *table) falseByOrder(all []noise, counts []int, got []tally, margin float64) {
	o.head("noise of the ratio", "6 blocks", "10 blocks", "15 blocks", "20 blocks", "30 blocks", "40 blocks",
		"interim analyses",
		"20 blocks, Student's t alone")
	for i, c := range got {
		text := "| " + all[i].name + " |"
		for _, n := range counts {
			name := fmt.Sprint(n)
			text += fmt.Sprintf(" %.1f%% |", c.share(name))
			if most := all[i].limit(n, margin); most > 0 {
				o.within(fmt.Sprintf("%s, %d blocks, margin %v: false", all[i].name, n, margin), c.share(name), 0, most)
			}
		}
		o.line("%s %.1f%% | %.1f%% |", text, c.share("looks"), c.share("plain"))
		if most := all[i].limit(40, margin); most > 0 {
			o.within(fmt.Sprintf("%s, interim analyses, margin %v: false", all[i].name, margin), c.share("looks"), 0,
				most)
		}
	}
}

// price: the number of blocks with which Student's t alone would have the same power for independent ratios.
func (o *table) price() {
	type situation struct{ blocks, most int }
	all := []situation{{10, 5}, {15, 20}, {20, 20}, {30, 20}, {40, 20}}
	once := DefaultCriteria("", nil)
	once.Margin = 0
	got := experiment(12, len(all), func(i int, r *rand.Rand, c tally) {
		n := all[i].blocks
		effect := 2.9 * ratioNoise / math.Sqrt(float64(n))
		logs := autoregressive(0)(r, n)
		for b := range logs {
			logs[b] += effect
		}
		s := once.judge([]blockSeries{seriesOf(logs)})[0]
		c["found"] += float64(boolToInt(s.verdict == differs))
		c["widened"] += float64(boolToInt(s.ratio.Order().Dependent))
		for less := range 6 {
			plain, _ := stat.ComparePairedUnordered(logs[:n-less], ratioConfidence)
			c[fmt.Sprint("plain", less)] += float64(boolToInt(plain.P() <= 0.05 && plain.Permutation() <= 0.05))
		}
	})
	o.line("\nCost of this test if ratios are independent; Student's t alone finds the true ratio four times in " +
		"five:\n")
	o.head("blocks", "intervals widened", "found", "found by Student's t alone",
		"blocks with which Student's t alone finds as much")
	for i, c := range got {
		worth := float64(all[i].blocks)
		for less := range 5 {
			high, low := c[fmt.Sprint("plain", less)], c[fmt.Sprint("plain", less+1)]
			if c["found"] <= high && high > low {
				worth = float64(all[i].blocks-less) - min(1, (high-c["found"])/(high-low))
			}
		}
		o.line("| %d | %.1f%% | %.1f%% | %.1f%% | %.1f |", all[i].blocks, c.share("widened"), c.share("found"),
			c.share("plain0"), worth)
		if *tries >= dataSets {
			o.within(fmt.Sprint(all[i].blocks, " blocks: more than Student's t alone, in per cent"),
				100*(float64(all[i].blocks)/worth-1), 0, float64(all[i].most))
		}
	}
}
