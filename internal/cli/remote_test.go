package cli

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/endpoint"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/workload"
)

// TestContinuationKeepsObjectives checks that the hint to continue a run has the objectives, which set its exit code.
func TestContinuationKeepsObjectives(t *testing.T) {
	o := runOptions{slo: "p99<20ms, errors<0.1%"}
	const want = "continue with: brewput run --resume d --slo 'p99<20ms, errors<0.1%'"
	if got := o.continuation(&lab.Run{Dir: "d"}, true); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	stored := lab.Run{Dir: "d"}
	stored.Header.SLO = o.slo
	if got := o.continuation(&stored, true); strings.Contains(got, "--slo") {
		t.Errorf("the run has the objectives: %q", got)
	}
}

// TestExampleOfEndpoint checks that the help of a workload that needs options has an example with them, that an
// argument is answered with it, and that sim does not list what it cannot simulate.
func TestExampleOfEndpoint(t *testing.T) {
	w := endpoint.Workload()
	a := &app{workloads: []*workload.Workload{w, coffee.Workload()}}
	o := runOptions{}
	cmd := a.runWorkload(w, &o)
	for _, example := range append(strings.Split(cmd.Example, "\n"),
		a.explainWorkload(w, &explainOptions{}).Example) {
		if !strings.Contains(example, " http --url http://") {
			t.Errorf("example %q", example)
		}
	}
	if err := cmd.Args(cmd, []string{"http://127.0.0.1/"}); err == nil || !strings.Contains(err.Error(), "--url") {
		t.Errorf("an argument: %v", err)
	}
	for _, c := range a.simCommand().Commands() {
		if c.Hidden != (c.Name() == "http") {
			t.Errorf("%s: hidden is %t", c.Name(), c.Hidden)
		}
	}
}
