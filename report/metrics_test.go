package report

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// TestMetrics checks that the part metrics has what designs measure themselves, and nothing else.
func TestMetrics(t *testing.T) {
	job := func(design string, n int, metrics map[string]float64) compare.Row {
		metrics[result.WallSeconds], metrics["allocs"] = 1, 7
		return compare.Row{Workload: "logs", Design: design, World: result.Live, Job: true, N: n,
			Metrics: summaries(0, n, metrics)}
	}
	page := func(rows ...compare.Row) string {
		var b strings.Builder
		f := frames(rows)[0]
		writeMetrics(&b, &f, Style{})
		return b.String()
	}
	want := `logs: metrics of the designs  medians
design  of_rate  sync_seconds
-----------------------------
file      0.452
group   0.00700         146us
`
	if got := page(job("file", 6, map[string]float64{"of_rate": 0.452}), job("none", 6, map[string]float64{}),
		job("failed", 0, map[string]float64{"of_rate": 1}),
		job("group", 6, map[string]float64{"of_rate": 0.00700, "sync_seconds": 146e-6})); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}

	mean := func(design string, of float64) compare.Row {
		r := job(design, 6, map[string]float64{"of_rate": 0.452})
		s := r.Metrics["of_rate"]
		s.Mean = &result.Interval{Mean: result.Value(of), Low: result.Value(of), High: result.Value(of)}
		r.World, r.Metrics["of_rate"] = result.Virtual, s
		return r
	}
	if got := page(mean("file", 0.25)); !strings.Contains(got, "of the designs  means\n") ||
		!strings.Contains(got, "0.250") {
		t.Errorf("in virtual time: %s", got)
	}
	refused := mean("file", 0.25)
	refused.FailedCondition = &compare.FailedCondition{}
	if got := page(job("file", 6, map[string]float64{"of_rate": 0.452}), refused); strings.Contains(got, "0.250") ||
		!strings.Contains(got, "0.452") {
		t.Errorf("of a refused prediction: %s", got)
	}

	stream := job("file", 6, map[string]float64{"of_rate": 0.452})
	stream.Job = false
	if got := page(stream); !strings.Contains(got, "0.452") {
		t.Errorf("of a stream: %s", got)
	}
	server := job("server", 6, map[string]float64{"connections": 8, "errors_timeout": 3, "status_503": 2,
		"code_unavailable": 1, "server_cpu_seconds": 0.5})
	if got := page(server); !strings.Contains(got,
		"design  code_unavailable  connections  errors_timeout  server_cpu_seconds  status_503\n") {
		t.Errorf("of a server: %s", got)
	}
	calls := map[string]float64{"call_ns": 169e3, "rejected": 0, "skipped": 0, "sync_share": 0.0008}
	var narrow strings.Builder
	f := frames([]compare.Row{job("locker", 6, calls)})[0]
	writeMetrics(&narrow, &f, Style{Width: 40})
	if got := narrow.String(); !strings.Contains(got, "design  call_ns  rejected  sync_share\n") ||
		!strings.Contains(got, "left out to fit 40 columns: skipped") {
		t.Errorf("on a narrow page: %s", got)
	}
	if got := page(job("none", 6, map[string]float64{})); got != "" {
		t.Errorf("metrics of none: %s", got)
	}
}
