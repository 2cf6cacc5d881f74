package lab_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// TestMain runs the trials of ExampleMeasure, whose child processes are this test binary.
func TestMain(m *testing.M) {
	lab.Main(counters())
	m.Run()
}

// counters is a workload with two designs, of which one holds its lock ten times as long.
func counters() *workload.Workload {
	return &workload.Workload{Name: "counter", Designs: []workload.Design{
		{Name: "coarse", Stream: counter(time.Millisecond)},
		{Name: "fine", Stream: counter(100 * time.Microsecond)},
	}}
}

// Two designs are measured in real trials, each in a process of its own. The verdict compares their throughput. A
// program calls lab.Main before that.
func ExampleMeasure() {
	dir, err := os.MkdirTemp("", "brewput")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	run, err := lab.Measure(context.Background(), counters(), lab.MeasureOptions{
		DesignOptions: lab.DesignOptions{
			Levels:   map[string]string{"cpus": "1", "workers": "1"},
			Count:    6,
			Duration: 20 * time.Millisecond,
			Warmup:   time.Millisecond,
			Output:   filepath.Join(dir, "run"),
		},
		NoPredictions: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range run.Analyze().Verdicts {
		// v.Verdict and v.Ratio are measured: on an idle machine fine is faster, about ten times.
		// v.N is below 6 if a busy machine left a trial without a result.
		fmt.Printf("%s compared with %s\n", v.A, v.B)
	}
	// Output: fine compared with coarse
}

// counter is a design that works for some time while it holds a lock.
func counter(locked time.Duration) func(env.Env, plan.Point) (workload.Stream, error) {
	return func(e env.Env, _ plan.Point) (workload.Stream, error) {
		lock := e.Mutex("counter")
		return workload.Stream{Op: func(e env.Env, _ uint64) {
			lock.Lock()
			e.Burn(locked)
			lock.Unlock()
		}}, nil
	}
}
