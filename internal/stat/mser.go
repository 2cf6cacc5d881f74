package stat

// MSER is where the initial transient of a series ends: the number of leading values whose removal makes the
// squared standard error of the mean of the others least, ssq/(n-d)^2, the fewest of several (White: An
// effective truncation heuristic for bias reduction in simulation output, Simulation 69(6), 1997). The values
// are means of equally many successive observations each; of five, in MSER-5 (White, Cobb, Spratt: A comparison
// of five steady-state truncation heuristics for simulation, Winter Simulation Conference 2000).
//
// settled is false where the least is in the second half: the series is then too short to say. The last
// minRest values are no rest to judge by: few happen to be alike. A series that short is not settled.
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
