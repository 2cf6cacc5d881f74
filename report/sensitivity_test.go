package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// ranged is a row with the range of its throughput and latency.
func ranged(design string, share float64) compare.Row {
	r := shop(design, 2, 500, 0.01)
	for _, metric := range []string{result.Throughput, result.LatencyMean} {
		v := r.Metric(metric).Median
		r.Sensitivity = append(r.Sensitivity,
			compare.Sensitivity{Design: design, Point: r.Point, Metric: metric, Value: v,
				Low: v * result.Value(1-share), High: v, Share: result.Value(share), Cost: "wake"})
	}
	return r
}

// TestSensitivity checks that ranges are next to their predictions, and that strong dependence on a cost is reported.
func TestSensitivity(t *testing.T) {
	text := func(rows ...compare.Row) string {
		var table, md bytes.Buffer
		if err := Table(&table, rows, nil, nil, compare.Answer{}, Style{Full: true, Width: 140}); err != nil {
			t.Fatal(err)
		}
		if err := Markdown(&md, rows, nil, nil, compare.Answer{}); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(table.String()+md.String()), " ")
	}
	failed := ranged("multi", 0)
	failed.Sensitivity[0].Low, failed.Sensitivity[0].Share = result.Unavailable, result.Unavailable
	failed.Sensitivity[0].Effects = []compare.Effect{{Cost: "wake", Factor: 2, Value: result.Unavailable}}
	got := text(ranged("locking", 0.1), ranged("pipe", 0.01), failed)
	for want, n := range map[string]int{
		"[450.0, 500.0]": 2, "[495.0, 500.0]": 2, "costs x1/2 to x2": 4, "throughput costs x1/2 to x2": 1,
		"the throughput depends on the scheduler's costs, most on wake": 2, "the mean latency depends on": 0,
		"locking (cpus=2": 2, "pipe (cpus=2": 0, "is unknown with the cost wake x 2": 2,
	} {
		if strings.Count(got, want) != n {
			t.Errorf("%q is there %d times, want %d:\n%s", want, strings.Count(got, want), n, got)
		}
	}
	if got := text(ranged("pipe", 0.01)); strings.Count(got, "no prediction changes by more than 2%") != 2 {
		t.Error(got)
	}
	if got := text(shop("pipe", 2, 500, 0.01)); strings.Contains(got, "costs") {
		t.Errorf("nobody asked: %s", got)
	}
}
