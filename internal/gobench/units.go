package gobench

import (
	"slices"

	"github.com/brewput/brewput/result"
)

// unitNames are the ways to write a metric: as go test prints it, and as benchstat does. The first of a metric is its
// name here.
var unitNames = []struct{ unit, metric string }{
	{"ns/op", result.TimePerOp}, {"MB/s", result.BytesRate}, {"B/op", result.AllocedPerOp},
	{"allocs/op", result.AllocsPerOp},
	{"time/op", result.TimePerOp}, {"sec/op", result.TimePerOp}, {"B/s", result.BytesRate},
}

// MetricName returns the name of a metric that users write as a unit: time_per_op_ns for ns/op.
func MetricName(unit string) string {
	for _, u := range unitNames {
		if u.unit == unit {
			return u.metric
		}
	}
	return unit
}

// UnitNames are metrics as users write them.
func UnitNames(metrics []string) []string {
	var list []string
	for _, u := range unitNames {
		if slices.Contains(metrics, u.metric) {
			list = append(list, u.unit)
			metrics = slices.DeleteFunc(slices.Clone(metrics), func(m string) bool { return m == u.metric })
		}
	}
	return append(list, result.CustomMetrics(metrics)...)
}
