package find

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newSequential reads and parses one document after the other, and takes n(Z+S). It measures both terms for the
// formulas of the other designs.
func newSequential(_ env.Env, p plan.Point) (workload.Job, error) {
	return inTurn(newTask(p, p.Text("scanner") == "xml"), p.Int("cpus")), nil
}

// newStandard is sequential with encoding/xml.
func newStandard(_ env.Env, p plan.Point) (workload.Job, error) {
	return inTurn(newTask(p, true), p.Int("cpus")), nil
}

func inTurn(t *task, cpus int) workload.Job {
	var read, parse time.Duration
	j := t.job(func(e env.Env) (int, error) {
		r := t.reader()
		last := e.Now()
		for i := range t.documents {
			e.Wait(t.read)
			now := e.Now()
			read += now - last
			last = now
			r.parse(e, i, t.documents[i])
			now = e.Now()
			parse += now - last
			last = now
		}
		return r.found, r.err
	})
	j.Metrics = func() map[string]float64 {
		read, parse := read.Seconds(), parse.Seconds()
		return map[string]float64{"read_seconds": read, "parse_seconds": parse,
			"knee_goroutines": knee(read, parse, cpus)}
	}
	return j
}
