package stat

import (
	"math"
	"slices"
)

// The tests below ask whether the order of blocks matters. Under their hypothesis it does not: blocks
// are exchangeable, whatever their distribution, and however the rows of one block depend on each other.
// So the p-value is the share of the orders of the blocks whose statistic is at least the one observed.

// exactOrders is the largest number of blocks whose orders are all tried: 7! is 5040.
const exactOrders = 7

// orders is the largest number of random orders beyond it, and enoughHits the number of those as extreme
// as the one observed after which no more are drawn: the p-value is then large and known well enough
// (Besag and Clifford, Sequential Monte Carlo p-values, Biometrika 78(2), 1991).
const (
	maxRandomOrders = 20_000
	enoughHits      = 200
)

// Trend is the least-squares slope of xs along their index, and the two-sided p-value of the hypothesis
// that their order does not matter. With fewer than 2 it is 0, with a p-value of 1.
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

// Serial is the correlation of neighbours in rows of equal length, each of mean 0, and the p-value of
// the hypothesis that the order of the columns does not matter, against a correlation above it. A value
// that is missing is 0. With fewer than 3 columns, or no value, it is 0, with a p-value of 1.
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

// orderP is the share of the orders of n whose statistic is at least that of the identity. scale are
// numbers of its size, for what rounding may do to a tie.
func orderP(n int, scale []float64, statistic func(order []int) float64) float64 {
	order := identity(n)
	size := 0.0
	for _, x := range scale {
		size += math.Abs(x)
	}
	bound := statistic(order) - 1e-12*size*float64(n)
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

// permute calls visit with each order of the first n elements once (Heap, Permutations by interchanges,
// The Computer Journal 6(3), 1963), and leaves the slice as it was.
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
