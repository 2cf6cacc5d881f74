package compare

import (
	"fmt"
	"maps"
	"slices"

	"github.com/brewput/brewput/result"
)

// MetricVerdicts holds the verdicts on one metric. They are one family.
type MetricVerdicts struct {
	Metric string
	Groups []MetricGroup
}

// MetricGroup holds pairs of benchmarks that differ in the same settings, such as two levels of a factor or two
// revisions, with their geometric mean.
type MetricGroup struct {
	Pairs           []Pair
	Verdicts        []Verdict // at least one
	Geomean         result.Value
	GeoLow, GeoHigh result.Value // its 95% confidence interval
	N               int          // number of ratios in the geometric mean
}

// ByMetric compares pairs of benchmarks by every metric that both have, except those that follow from time.
// declared holds the declared directions of metrics; see [DeclaredDirections].
func (c Criteria) ByMetric(pairs []Pair, declared map[string]string) []MetricVerdicts {
	if len(pairs) == 0 {
		return nil
	}

	var rows []Row
	for _, s := range pairs {
		rows = append(rows, *s.A, *s.B)
	}

	var list []MetricVerdicts
	groups := groupByDifferences(pairs)
	metrics := []string{result.TimePerOp, result.AllocedPerOp, result.AllocsPerOp}
	for _, metric := range append(metrics, CustomMetrics(rows)...) {
		m := MetricVerdicts{Metric: metric}
		of := map[string][]Verdict{}
		// All verdicts on a metric are one family, whatever their group.
		for _, v := range c.MetricVerdicts(pairs, metric, Direction(metric, declared)) {
			of[v.Differences()] = append(of[v.Differences()], v)
		}
		for _, group := range groups {
			g := MetricGroup{Pairs: group, Verdicts: of[group[0].Differences()]}
			g.Geomean, g.GeoLow, g.GeoHigh, g.N = c.Geomean(group, metric)
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

// CustomMetrics returns the names of the metrics that benchmarks report themselves, sorted.
func CustomMetrics(rows []Row) []string {
	var names []string
	for i := range rows {
		names = append(names, slices.Collect(maps.Keys(rows[i].Metrics))...)
	}
	return result.CustomMetrics(names)
}

// DeclaredDirections returns the directions that benchmarks declare for their own metrics: "higher" or "lower" by
// metric. They are part of the answers of trials.
func DeclaredDirections(trials []result.Trial) map[string]string {
	all := map[string]string{}
	for _, t := range trials {
		answer, _ := t.Answer.(map[string]any)
		switch better := answer["better"].(type) {
		case map[string]any: // decoded from JSON
			for unit, word := range better {
				all[unit] = fmt.Sprint(word)
			}
		case map[string]string:
			maps.Copy(all, better)
		}
	}
	return all
}
