package stat

// MSER returns n, the number of leading values that belong to the initial transient of a series. Removing them
// minimizes the squared standard error of the mean of the rest, ssq/(n-d)^2; of several minima, the smallest n
// (White: An effective truncation heuristic for bias reduction in simulation output, Simulation 69(6), 1997).
// Values are means of equally many successive observations; of five in MSER-5 (White, Cobb, Spratt: A comparison of
// five steady-state truncation heuristics for simulation, Winter Simulation Conference 2000).
//
// settled is false if the minimum is in the second half, because the series is then too short to decide. The last
// minRest values never form the rest, because a few values can be equal by chance. A series of fewer values is not
// settled.
func MSER(xs []float64) (n int, settled bool) {
	best, mean, ssq := -1.0, 0.0, 0.0
	for d := len(xs) - 1; d >= 0; d-- { // Welford's update, from the end
		rest := float64(len(xs) - d)
		delta := xs[d] - mean
		mean += delta / rest
		ssq += delta * (xs[d] - mean)
		if len(xs)-d < minRest {
			continue
		}
		if mser := ssq / (rest * rest); best < 0 || mser <= best {
			best, n = mser, d
		}
	}
	return n, best >= 0 && 2*n <= len(xs)
}

const minRest = 5
