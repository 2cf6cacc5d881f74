package stat

import (
	"math"
	"slices"
)

// The tests below ask whether the order of blocks matters. Under the null hypothesis blocks are exchangeable,
// whatever their distribution and the dependence within a block. The p-value is therefore the fraction of
// permutations of the blocks whose statistic is at least the observed one.

// exactOrders is the largest number of blocks for which all permutations are tried: 7! is 5040.
const exactOrders = 7

// maxRandomOrders is the largest number of random permutations for more blocks. enoughHits is the number of those
// at least as extreme as the observed one after which sampling stops, because the p-value is large and known well
// enough (Besag and Clifford, Sequential Monte Carlo p-values, Biometrika 78(2), 1991).
const (
	maxRandomOrders = 20_000
	enoughHits      = 200
)

// Trend returns the least-squares slope of xs over their index, and its two-sided permutation p-value. Below 2
// values they are 0 and 1.
func Trend(xs []float64) (slope, p float64) {
	n := len(xs)
	if n < 2 {
		return 0, 1
	}

	mean, middle := Mean(xs), float64(n-1)/2
	statistic := func(order []int) float64 {
		sum := 0.0
		for i, at := range order {
			sum += (float64(i) - middle) * (xs[at] - mean)
		}
		return sum
	}

	squares := float64(n) * float64(n*n-1) / 12
	slope = statistic(identity(n)) / squares
	return slope, orderP(n, xs, func(order []int) float64 { return math.Abs(statistic(order)) })
}

// SerialCorrelation returns the correlation of neighbouring columns over rows of equal length and mean 0, and its
// one-sided permutation p-value. Missing values are 0. Below 3 columns, or without values, they are 0 and 1.
func SerialCorrelation(rows [][]float64) (correlation, p float64) {
	if len(rows) == 0 || len(rows[0]) < 3 {
		return 0, 1
	}

	n := len(rows[0])
	// products[i][j] is the sum over rows of the products of columns i and j.
	products := make([][]float64, n)
	total := 0.0
	for i := range products {
		products[i] = make([]float64, n)
		for j := range products[i] {
			for _, row := range rows {
				products[i][j] += row[i] * row[j]
			}
		}
		total += products[i][i]
	}

	if total == 0 {
		return 0, 1
	}

	statistic := func(order []int) float64 {
		sum := 0.0
		for i := 1; i < n; i++ {
			sum += products[order[i-1]][order[i]]
		}
		return sum
	}
	return statistic(identity(n)) / total, orderP(n, []float64{total}, statistic)
}

func identity(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// orderP returns the fraction of permutations of n whose statistic is at least that of the identity. scale holds
// numbers of the statistic's magnitude, to allow for rounding errors in ties.
func orderP(n int, scale []float64, statistic func(order []int) float64) float64 {
	order := identity(n)
	size := 0.0
	for _, x := range scale {
		size += math.Abs(x)
	}

	bound := statistic(order) - 1e-12*size*float64(n)
	// Few blocks: try every permutation.
	if n <= exactOrders {
		hits, all := 0, 0
		permute(order, n, func() {
			all++
			if statistic(order) >= bound {
				hits++
			}
		})
		return float64(hits) / float64(all)
	}

	// Many blocks: shuffle (Fisher-Yates) until the p-value is known well enough.
	hits, state := 0, uint64(n)
	for drawn := 1; drawn <= maxRandomOrders; drawn++ {
		for i := n - 1; i > 0; i-- {
			var j int
			j, state = randomIndex(i+1, state)
			order[i], order[j] = order[j], order[i]
		}
		if statistic(order) >= bound {
			if hits++; hits == enoughHits {
				return float64(hits) / float64(drawn)
			}
		}
	}
	return float64(hits+1) / (maxRandomOrders + 1)
}

// permute calls visit once with each permutation of the first n elements, and then restores the slice (Heap,
// Permutations by interchanges, The Computer Journal 6(3), 1963).
func permute(order []int, n int, visit func()) {
	saved := slices.Clone(order)
	heapPermute(order, n, visit)
	copy(order, saved)
}

func heapPermute(order []int, n int, visit func()) {
	if n <= 1 {
		visit()
		return
	}
	for i := range n - 1 {
		heapPermute(order, n-1, visit)
		if n%2 == 0 {
			order[i], order[n-1] = order[n-1], order[i]
		} else {
			order[0], order[n-1] = order[n-1], order[0]
		}
	}
	heapPermute(order, n-1, visit)
}
