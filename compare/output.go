package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/brewput/brewput/result"
)

// Summaries returns the summaries of all rows, row by row. Metrics come in order of importance: speed, latencies in
// ascending order, cost, then the rest by name.
func Summaries(rows []Row) []result.Summary {
	first := metricOrder()
	var out []result.Summary
	for i := range rows {
		metrics := rows[i].Metrics
		for _, name := range first {
			if s, ok := metrics[name]; ok {
				out = append(out, s)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(metrics)) {
			if !slices.Contains(first, name) {
				out = append(out, metrics[name])
			}
		}
	}
	return out
}

func metricOrder() []string {
	names := []string{result.Throughput, result.Goodput, result.WallSeconds, result.ItemsRate, result.BytesRate}
	for _, of := range []string{"latency", "service", "response"} {
		names = append(names, of+"_mean_ns")
		for _, q := range result.Quantiles {
			names = append(names, of+"_"+q.Name+"_ns")
		}
	}
	return append(names, result.CPUSeconds, result.Parallelism)
}

// AttachResources returns the throughput trials by block and order, each with the resources of the instrumented
// trial of its case and block. Without one it keeps its own. Resources are never nil. The given trials are not
// changed.
func AttachResources(trials []result.Trial) []result.Trial {
	type caseBlock struct {
		key
		block int
	}
	instrumented := map[caseBlock]*result.Trial{}
	for i := range trials {
		if t := &trials[i]; t.Kind == result.KindInstrumented {
			instrumented[caseBlock{trialKey(t), t.Block}] = t
		}
	}

	var out []result.Trial
	for _, t := range trials {
		if t.Kind != result.KindTrial {
			continue
		}
		if partner := instrumented[caseBlock{trialKey(&t), t.Block}]; partner != nil {
			t.Resources = partner.Resources
		}
		if t.Resources == nil {
			t.Resources = []result.Resource{}
		}
		out = append(out, t)
	}

	slices.SortStableFunc(out, func(a, b result.Trial) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Order, b.Order))
	})
	return out
}
