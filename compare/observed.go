package compare

import (
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// resources are the medians over the observed trials of each named resource, and the sums of their
// violations. A trial that failed midway tells of violations only.
func resources(watched []*result.Trial) []result.Resource {
	type key struct{ name, kind string }
	var order []key
	seen := map[key][]result.Resource{}
	violations := map[key]int64{}
	for _, t := range watched {
		for _, x := range t.Resources {
			k := key{x.Name, x.Kind}
			if _, ok := violations[k]; !ok {
				order = append(order, k)
			}
			violations[k] += x.Violations
			if t.Status != result.Failed {
				seen[k] = append(seen[k], x)
			}
		}
	}
	var out []result.Resource
	for _, k := range order {
		x := medianResource(seen[k])
		x.Name, x.Kind, x.Violations = k.name, k.kind, violations[k]
		out = append(out, x)
	}
	return out
}

// medianResource has the median of each field over the observations that have it.
func medianResource(xs []result.Resource) result.Resource {
	median := func(field func(result.Resource) *float64) *float64 {
		var values []float64
		for _, x := range xs {
			if p := field(x); p != nil {
				values = append(values, *p)
			}
		}
		if len(values) == 0 {
			return nil
		}
		m := stat.Median(values)
		return &m
	}
	whole := func(field func(result.Resource) int64) int64 {
		m := median(func(x result.Resource) *float64 {
			f := float64(field(x))
			return &f
		})
		if m == nil {
			return 0
		}
		return int64(math.Round(*m))
	}
	out := result.Resource{
		Count:       int(whole(func(x result.Resource) int64 { return int64(x.Count) })),
		Utilization: median(func(x result.Resource) *float64 { return x.Utilization }),
		BusyMeanNs:  median(func(x result.Resource) *float64 { return x.BusyMeanNs }),
		WaitMeanNs:  median(func(x result.Resource) *float64 { return x.WaitMeanNs }),
		Uses:        whole(func(x result.Resource) int64 { return x.Uses }),
		Waits:       whole(func(x result.Resource) int64 { return x.Waits }),
		Occupancy:   median(func(x result.Resource) *float64 { return x.Occupancy }),
		SendParked:  median(func(x result.Resource) *float64 { return x.SendParked }),
		RecvParked:  median(func(x result.Resource) *float64 { return x.RecvParked }),
	}
	if waits := median(func(x result.Resource) *float64 { return float(x.RecvWaits) }); waits != nil {
		n := int64(math.Round(*waits))
		out.RecvWaits = &n
	}
	for _, x := range xs {
		if out.Capacity == nil {
			out.Capacity = x.Capacity // the point says it, so that it is the same in all trials
		}
	}
	return out
}

// ledger has the means of the shares that the observed trials measured, so that they add up; nil if they
// measured none.
func ledger(watched []*result.Trial) map[string]result.Value {
	var parts map[string]result.Value
	for _, part := range []string{"useful", "runtime", "channel", "scheduler", "gc", "idle"} {
		var shares []float64
		for _, t := range watched {
			if v := t.Metrics.Get("ledger_" + part); measured(v) && t.Status != result.Failed {
				shares = append(shares, float64(v))
			}
		}
		if len(shares) == 0 {
			continue
		}
		if parts == nil {
			parts = map[string]result.Value{}
		}
		parts[part] = result.Value(stat.Mean(shares))
	}
	return parts
}

// slowDown is the median over blocks of the speed without observation over that with it. Blocks in
// which one of the two has no number do not count.
func slowDown(good, watched []*result.Trial, job bool) result.Value {
	plain := map[int]float64{}
	for _, t := range good {
		plain[t.Block] = speed(t, job)
	}
	var ratios []float64
	for _, t := range watched {
		if !t.Good() {
			continue
		}
		if a, b := plain[t.Block], speed(t, job); a > 0 && b > 0 {
			ratios = append(ratios, a/b)
		}
	}
	return result.Value(stat.Median(ratios)) // NaN, which is unavailable, of none
}

// speed is what a trial is judged by, larger being faster; 0 where it was not measured.
func speed(t *result.Trial, job bool) float64 {
	v := t.Metrics.Get(result.Throughput)
	switch {
	case job:
		v = 1 / t.Metrics.Get(result.WallSeconds)
	case t.Open: // as many are served as come, whatever it takes
		v = 1 / t.Metrics.Get("service_mean_ns")
	}
	if !measured(v) {
		return 0
	}
	return float64(v)
}

// float is the number that p points to, nil for nil.
func float(p *int64) *float64 {
	if p == nil {
		return nil
	}
	f := float64(*p)
	return &f
}
