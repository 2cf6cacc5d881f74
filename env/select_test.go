package env

import (
	"math"
	"testing"
)

// TestShuffled counts all orders of n cases. The chi-square statistic of k degrees of freedom exceeds
// k + 2 sqrt(k x) + 2x with a probability of at most e^-x (Laurent and Massart, Annals of Statistics
// 28(5), 2000, lemma 1); x = 25 makes that 1.4e-11.
func TestShuffled(t *testing.T) {
	for n := 1; n <= 5; n++ {
		orders := 1
		for k := range n {
			orders *= k + 1
		}
		const each = 400
		counts := map[uint64]int{}
		for range each * orders {
			counts[shuffled(n)&(1<<(8*n)-1)]++
		}
		if len(counts) != orders {
			t.Errorf("%d cases: %d orders, want %d", n, len(counts), orders)
		}
		sum := 0.0
		for order, c := range counts {
			isPermutation(t, order, n)
			sum += float64((c-each)*(c-each)) / each
		}
		k, x := float64(orders-1), 25.0
		if limit := k + 2*math.Sqrt(k*x) + 2*x; sum > limit {
			t.Errorf("%d cases: chi-square %.0f > %.0f: %v", n, sum, limit, counts)
		}
	}
	for n := 6; n <= maxInline; n++ {
		for range 1000 {
			isPermutation(t, shuffled(n), n)
		}
	}
}

func isPermutation(t *testing.T, order uint64, n int) {
	t.Helper()
	seen := 0
	for k := range n {
		seen |= 1 << (order >> (8 * k) & 0xff)
	}
	if seen != 1<<n-1 {
		t.Fatalf("%#x is no order of %d cases", order, n)
	}
}

// TestShuffledEight counts where each of 8 cases comes, which needs all of the random bits.
func TestShuffledEight(t *testing.T) {
	const each = 2000
	var counts [8][8]int
	for range 8 * each {
		order := shuffled(8)
		for place := range 8 {
			counts[place][order>>(8*place)&0xff]++
		}
	}
	for place := range counts {
		for i, c := range counts[place] {
			// The standard deviation is 42; 8 of them have a probability of 1e-15.
			if math.Abs(float64(c-each)) > 8*42 {
				t.Errorf("case %d comes at place %d %d times, want about %d", i, place, c, each)
			}
		}
	}
}
