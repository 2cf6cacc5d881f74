package compare

import (
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// resources returns the medians over the instrumented trials of each named resource, and the sums of their
// violations. Failed trials contribute only violations.
func resources(instrumented []*result.Trial) []result.Resource {
	type key struct{ name, kind string }
	var order []key
	seen := map[key][]result.Resource{}
	violations := map[key]int64{}
	for _, t := range instrumented {
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

// medianResource returns the median of each field over the values that have it.
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

	if waits := median(func(x result.Resource) *float64 { return floatOf(x.RecvWaits) }); waits != nil {
		n := int64(math.Round(*waits))
		out.RecvWaits = &n
	}

	for _, x := range xs {
		if out.Capacity == nil {
			out.Capacity = x.Capacity // set by the point, so equal in all trials
		}
	}
	return out
}

// cpuTimeShares returns the mean CPU-time breakdown over the instrumented trials, so that shares add up; nil if
// there is none.
func cpuTimeShares(instrumented []*result.Trial) map[string]result.Value {
	var parts map[string]result.Value
	for _, part := range []string{"useful", "runtime", "channel", "scheduler", "gc", "idle"} {
		var shares []float64
		for _, t := range instrumented {
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

// slowdown returns the median over blocks of plain speed divided by instrumented speed. It skips blocks in which
// either is missing.
func slowdown(good, instrumented []*result.Trial, job bool) result.Value {
	plain := map[int]float64{}
	for _, t := range good {
		plain[t.Block] = speed(t, job)
	}
	var ratios []float64
	for _, t := range instrumented {
		if !t.Good() {
			continue
		}
		if a, b := plain[t.Block], speed(t, job); a > 0 && b > 0 {
			ratios = append(ratios, a/b)
		}
	}
	return result.Value(stat.Median(ratios)) // the median of nothing is NaN, which is unavailable
}

// speed returns the speed of a trial, where higher is faster; 0 if it was not measured.
func speed(t *result.Trial, job bool) float64 {
	v := t.Metrics.Get(result.Throughput)
	switch {
	case job:
		v = 1 / t.Metrics.Get(result.WallSeconds)
	case t.Open: // throughput is the arrival rate, whatever the service takes
		v = 1 / t.Metrics.Get("service_mean_ns")
	}
	if !measured(v) {
		return 0
	}
	return float64(v)
}

// floatOf converts an optional integer.
func floatOf(p *int64) *float64 {
	if p == nil {
		return nil
	}
	f := float64(*p)
	return &f
}
