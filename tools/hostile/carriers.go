package hostile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/google/pprof/profile"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// Workload returns a user's workload "sour" with the name in its documentation, locks, answers, messages and
// panics. Its design prints ends the process, which in virtual time is that of the command.
func Workload(name string) *workload.Workload {
	burn := func(e env.Env, _ uint64) { e.Burn(10 * time.Microsecond) }
	return &workload.Workload{
		Name: "sour", Doc: "Names: " + name,
		Designs: []workload.Design{
			{Name: "lock", Doc: name, Stream: func(e env.Env, _ plan.Point) (workload.Stream, error) {
				lock, station := e.Mutex(name), e.Station(name)
				return workload.Stream{
					Op: func(e env.Env, request uint64) {
						lock.Lock()
						station.Enter()
						burn(e, request)
						station.Leave()
						lock.Unlock()
					},
					Check: func(uint64) (workload.Answer, error) { return workload.Answer{name: name}, nil },
				}, nil
			}},
			{Name: "panic", Doc: name, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
				return workload.Stream{Op: func(env.Env, uint64) { panic(name) }}, nil
			}},
			{Name: "wrong", Doc: name, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
				return workload.Stream{Op: burn,
					Check: func(uint64) (workload.Answer, error) { return nil, errors.New(name) }}, nil
			}},
			{Name: "prints", Doc: name, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
				return workload.Stream{Op: func(env.Env, uint64) {
					fmt.Fprintln(os.Stderr, name)
					os.Exit(3)
				}}, nil
			}},
		},
	}
}

// StoreRun stores the run of a gate that decided early, after 6 of at most 80 blocks. Its benchmarks, failures,
// skips, units and warnings have the names. The package and the machine have the first name.
func StoreRun(dir string, names []string, began time.Time) error {
	x := gobench.Experiment{Package: "p" + names[0], Layouts: 1, Time: time.Second, Limit: time.Minute,
		Unprobed: names[0]}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	here := host.Read()
	here.CPUModel = &names[0]
	h := sweep.Header{Workload: x.Package, World: result.Live, Started: began, Seed: "1", Blocks: 80, Environment: here,
		Warnings: names}
	for _, name := range names {
		x.Benchmarks = append(x.Benchmarks, gobench.Benchmark{Name: name})
		x.Broken = append(x.Broken, result.Broken{Name: name, Error: name, Text: name + "\n" + name})
		x.Skipped = append(x.Skipped, result.Skipped{Name: name, Reason: name})
		h.Cases = append(h.Cases, plan.Case{Design: name, Point: point})
	}
	raw, err := json.Marshal(&x)
	if err != nil {
		return err
	}
	h.Bench = raw
	run, err := store.Create(dir, h)
	if err != nil {
		return err
	}
	order := plan.Plan{Seed: 1, Blocks: h.Blocks, Cases: h.Cases}
	for b := range 6 {
		for i, step := range order.Block(b) {
			t := trial(x.Package, names[step.Case], point, b)
			t.Order, t.Seed = i, strconv.FormatUint(order.BlockSeed(b), 10)
			err = errors.Join(err, run.Append(t, nil))
		}
		if err = errors.Join(err, run.EndBlock(b, len(names), time.Second)); err != nil {
			return errors.Join(err, run.Close())
		}
	}
	return errors.Join(run.End(), run.Close())
}

// trial returns a trial of a stored run. The trials of the last block failed.
func trial(pkg, name string, point plan.Point, block int) result.Trial {
	t := result.Trial{Kind: result.KindTrial, SchemaVersion: result.SchemaVersion, Workload: pkg, Design: name,
		World: result.Live, Point: point,
		Block: block, Status: result.OK, Expected: true, Type: result.Benchmark, Operations: 10,
		Warnings: []string{name},
		Metrics:  result.Metrics{result.TimePerOp: result.Value(100 + block), "x" + name: result.Value(block)}}
	if block == 5 {
		t.Status, t.Error, t.Metrics = result.Failed, name, nil
	}
	return t
}

// Profile returns a CPU profile whose time belongs to a function in a file of a program.
func Profile(function, file, program string) ([]byte, error) {
	f := &profile.Function{ID: 1, Name: function, SystemName: function, Filename: file}
	root := &profile.Function{ID: 2, Name: "main.main", Filename: program}
	m := &profile.Mapping{ID: 1, File: program, BuildID: program}
	at := []*profile.Location{{ID: 1, Mapping: m, Line: []profile.Line{{Function: f, Line: 3}}},
		{ID: 2, Mapping: m, Line: []profile.Line{{Function: root, Line: 4}}}}
	p := &profile.Profile{
		SampleType:    []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		DurationNanos: 1e9,
		Sample:        []*profile.Sample{{Location: at, Value: []int64{90, 9e8}}},
		Mapping:       []*profile.Mapping{m}, Location: at, Function: []*profile.Function{f, root},
	}
	var packed bytes.Buffer
	err := p.Write(&packed)
	return packed.Bytes(), err
}
