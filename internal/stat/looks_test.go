package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// obrien and pocock are the spending functions of Lan and DeMets (1983) that are like the bounds of
// O'Brien and Fleming and of Pocock, two-sided.
func obrien(alpha, t float64) float64 { return 4 * tail(bound(alpha/2)/math.Sqrt(t)) }

func pocock(alpha, t float64) float64 { return alpha * math.Log(1+(math.E-1)*t) }

// TestPublishedBounds: the bounds of five equally spaced looks at 5 % two-sided, as published (Reboussin,
// DeMets, Kim and Lan: Computations for group sequential boundaries using the Lan-DeMets spending
// function method, Controlled Clinical Trials 21(3), 2000).
func TestPublishedBounds(t *testing.T) {
	fifths := []float64{0.2, 0.4, 0.6, 0.8, 1}
	for name, c := range map[string]struct {
		spend Spending
		want  []float64
	}{
		"O'Brien-Fleming": {obrien, []float64{4.8769, 3.3569, 2.6803, 2.2898, 2.0310}},
		"Pocock":          {pocock, []float64{2.4380, 2.4268, 2.4101, 2.3966, 2.3859}},
	} {
		for k, level := range Levels(c.spend, 0.05, fifths) {
			if got := bound(level); math.Abs(got-c.want[k]) > 0.00015 {
				t.Errorf("%s, look %d: bound %.4f, published %.4f", name, k+1, got, c.want[k])
			}
		}
	}
}

func BenchmarkNewLooks(b *testing.B) {
	for b.Loop() {
		NewLooks(Square, []float64{0.25, 0.375, 0.5, 0.75, 1})
	}
}

// TestLevelsSpend walks Brownian motions through random looks: what leaves is what was to be spent.
func TestLevelsSpend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ts []float64
		for k := 1 + rapid.IntRange(0, 7).Draw(t, "first"); k <= 40; k += rapid.IntRange(1, 15).Draw(t, "step") {
			ts = append(ts, float64(k)/40)
		}
		alpha := rapid.Float64Range(0.01, 0.5).Draw(t, "alpha")
		spend := rapid.SampledFrom([]Spending{Square, obrien, pocock}).Draw(t, "spending")
		levels := Levels(spend, alpha, ts)
		r := rand.New(rand.NewPCG(1, 2))
		const walks = 20_000
		crossed := 0
		for range walks {
			x, before := 0.0, 0.0
			for k, at := range ts {
				x += math.Sqrt(at-before) * r.NormFloat64()
				before = at
				if 2*tail(math.Abs(x)/math.Sqrt(at)) <= levels[k] {
					crossed++
					break
				}
			}
		}
		want := spend(alpha, ts[len(ts)-1])
		got := float64(crossed) / walks
		if math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/walks)+1e-4 {
			t.Fatalf("looks at %v: %.4f crossed, %.4f was to be spent", ts, got, want)
		}
	})
}

// TestLooks: the table gives what Levels gives; levels rise with alpha, so that P is what it says.
func TestLooks(t *testing.T) {
	shares := []float64{0.25, 0.375, 0.5, 0.75, 1}
	l := NewLooks(Square, shares)
	rapid.Check(t, func(t *rapid.T) {
		alpha := math.Exp(rapid.Float64Range(math.Log(1e-11), math.Log(0.9)).Draw(t, "log alpha"))
		off := 1e-3
		if alpha > 0.2 {
			off = 1e-2
		}
		for k, want := range Levels(Square, alpha, shares) {
			if got := l.Level(alpha, k); !near(got, want, off) {
				t.Fatalf("alpha %v, look %d: level %v, want %v", alpha, k, got, want)
			}
			ps := []float64{1, 1, 1, 1, 1}[:k+1]
			ps[k] = l.Level(alpha, k)
			if got := l.P(ps); !near(got, alpha, 1e-9) {
				t.Fatalf("alpha %v, look %d: p %v", alpha, k, got)
			}
			if l.Level(alpha*1.01, k) <= ps[k] {
				t.Fatalf("alpha %v, look %d: a larger alpha has no higher level", alpha, k)
			}
		}
	})
	for _, c := range []struct {
		ps   []float64
		want float64
	}{
		{nil, 1}, {[]float64{0.9, 0.9}, 1}, {[]float64{0, 1}, 0},
		{[]float64{1e-20}, 1e-20 / 0.0625}, // far out the first look has its share t^2 of alpha
	} {
		if got := l.P(c.ps); !near(got, c.want, 1e-3) && got != c.want {
			t.Errorf("p-values %v over the looks: %v, want %v", c.ps, got, c.want)
		}
	}
	if got := l.Spent(0.05, 2); got != 0.0125 {
		t.Errorf("spent %v at the third look", got)
	}
}
