// Package null is a workload that does nothing. It measures the overhead of the harness.
//
// The operation of the stream is empty. Its time is that of the load loop: a clock read and the recording of the
// latency. Two jobs measure references in the same sweep: clock reads alone, and calls of an empty function alone.
package null

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// repetitions is the number of clock reads or calls of a reference job: about half a second of clock reads.
const repetitions = 10_000_000

// Workload returns the workload null.
func Workload() *workload.Workload {
	return &workload.Workload{
		Name: "null",
		Doc:  "Empty work: the overhead of the harness itself.",
		Designs: []workload.Design{
			{Name: "stream", Doc: "an empty operation: the overhead of the load loop", Worlds: workload.LiveOnly,
				Stream: newStream},
			{Name: "job", Doc: "an empty job: the overhead of one trial", Job: newJob},
			{Name: "clock", Doc: "10 million bare clock reads: the yardstick for stream", Worlds: workload.LiveOnly,
				Job: newClock, Expect: workload.Bound},
			{Name: "loop", Doc: "10 million calls of an empty operation, without the load loop", Job: newLoop,
				Expect: workload.Bound},
		},
	}
}

func newStream(env.Env, plan.Point) (workload.Stream, error) {
	return workload.Stream{Op: func(env.Env, uint64) {}}, nil
}

func newJob(env.Env, plan.Point) (workload.Job, error) {
	return workload.Job{Run: func(env.Env) error { return nil }}, nil
}

func newClock(env.Env, plan.Point) (workload.Job, error) {
	return workload.Job{Items: repetitions, Run: func(e env.Env) error {
		for range repetitions {
			e.Now()
		}
		return nil
	}}, nil
}

func newLoop(e env.Env, p plan.Point) (workload.Job, error) {
	s, err := newStream(e, p)
	if err != nil {
		return workload.Job{}, err
	}
	return workload.Job{Items: repetitions, Run: func(e env.Env) error {
		for i := range uint64(repetitions) {
			s.Op(e, i)
		}
		return nil
	}}, nil
}
