package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/host"
	loops "github.com/brewput/brewput/load"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
)

// serve runs a design of the coffee shop for a window of virtual time. It returns the number of lattes and of the
// operations of the kernel.
func serve(design string, cpus, workers int, window time.Duration) (lattes int64, operations uint64, err error) {
	shop := coffee.Workload()
	d, ok := shop.Find(design)
	if !ok {
		return 0, 0, fmt.Errorf("there is no design %s", design)
	}
	points, err := plan.Points(shop.AllFactors(),
		map[string]plan.Choice{"cpus": {Levels: []plan.Level{plan.IntLevel(cpus)}}})
	if err != nil {
		return 0, 0, err
	}
	p := points[0].Only(shop.FactorsOf(d))
	w := virtual.New(virtual.Config{CPUs: cpus, Seed: 1, Costs: sim.Typical().Steady(), Grace: time.Hour})
	var failed error
	err = w.Run("load", func(e env.Env) {
		stream, err := d.Stream(e, p)
		if err != nil {
			failed = err
			return
		}
		c := loops.Closed{Op: stream.Op, Workers: workers, Window: window, OneByOne: true, AtBegin: func() {},
			AtEnd: func() {}}
		r, err := c.Run(e)
		if stream.Close != nil {
			stream.Close(e)
		}
		lattes, failed = r.Inside, err
	})
	if err == nil {
		err = failed
	}
	return lattes, w.Operations(), err
}

// blocked makes n goroutines wait in Recv of one channel until it is closed, and returns the peak memory of the
// process.
func blocked(n, cpus int, lists bool) (peak int64, err error) {
	run := blockedCoroutines
	if lists {
		run = blockedLists
	}
	if err := run(n, cpus); err != nil {
		return 0, err
	}
	bytes, ok := host.PeakResident()
	if !ok {
		return 0, fmt.Errorf("the memory of a process is unavailable on %s", runtime.GOOS)
	}
	return int64(bytes), nil
}

func blockedCoroutines(n, cpus int) error {
	waiting := 0
	err := virtual.New(virtual.Config{CPUs: cpus}).Run("body", func(e env.Env) {
		gate, g := env.NewChan[int](e, "gate", 0), e.Group()
		for range n {
			g.Go(e, "waiter", func(e env.Env) {
				waiting++
				gate.Recv()
				waiting--
			})
		}
		e.Sleep(time.Second)
		if waiting != n {
			panic(fmt.Sprintf("%d goroutines wait, want %d", waiting, n))
		}
		gate.Close()
		g.Wait()
	})
	if err == nil && waiting != 0 {
		err = fmt.Errorf("%d goroutines have not returned", waiting)
	}
	return err
}

// blockedApart runs blocked in a fresh process, so that the peak holds nothing else.
func blockedApart(n, cpus int, lists bool) (peak int64, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(self, "-blocked", strconv.Itoa(n), "-cpus", strconv.Itoa(cpus),
		"-lists="+strconv.FormatBool(lists))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("the process with %d goroutines: %w", n, err)
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}
