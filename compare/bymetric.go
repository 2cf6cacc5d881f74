package compare

import (
	"fmt"
	"maps"
	"slices"

	"github.com/brewput/brewput/result"
)

// MetricVerdicts are the verdicts by one metric of benchmarks. They are one family.
type MetricVerdicts struct {
	Metric string
	Groups []MetricGroup
}

// MetricGroup are the benchmarks at two levels of a factor, or of two revisions or files, with one geometric mean.
type MetricGroup struct {
	Sides          []Sides
	Verdicts       []Verdict // at least one
	Geomean        result.Value
	GeoLow, GeoTop result.Value // its 95 % confidence interval
	N              int          // ratios behind the geometric mean
}

// ByMetric compares the sides of benchmarks by every metric that both have, except those that follow from time.
// declared are the metrics' own directions; see [Declared].
func (j Criteria) ByMetric(sides []Sides, declared map[string]string) []MetricVerdicts {
	if len(sides) == 0 {
		return nil
	}
	var rows []Row
	for _, s := range sides {
		rows = append(rows, *s.A, *s.B)
	}
	var list []MetricVerdicts
	groups := ByLevels(sides)
	metrics := []string{result.TimePerOp, result.AllocedPerOp, result.AllocsPerOp}
	for _, metric := range append(metrics, OwnMetrics(rows)...) {
		m := MetricVerdicts{Metric: metric}
		of := map[string][]Verdict{}
		for _, v := range j.MetricVerdicts(sides, metric, Direction(metric, declared)) {
			of[v.Contrast()] = append(of[v.Contrast()], v)
		}
		for _, group := range groups {
			g := MetricGroup{Sides: group, Verdicts: of[group[0].Contrast()]}
			g.Geomean, g.GeoLow, g.GeoTop, g.N = j.Geomean(group, metric)
			if len(g.Verdicts) > 0 {
				m.Groups = append(m.Groups, g)
			}
		}
		if len(m.Groups) > 0 {
			list = append(list, m)
		}
	}
	return list
}

// OwnMetrics are the metrics that benchmarks themselves report, in the order of their names.
func OwnMetrics(rows []Row) []string {
	var names []string
	for i := range rows {
		names = append(names, slices.Collect(maps.Keys(rows[i].Metrics))...)
	}
	return result.CustomMetrics(names)
}

// Declared are the directions that benchmarks declare of their own metrics, "higher" or "lower" by metric, as they
// stand in the answers of trials, stored or not.
func Declared(trials []result.Trial) map[string]string {
	all := map[string]string{}
	for _, t := range trials {
		answer, _ := t.Answer.(map[string]any)
		switch better := answer["better"].(type) {
		case map[string]any: // read back
			for unit, word := range better {
				all[unit] = fmt.Sprint(word)
			}
		case map[string]string:
			maps.Copy(all, better)
		}
	}
	return all
}
