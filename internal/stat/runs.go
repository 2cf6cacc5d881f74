package stat

import "math"

// Runs compares by runs of one design each, several of a, of b or of both, of which these are the logarithms of the
// blocks. Blocks of one run are alike in what their run is like: its start, its memory, the machine at that time. So
// the run is the replicate: Student's t on the means of the runs, with one standard deviation between runs for both
// sides and as many degrees of freedom as there are runs, less two (a nested design; Montgomery: Design and Analysis of
// Experiments, 8th edition, 2013, section 14.1). It assumes that the runs of both sides spread alike. The means vary at
// least as much as the blocks within runs make them. ok is false below 3 runs with a block, or where a side has none.
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
	within := (withinA + withinB) / (1/na + 1/nb) // the variance of a run's mean, if runs differed in nothing else
	residual := math.Sqrt(max(squares/(na+nb-2), within))
	c = newComparison(Mean(meansA)-Mean(meansB), group{logs: meansA, residual: residual},
		group{logs: meansB, residual: residual})
	c.runs = true
	c.Low, c.High = c.Interval(confidence)
	return c, true
}

// meansOf are the means of the runs that have a block, and the variance of their mean by the blocks within runs.
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
