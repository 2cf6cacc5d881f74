package main

import (
	"context"
	"fmt"
	"time"

	"github.com/brewput/brewput/proof/idle"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/proof/services/known"
)

// verdict is what an entry means.
type verdict string

// The verdicts.
const (
	met       verdict = "met"
	missed    verdict = "missed"
	disturbed verdict = "disturbed" // other processes used the CPUs, so that nothing follows
	undecided verdict = "undecided" // a number that decides is missing: brewput refused the trial, for instance
	shown     verdict = ""          // there is no target
)

// code returns the exit code of the verdict.
func (v verdict) code() int {
	switch v {
	case missed:
		return record.ExitBroken
	case disturbed, undecided:
		return record.ExitUndecided
	}
	return 0
}

// cell is a measurement of the campaign.
type cell struct {
	name    string
	part    part
	tool    string // that makes the load
	measure func(ctx context.Context, c *campaign) (entry, error)
	right   func(e entry) bool // whether the target of the cell is met; nil if it has none
	calm    bool               // a cell without a target that means nothing if other processes use the CPUs
}

// judge returns what an entry of the cell means.
func (x *cell) judge(e entry) verdict {
	switch busy := e.busy(); {
	case e.Missing == lateSelf && (e.Refused < mostRefused || busy):
		return undecided
	case e.Missing == lateSelf:
		return missed
	case (x.calm || x.right != nil) && busy && e.Missing == "":
		return disturbed
	case x.right == nil:
		return shown
	case x.right(e) && e.Missing == "":
		return met
	case busy:
		return disturbed
	}
	return missed
}

// busy reports whether other processes used more of the CPUs than a measurement tolerates.
func (e entry) busy() bool { return e.Others > idle.MaxOthers }

// part is a table of the campaign.
type part int

// The tables.
const (
	truthPart part = iota
	pausePart
	peerPart
	ratePart
	connectionPart
	partCount
)

const (
	meanService = 2 * time.Millisecond
	// Pauses take 8% of the time. With the queues that they leave, they delay on average 9%, 16% and 40% of the
	// requests at loads of 0.1, 0.5 and 0.8. So the quantiles are off their edge, where they jump by milliseconds.
	pauseEvery  = 2500 * time.Millisecond
	pauseLength = 200 * time.Millisecond

	warmup   = time.Second
	shortest = 15 * time.Second // of a window: several busy periods, so that one disturbance does not decide its p99
	wanted   = 3000             // mean number of requests of a window at least, so that about 30 are beyond its p99

	openWorkers = 1000 // more than requests ever wait, so that none waits for a worker
)

// loads are the shares of the servers that arrivals need.
var loads = []float64{0.1, 0.5, 0.8, 0.95}

// accurate is the target of response times.
func accurate(e entry) bool { return within(e.Got, e.Truth) }

// allCells returns the cells in the order in which they are measured.
func allCells() []cell {
	cells := append([]cell{pathCell()}, truthCells()...)
	cells = append(cells, pauseCells()...)
	cells = append(cells, peerCells()...)
	cells = append(cells, rateCells()...)
	cells = append(cells, connectionCell())
	for i := range cells {
		measure := cells[i].measure
		cells[i].measure = func(ctx context.Context, c *campaign) (entry, error) {
			others := idle.Watch(&c.spent)
			e, err := measure(ctx, c)
			if e.Others = others(); e.busy() {
				e.Refused = 0
			}
			return e, err
		}
	}
	return cells
}

// truthCells compares open loops with the truth at all loads.
func truthCells() (cells []cell) {
	for _, constant := range []bool{false, true} {
		for _, servers := range []int{1, 2, 4} {
			for _, pauses := range []bool{false, true} {
				for _, load := range loads {
					if pauses && (load > 0.9 || constant && servers > 1) {
						continue // with these pauses, a queue has no steady state at loads beyond 0.92
					}
					k := knownServer(constant, servers, pauses)
					cells = append(cells, truthCell(k, fmt.Sprint(servers), load))
				}
			}
		}
		// At the rates of four servers of 2 ms, the CPUs of a small machine are busy with requests. Here they are not.
		for _, load := range loads {
			k := knownServer(constant, 4, false)
			k.Mean *= 4
			cells = append(cells, truthCell(k, fmt.Sprintf("4 of %v", k.Mean), load))
		}
	}
	return cells
}

// pathCell measures what a request and its reply need on their way, one after the other, which is the least part of the
// response times that is in no truth.
func pathCell() cell {
	b := brewputRun{workers: 1, seed: 1, cpu: -1, warmup: warmup, duration: shortest}
	return cell{name: "the way alone, closed loop of 1 worker", part: truthPart, tool: "brewput",
		measure: func(ctx context.Context, c *campaign) (entry, error) {
			return b.closedLoop(ctx, c, known.Config{Servers: 1}, "/fast", -1)
		}}
}

// knownServer returns a server with the service time of the campaign.
func knownServer(constant bool, servers int, pauses bool) known.Config {
	k := known.Config{Servers: servers, Mean: meanService, Constant: constant, Seed: 1}
	if pauses {
		k.Every, k.Pause = pauseEvery, pauseLength
	}
	return k
}

// truthRun returns the run of a cell with a load. Its window is long enough for the p99.
func truthRun(k known.Config, load float64) brewputRun {
	rate := load * float64(k.Servers) / k.Mean.Seconds()
	window := time.Duration(wanted / rate * 1e9)
	return brewputRun{arrivals: "poisson", rate: rate, workers: openWorkers, seed: 1, cpu: -1, warmup: warmup,
		duration: max(window, shortest).Truncate(time.Millisecond)}
}

// truthCell compares an open loop with the truth. The load is a share of the servers without pauses.
func truthCell(k known.Config, servers string, load float64) cell {
	kind, stops := "M", ""
	if k.Constant {
		kind = "D"
	}
	if k.Pause > 0 {
		stops = " with pauses"
	}
	b := truthRun(k, load)
	return cell{
		name: fmt.Sprintf("truth M/%s/%s%s, load %.2f", kind, servers, stops, load),
		part: truthPart, tool: "brewput", right: accurate,
		measure: func(ctx context.Context, c *campaign) (entry, error) {
			return b.openLoop(ctx, c, k)
		},
	}
}

// pauseCells compare an open with a closed loop at a server that pauses: coordinated omission.
func pauseCells() []cell {
	k := knownServer(false, 1, true)
	open := brewputRun{arrivals: "poisson", rate: 250, workers: openWorkers, seed: 2, cpu: -1, warmup: warmup,
		duration: 20 * time.Second}
	closed := open
	closed.arrivals, closed.workers = "", 1
	visible := func(e entry) bool { return e.Got[2] > float64(pauseLength)/2 }
	return []cell{{
		name: fmt.Sprintf("pauses of %v every %v, open loop", pauseLength, pauseEvery),
		part: pausePart, tool: "brewput",
		right:   func(e entry) bool { return visible(e) && accurate(e) },
		measure: func(ctx context.Context, c *campaign) (entry, error) { return open.openLoop(ctx, c, k) },
	}, {
		name: fmt.Sprintf("pauses of %v every %v, closed loop of 1 worker", pauseLength, pauseEvery),
		part: pausePart, tool: "brewput",
		right: func(e entry) bool { return e.Got[2] > 0 && !visible(e) }, // which is why a closed loop does not do
		measure: func(ctx context.Context, c *campaign) (entry, error) {
			return closed.closedLoop(ctx, c, k, "/serve", -1)
		},
	}}
}

// closedLoop measures a closed loop at a path of a server. cpu is the CPU that the server is pinned to, or negative.
func (b brewputRun) closedLoop(ctx context.Context, c *campaign, k known.Config, path string, cpu int) (entry, error) {
	var e entry
	s, err := c.startServer(ctx, k, cpu)
	if err != nil {
		return e, err
	}
	defer s.stop()
	t, _, err := b.run(ctx, c, fmt.Sprintf("GET %s%s\n", s.url, path))
	if err != nil {
		return e, err
	}
	e.fill(t)
	e.Requests = int(t.Operations)
	if e.Conns, err = s.connections(ctx); err != nil {
		return e, err
	}
	e.CPUUsed = s.stop()
	return e, nil
}

// connections is the number of connections of the cell of connections.
const connections = 10_000

// connectionCell opens many connections that stay open.
func connectionCell() cell {
	b := brewputRun{workers: connections, warmup: 5 * time.Second, duration: 10 * time.Second, seed: 1, cpu: -1}
	return cell{
		name: "10,000 connections", part: connectionPart, tool: "brewput",
		right: func(e entry) bool { return e.Conns >= connections && e.Failed == 0 && e.Rate > 0 },
		measure: func(ctx context.Context, c *campaign) (entry, error) {
			return b.closedLoop(ctx, c, known.Config{Servers: 1}, "/fast", -1)
		},
	}
}
