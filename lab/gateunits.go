package lab

import (
	"slices"

	"github.com/brewput/brewput/result"
)

// units are the ways to write a metric: as go test prints it, and as benchstat does. The first of a metric is its name
// here.
var units = []struct{ unit, metric string }{
	{"ns/op", result.TimePerOp}, {"MB/s", result.BytesRate}, {"B/op", result.AllocedPerOp},
	{"allocs/op", result.AllocsPerOp},
	{"time/op", result.TimePerOp}, {"sec/op", result.TimePerOp}, {"B/s", result.BytesRate},
}

// metricOf is our name of a metric.
func metricOf(unit string) string {
	for _, u := range units {
		if u.unit == unit {
			return u.metric
		}
	}
	return unit
}

// unitsOf are metrics as a user writes them.
func unitsOf(metrics []string) []string {
	var list []string
	for _, u := range units {
		if slices.Contains(metrics, u.metric) {
			list = append(list, u.unit)
			metrics = slices.DeleteFunc(slices.Clone(metrics), func(m string) bool { return m == u.metric })
		}
	}
	return append(list, result.CustomMetrics(metrics)...)
}
