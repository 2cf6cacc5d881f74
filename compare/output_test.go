package compare

import (
	"reflect"
	"testing"

	"github.com/brewput/brewput/result"
)

func TestSummariesOrder(t *testing.T) {
	want := []string{"throughput_per_s", "latency_mean_ns", "latency_min_ns", "latency_p5_ns", "latency_p50_ns",
		"latency_p99_ns",
		"latency_p999_ns", "latency_max_ns", "response_mean_ns", "response_p95_ns", "cpu_seconds", "parallelism",
		"allocs_per_op", "steal_seconds"}
	stream := Row{Metrics: map[string]result.Summary{}}
	for _, name := range want {
		stream.Metrics[name] = result.Summary{Metric: name}
	}
	job := Row{Metrics: map[string]result.Summary{}}
	jobWant := []string{"wall_seconds", "items_per_s", "bytes_per_s", "cpu_seconds", "answers", "read_calls"}
	for _, name := range jobWant {
		job.Metrics[name] = result.Summary{Metric: name}
	}
	var got []string
	for _, s := range Summaries([]Row{stream, {}, job}) {
		got = append(got, s.Metric)
	}
	if want := append(want, jobWant...); !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

func TestAttach(t *testing.T) {
	at := func(x result.Trial, order int) result.Trial { x.Order = order; return x }
	named := func(name string) result.Resource { return result.Resource{Name: name} }
	virtual := coffeeTrial("a", 1, 0, 1)
	virtual.World = "virtual"
	own := coffeeTrial("c", 1, 1, 1)
	own.Resources = []result.Resource{named("own")}
	trials := []result.Trial{
		at(coffeeTrial("a", 1, 1, 1), 3),
		at(observe(coffeeTrial("a", 1, 0, 1), 1, named("a, 1 CPU, block 0")), 0),
		at(coffeeTrial("a", 2, 0, 1), 9),
		at(coffeeTrial("a", 1, 0, 1), 2),
		at(observe(coffeeTrial("a", 1, 1, 1), 1, named("a, 1 CPU, block 1")), 4),
		at(observe(coffeeTrial("b", 1, 0, 1), 1), 1),
		at(coffeeTrial("b", 1, 0, 1), 5),
		at(observe(coffeeTrial("a", 2, 1, 1), 1, named("a, 2 CPUs, block 1")), 6),
		at(virtual, 7),
		at(own, 0),
	}
	before := asJSON(t, trials)
	var got []string
	for _, x := range AttachResources(trials) {
		if x.Kind != "trial" || x.Resources == nil {
			t.Errorf("%+v", x)
		}
		names := x.Design + "/" + x.World + "/" + x.Point.String() + ":"
		for _, r := range x.Resources {
			names += " " + r.Name
		}
		got = append(got, names)
	}
	want := []string{"a/live/cpus=1: a, 1 CPU, block 0", "b/live/cpus=1:", "a/virtual/cpus=1:", "a/live/cpus=2:",
		"c/live/cpus=1: own", "a/live/cpus=1: a, 1 CPU, block 1"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if asJSON(t, trials) != before {
		t.Error("the trials given were changed")
	}
}
