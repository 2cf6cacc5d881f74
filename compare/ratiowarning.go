package compare

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// RatioWarnings warns if the ratios of neighbouring blocks are correlated in some comparison. Verdicts depend on
// ratios, whose order can matter even if that of levels does not. The test is [stat.SerialCorrelation] of each
// comparison, with orderAlpha divided among all. Virtual time has no disturbances.
func (c Criteria) RatioWarnings(rows []Row, trials []result.Trial) []Warning {
	if len(trials) == 0 || trials[0].World == result.Virtual {
		return nil
	}

	pairs, all := c.comparisons(rows, trials)
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

	// The text names the comparison with the strongest evidence.
	ratio, _, _ := all[worst].comparison(len(all[worst].logs))
	order, a, b := ratio.Order(), pairs[worst][0], pairs[worst][1]
	w, _ := warn(WarnRatios, order.Correlation, orderAlpha/float64(len(all)),
		"ratios of neighbouring blocks are correlated in %d of %d comparisons, most in %s and %s (correlation %.2f, "+
			"p = %.2g), so their intervals are widened: stop other programs, or measure more blocks",
		found, len(all), rowName(a, b), rowName(b, a), order.Correlation, least)

	w.Workload, w.P = trials[0].Workload, result.Value(least)
	return []Warning{w}
}

// rowName names a row for a sentence with another row: the design, with its point if the points differ.
func rowName(r, other *Row) string {
	if r.Point.Equal(other.Point) {
		return r.Design
	}
	return fmt.Sprintf("%s (%s)", r.Design, r.Point)
}

// centredRatios returns the centred logarithms of a comparison's ratios. ok is false below minBlocksOrder blocks,
// or if they do not vary.
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
