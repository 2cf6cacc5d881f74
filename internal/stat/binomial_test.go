package stat

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/internal/seeded"
)

func TestMain(m *testing.M) {
	seeded.Fix()
	m.Run()
}

// TestBinomialTail: the values are sums of fractions.
func TestBinomialTail(t *testing.T) {
	for _, x := range []struct {
		k, n    int
		p, want float64
	}{
		{1, 3, 0.25, 0.578125}, // 1 - (3/4)^3
		{10, 10, 0.5, 0.0009765625},
		{5, 20, 0.05, 0.0025739403346522814},
		{4, 20, 0.05, 0.01590152601976356},
		{10, 200, 0.05, 0.5452901913191807},
		{18, 200, 0.05, 0.012089443730889564},
		{19, 200, 0.05, 0.005823557967790665},
		{30, 200, 0.05, 8.709270943979996e-08},
		{140, 2000, 0.05, 5.928320101826234e-05},
		{0, 5, 0.3, 1},
		{6, 5, 0.3, 0},
		{1, 5, 0, 0},
		{5, 5, 1, 1},
	} {
		if got := BinomialTail(x.k, x.n, x.p); !near(got, x.want, 1e-10) {
			t.Errorf("P(X >= %d) of %d at %v is %v, want %v", x.k, x.n, x.p, got, x.want)
		}
	}
	for _, bad := range []float64{BinomialTail(1, -1, 0.5), BinomialTail(1, 2, -0.1), BinomialTail(1, 2, 1.1),
		BinomialTail(1, 2, math.NaN())} {
		if !math.IsNaN(bad) {
			t.Errorf("of nothing sensible: %v", bad)
		}
	}
}

// TestBinomialTailIsTheSum compares with the sum of the terms in integers: p is a multiple of 1/64.
func TestBinomialTailIsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		num := rapid.Int64Range(1, 63).Draw(t, "64ths")
		sum := new(big.Int)
		for i := k; i <= n; i++ {
			term := new(big.Int).Binomial(int64(n), int64(i))
			term.Mul(term, new(big.Int).Exp(big.NewInt(num), big.NewInt(int64(i)), nil))
			term.Mul(term, new(big.Int).Exp(big.NewInt(64-num), big.NewInt(int64(n-i)), nil))
			sum.Add(sum, term)
		}
		all := new(big.Int).Exp(big.NewInt(64), big.NewInt(int64(n)), nil)
		want, _ := new(big.Rat).SetFrac(sum, all).Float64()
		if got := BinomialTail(k, n, float64(num)/64); math.Abs(got-want) > 1e-9*want+1e-300 {
			t.Fatalf("P(X >= %d) of %d at %d/64 is %v, want %v", k, n, num, got, want)
		}
	})
}

// TestWilson: values from published tables.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 0, 0, 1}, {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605},
	} {
		if low, high := WilsonInterval(c.k, c.n); math.Abs(low-c.low) > 1e-4 || math.Abs(high-c.high) > 1e-4 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}
