package envtest

import (
	"fmt"
	"math"
	"testing"

	"github.com/brewput/brewput/env"
)

func randLaws(open func(t testing.TB, cfg Config) World) []law {
	return []law{
		simple("equal keys draw the same on every goroutine", drawsKeyed),
		{name: "a seed draws the same in every world", cfg: Config{Seed: 5}, test: func(b *bench) {
			first := firstDraws(b)
			want(b, "the draws of a second world", firstDraws(&bench{b.TB, open(b.TB, Config{Seed: 5})}), first)
			if firstDraws(&bench{b.TB, open(b.TB, Config{Seed: 6})}) == first {
				b.Error("two seeds draw the same")
			}
		}},
		simple("different keys draw differently", keysDiffer),
		simple("draws have the moments of their distribution", moments),
		simple("IntN is uniform", intNUniform),
	}
}

func firstDraws(b *bench) (draws [4]uint64) {
	b.run(func(e env.Env) {
		d := e.Rand().At(3, 1)
		for i := range draws {
			draws[i] = d.Uint64()
		}
	})
	return draws
}

func drawsKeyed(b *bench, e env.Env) {
	const requests = 50
	draw := func(e env.Env, request uint64) [3]float64 {
		d := e.Rand().At(request, 2)
		return [3]float64{d.Float64(), d.Norm(), d.LogNormal(1, 0.5)}
	}
	var forth, back [requests][3]float64
	g := e.Group()
	g.Go(e, "forth", func(e env.Env) {
		for i := range requests {
			forth[i] = draw(e, uint64(i))
		}
	})
	g.Go(e, "back", func(e env.Env) {
		for i := requests - 1; i >= 0; i-- {
			back[i] = draw(e, uint64(i))
		}
	})
	g.Wait()
	want(b, "the draws in the other order on another goroutine", back, forth)
	d := e.Rand().At(1, 1)
	again := d
	want(b, "the draw of a copy", again.Uint64(), d.Uint64())
}

func keysDiffer(b *bench, e env.Env) {
	seen := map[uint64]string{}
	for request := range uint64(60) {
		for stage := range uint64(20) {
			d := e.Rand().At(request, stage)
			for n := range 3 {
				v, key := d.Uint64(), fmt.Sprintf("(%d, %d) draw %d", request, stage, n)
				if other, ok := seen[v]; ok {
					b.Errorf("%s equals %s", key, other)
				}
				seen[v] = key
			}
		}
	}
}

// moments compares mean and variance with the distribution's, within 6 standard errors. The seed
// is fixed, so that a pass is a pass for ever.
func moments(b *bench, e env.Env) {
	const n = 20000
	logVariance := 0.25 // of LogNormal(3, 1/2): (3/2)^2 / 3^2
	for _, c := range []struct {
		name           string
		draw           func(d *env.Draws) float64
		mean, variance float64
		kurtosis       float64 // fourth central moment / variance^2: sets the error of the variance
		low            float64 // no draw is below
	}{
		{"Float64", (*env.Draws).Float64, 0.5, 1.0 / 12, 1.8, 0},
		{"Exp", (*env.Draws).Exp, 1, 1, 9, 0},
		{"Norm", (*env.Draws).Norm, 0, 1, 3, math.Inf(-1)},
		{"LogNormal", func(d *env.Draws) float64 { return d.LogNormal(3, 0.5) }, 3, 9 * logVariance,
			math.Pow(1+logVariance, 4) + 2*math.Pow(1+logVariance, 3) + 3*math.Pow(1+logVariance, 2) - 3, 0},
		{"IntN(7)", func(d *env.Draws) float64 { return float64(d.IntN(7)) }, 3, 4, 1.75, 0},
	} {
		var sum, squares float64
		for i := range n {
			d := e.Rand().At(uint64(i), 9)
			x := c.draw(&d)
			if x < c.low || math.IsNaN(x) || math.IsInf(x, 0) {
				b.Errorf("%s draws %v", c.name, x)
			}
			sum += x
			squares += (x - c.mean) * (x - c.mean)
		}
		if diff := math.Abs(sum/n - c.mean); diff > 6*math.Sqrt(c.variance/n) {
			b.Errorf("%s: the mean is %v, want %v", c.name, sum/n, c.mean)
		}
		if diff := math.Abs(squares/n - c.variance); diff > 6*c.variance*math.Sqrt((c.kurtosis-1)/n) {
			b.Errorf("%s: the variance is %v, want %v", c.name, squares/n, c.variance)
		}
	}
	d := e.Rand().At(0, 0)
	want(b, "a LogNormal without spread", d.LogNormal(3, 0), 3)
}

func intNUniform(b *bench, e env.Env) {
	for _, n := range []int{1, 2, 3, 10} {
		counts := make([]int, n)
		for i := range 1000 * n {
			d := e.Rand().At(uint64(i), uint64(n))
			counts[d.IntN(n)]++
		}
		if n > 1 {
			uniform(b, fmt.Sprintf("IntN(%d)", n), counts)
		}
	}
	d := e.Rand().At(0, 0)
	want(b, "a panic of IntN(0)", panics(func() { d.IntN(0) }), true)
}
