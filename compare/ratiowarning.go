package compare

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// RatioWarnings warn where the ratios of neighbouring blocks resemble each other in some comparison, by more than
// chance gives in all of them: what verdicts are made of depends on the order of the blocks, although levels may not.
// The test is [stat.Serial] of each comparison, at orderAlpha shared by all. In virtual time nothing disturbs.
func (j Criteria) RatioWarnings(rows []Row, trials []result.Trial) []Warning {
	if len(trials) == 0 || trials[0].World == result.Virtual {
		return nil
	}
	pairs, all := j.comparisons(rows, trials)
	found, worst, least := 0, 0, 1.0
	for i := range all {
		r, ok := centredRatios(&all[i])
		if !ok {
			continue
		}
		if _, p := stat.SerialCorrelation([][]float64{r}); p <= orderAlpha/float64(len(all)) {
			if found++; p < least {
				worst, least = i, p
			}
		}
	}
	if found == 0 {
		return nil
	}
	c, _, _ := all[worst].comparison(len(all[worst].logs))
	order, a, b := c.Order(), pairs[worst][0], pairs[worst][1]
	w, _ := warn(WarnRatios, order.Correlation, orderAlpha/float64(len(all)),
		"the ratios of neighbouring blocks resemble each other in %d of %d comparisons, most in %s and %s "+
			"(correlation %.2f, p = %.2g): something slows one design for several blocks, and the intervals of these "+
			"comparisons are widened for it; stop what else runs, or measure more blocks",
		found, len(all), rowName(a, b), rowName(b, a), order.Correlation, least)
	w.Workload, w.P = trials[0].Workload, result.Value(least)
	return []Warning{w}
}

// named is a row in a sentence beside another: a design, with its point where the other is at another one.
func rowName(r, other *Row) string {
	if r.Point.String() == other.Point.String() {
		return r.Design
	}
	return fmt.Sprintf("%s (%s)", r.Design, r.Point)
}

// centredRatios are the logarithms of a comparison's ratios less their mean; ok is false below leastForOrder blocks, or
// where they do not vary.
func centredRatios(s *blockSeries) (logs []float64, ok bool) {
	if s.layouts > 1 {
		return nil, false
	}
	for _, x := range s.logs {
		if !math.IsNaN(x) {
			logs = append(logs, x)
		}
	}
	mean, squares := stat.Mean(logs), 0.0
	for i := range logs {
		logs[i] -= mean
		squares += logs[i] * logs[i]
	}
	return logs, len(logs) >= minBlocksOrder && squares > minVariance*float64(len(logs)-1)
}
