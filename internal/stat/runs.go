package stat

import "math"

// CompareRuns compares by runs, several of a, of b or of both. a and b hold the logarithms of the blocks of each
// run. Blocks of one run share its start, its memory and the state of the machine, so the run is the replicate (a
// nested design; Montgomery: Design and Analysis of Experiments, 8th edition, 2013, section 14.1).
//
// It uses Student's t on the means of the runs, with a common standard deviation and two degrees of freedom less
// than there are runs. It assumes that runs of both sides have the same variance, which is at least that implied by
// the blocks within runs. ok is false below 3 runs with blocks, or if a side has none.
func CompareRuns(a, b [][]float64, confidence float64) (c Comparison, ok bool) {
	meansA, withinA := runMeans(a)
	meansB, withinB := runMeans(b)
	na, nb := float64(len(meansA)), float64(len(meansB))
	if min(na, nb) < 1 || na+nb < 3 {
		return Comparison{N: int(min(na, nb))}, false
	}

	squares := 0.0
	for _, means := range [][]float64{meansA, meansB} {
		middle := Mean(means)
		for _, x := range means {
			squares += (x - middle) * (x - middle)
		}
	}

	within := (withinA + withinB) / (1/na + 1/nb) // the variance of a run's mean if runs did not differ
	residual := math.Sqrt(max(squares/(na+nb-2), within))
	c = newComparison(Mean(meansA)-Mean(meansB), group{logs: meansA, residual: residual},
		group{logs: meansB, residual: residual})
	c.runs = true
	c.Low, c.High = c.Interval(confidence)
	return c, true
}

// runMeans returns the means of the runs that have blocks, and the variance of the mean of these implied by the
// blocks within runs.
func runMeans(runs [][]float64) (means []float64, within float64) {
	for _, logs := range runs {
		if len(logs) == 0 {
			continue
		}
		means = append(means, Mean(logs))
		if len(logs) > 1 {
			g := newGroup(logs)
			within += g.residual * g.residual * g.widened() * g.widened() / float64(len(logs))
		}
	}
	return means, within / float64(len(means)*len(means))
}
