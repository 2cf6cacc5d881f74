package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMSER(t *testing.T) {
	steady := func(n int) []float64 { return make([]float64, n) }
	ramp := func(n, high int) []float64 { // high values that fall to 0 and stay there
		xs := make([]float64, n)
		for i := range high {
			xs[i] = float64(high - i)
		}
		return xs
	}
	for _, test := range []struct {
		name    string
		xs      []float64
		n       int
		settled bool
	}{
		{"empty", nil, 0, false},
		{"too short", steady(4), 0, false},
		{"steady", steady(100), 0, true},
		{"a transient", ramp(100, 20), 20, true},
		{"half", ramp(100, 50), 50, true},
		{"more than half", ramp(100, 51), 51, false},
		// and not 12
		{"alike at the end by chance", append([]float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}, 7, 7), 7, true},
	} {
		n, settled := MSER(test.xs)
		if n != test.n || settled != test.settled {
			t.Errorf("%s: MSER = %d, %v, want %d, %v", test.name, n, settled, test.n, test.settled)
		}
	}
}

// TestMSERDefinition compares with the definition, computed for each truncation.
func TestMSERDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		xs := make([]float64, 10+r.IntN(90))
		level := 0.0
		for i := range xs {
			level = 0.9*level + r.NormFloat64()
			xs[i] = level + 20*math.Exp(-float64(i)/10)
		}
		best, want := math.Inf(1), 0
		for d := 0; d <= len(xs)-minRest; d++ {
			mean, ssq := Mean(xs[d:]), 0.0
			for _, x := range xs[d:] {
				ssq += (x - mean) * (x - mean)
			}
			if v := ssq / math.Pow(float64(len(xs)-d), 2); v < best {
				best, want = v, d
			}
		}
		if n, _ := MSER(xs); n != want {
			t.Errorf("MSER = %d, by definition %d of %d", n, want, len(xs))
		}
	}
}

func TestMeanInterval(t *testing.T) {
	// Student's own example (Biometrika 6, 1908): ten differences of hours of sleep, mean 1.58, s 1.2299.
	xs := []float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}
	mean, low, high := MeanInterval(xs, 0.95)
	for _, v := range []struct{ got, want float64 }{{mean, 1.58}, {low, 0.7001}, {high, 2.4599}} {
		if math.Abs(v.got-v.want) > 5e-4 {
			t.Errorf("got %v, want %v", v.got, v.want)
		}
	}
	if _, low, high := MeanInterval(xs[:1], 0.95); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("of one value: %v to %v, want none", low, high)
	}
}
