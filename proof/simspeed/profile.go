package main

import (
	"errors"
	"os"
	"runtime/pprof"
	"time"
)

// profile writes a CPU profile of the simulator for the compiler. It covers M/M/1 by each engine and many goroutines as
// lists, for three times the least time each, and designs of the coffee shop on several numbers of CPUs.
func (b *bench) profile(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for _, e := range mm1(b.customers) {
		if _, err := e.often(1, int64(b.customers), 3*b.least); err != nil {
			return err
		}
	}
	for _, n := range []int{1000, 10_000} {
		m := model{processes: n, number: b.customers / n * n}
		if _, err := (engine{run: m.byLists}).often(1, int64(m.number), 3*b.least); err != nil {
			return err
		}
	}
	for _, design := range brewed {
		for _, cpus := range []int{1, 4, 64} {
			for began := time.Now(); time.Since(began) < b.least; {
				if _, _, err := serve(design, cpus, 2*cpus, time.Minute); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
