package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/proof/services/known"
)

// peer is another load generator.
type peer struct {
	name string
	find func(c *campaign) string // its program
	// advice says what to do if the program is missing.
	advice string
	// sends returns the command that sends a constant rate per second to an address, or as much as it can if rate is 0.
	sends func(program, url string, rate int, d time.Duration) []string
	read  func(out []byte, rate int) (got [3]float64, perSecond float64, err error)
	paces bool // it can send at a given rate
	rival bool // brewput must match it
}

// rateClients is the number of connections of a closed loop that measures the largest rate.
const rateClients = 64

// peers returns the tools that are compared with brewput.
func peers() []peer {
	return []peer{{
		name: "vegeta", paces: true, rival: true, find: func(c *campaign) string { return c.vegeta },
		advice: "make services builds it, with access to the network",
		sends: func(program, url string, rate int, d time.Duration) []string {
			workers := openWorkers
			if rate == 0 {
				workers = rateClients
			}
			return []string{"sh", "-c", fmt.Sprintf(`echo "GET $1" | "$0" attack -rate=%d -duration=%v `+
				`-max-workers=%d -max-connections=%[3]d | "$0" report -type=json`, rate, d, workers), program, url}
		},
		read: readVegeta,
	}, {
		name: "hey", paces: true, rival: true, find: func(c *campaign) string { return "hey" },
		advice: "on Debian: apt-get install hey",
		sends: func(program, url string, rate int, d time.Duration) []string {
			args := []string{program, "-z", d.String(), "-c", fmt.Sprint(rateClients)}
			if rate > 0 { // each of the workers sends at its own rate
				args = []string{program, "-z", d.String(), "-c", fmt.Sprint(rate / heyRate), "-q", fmt.Sprint(heyRate),
					"-o", "csv"}
			}
			return append(args, url)
		},
		read: readHey,
	}, {
		name: "oha", paces: true, find: func(c *campaign) string { return c.oha },
		advice: "cargo install --locked oha",
		sends: func(program, url string, rate int, d time.Duration) []string {
			args := []string{program, "-z", d.String(), "--no-tui", "--output-format", "json"}
			if rate == 0 {
				return append(args, "-c", fmt.Sprint(rateClients), url)
			}
			return append(args, "-c", fmt.Sprint(openWorkers), "-q", fmt.Sprint(rate), "--latency-correction", url)
		},
		read: readOha,
	}, {
		name: "wrk", find: func(c *campaign) string { return "wrk" },
		advice: "on Debian: apt-get install wrk",
		sends: func(program, url string, _ int, d time.Duration) []string {
			seconds := fmt.Sprintf("%.0fs", d.Seconds())
			return []string{program, "-t", "1", "-c", fmt.Sprint(rateClients), "-d", seconds, url}
		},
		read: readRate,
	}, {
		name: "k6", paces: true, rival: true, find: func(c *campaign) string { return c.k6 },
		advice: "make services builds it, with access to the network",
		sends: func(program, url string, rate int, d time.Duration) []string {
			load := fmt.Sprintf(`executor: "constant-vus", vus: %d`, rateClients)
			if rate > 0 {
				load = fmt.Sprintf(`executor: "constant-arrival-rate", rate: %d, preAllocatedVUs: %d`, rate,
					openWorkers)
			}
			script := fmt.Sprintf(k6Script, load, d, url)
			return []string{"sh", "-c", "exec \"$0\" run --quiet --no-usage-report - <<END\n$1\nEND", program, script}
		},
		read: readK6,
	}}
}

// k6Script is a script of k6 with a load, a duration and an address, which prints the summary in JSON.
const k6Script = `import http from "k6/http";
export const options = {
  discardResponseBodies: true,
  scenarios: { load: { %s, duration: "%v" } },
  summaryTrendStats: ["p(50)", "p(90)", "p(99)"],
};
export default function () { http.get("%s"); }
export function handleSummary(data) { return { stdout: JSON.stringify(data) }; }
`

// heyRate is the rate of each of hey's workers.
const heyRate = 10

// missing returns an entry that says why a tool cannot be run, and whether it cannot.
func (p *peer) missing(c *campaign) (e entry, missing bool) {
	if _, err := exec.LookPath(p.find(c)); err != nil {
		return entry{Missing: p.find(c) + " is missing; " + p.advice, absent: true}, true
	}
	return entry{}, false
}

// pins returns an entry that says why the tool and its server cannot have a CPU each, and whether they cannot.
func pins() (e entry, missing bool) {
	if _, err := exec.LookPath("taskset"); err != nil {
		return entry{Missing: "taskset is missing; install util-linux", absent: true}, true
	}
	if n := runtime.NumCPU(); n <= max(toolCPU, serverCPU) {
		return entry{Missing: "needs 2 CPUs", absent: true}, true
	}
	return entry{}, false
}

// attackGrace is how much longer a tool may run than it sends load.
const attackGrace = time.Minute

// attack lets the tool send load, and returns what it reports. If the tool or its requests fail, there is no number. A
// report that cannot be read is an error, which ends the campaign.
func (p *peer) attack(ctx context.Context, c *campaign, url string, rate int, d time.Duration, cpu int) (entry, error) {
	var e entry
	limited, cancel := context.WithTimeout(ctx, d+attackGrace)
	defer cancel()
	out, err := c.command(limited, pinned(p.sends(p.find(c), url, rate, d), cpu)...)
	var ended *failure
	switch {
	case errors.As(err, &ended):
		return entry{Missing: "it failed: " + ended.reason(), absent: true}, nil
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return entry{Missing: fmt.Sprintf("it did not end %v after the load", attackGrace), absent: true}, nil
	case err != nil:
		return e, err
	}
	e.Got, e.Rate, err = p.read(out, rate)
	var failed failedError
	switch {
	case errors.As(err, &failed):
		return entry{Missing: failed.Error(), absent: true}, nil
	case err == nil && rate > 0 && slices.Contains(e.Got[:], 0):
		return entry{Missing: "it reports no p50, p90 or p99", absent: true}, nil
	case err != nil:
		return e, fmt.Errorf("%s: %w in %.2000q", p.name, err, out)
	}
	return e, nil
}

const (
	peerRate   = 600 // per second, at two servers: a load of 0.6
	peerWindow = 10 * time.Second

	rateWindow = 4 * time.Second
	rounds     = 3
)

// peerCells compare the response times that tools report with the truth, at a constant rate.
func peerCells() (cells []cell) {
	for _, pauses := range []bool{false, true} {
		k, name := knownServer(false, 2, pauses), "600/s at two servers"
		if pauses {
			name += " with pauses"
		}
		// The others have no warm-up: their first requests, which open connections, count. k6 leaves connecting out.
		b := brewputRun{arrivals: "constant", rate: peerRate, workers: openWorkers, seed: 3, cpu: -1, warmup: warmup,
			duration: peerWindow}
		cells = append(cells, cell{name: name + ", brewput", part: peerPart, tool: "brewput", calm: true,
			measure: func(ctx context.Context, c *campaign) (entry, error) { return b.openTrial(ctx, c, k) }})
		for _, p := range peers() {
			cells = append(cells, cell{name: name + ", " + p.name, part: peerPart, tool: p.name, calm: true,
				measure: func(ctx context.Context, c *campaign) (entry, error) { return p.atRate(ctx, c, k) }})
		}
	}
	return cells
}

// atRate lets a tool send requests at a constant rate, and computes what it should report.
func (p *peer) atRate(ctx context.Context, c *campaign, k known.Config) (e entry, err error) {
	if e, missing := p.missing(c); missing {
		return e, nil
	}
	if !p.paces {
		return entry{Missing: "cannot send at a given rate"}, nil
	}
	s, err := c.startServer(ctx, k, -1)
	if err != nil {
		return e, err
	}
	defer s.stop()
	if e, err = p.attack(ctx, c, s.url+"/serve", peerRate, peerWindow, -1); err != nil || e.Missing != "" {
		return e, err
	}
	l, err := s.log(ctx)
	if err != nil {
		return e, err
	}
	x := byOrder(l.Config, l.Entries, peerRate)
	return e, x.compute(&e, 0, math.MaxInt64)
}

// The CPUs of the cells of rates.
const (
	toolCPU   = 0
	serverCPU = 1
)

// rateCells measure how many requests per second a tool sends on one CPU, to a server on another one. The rounds
// alternate between the tools.
func rateCells() (cells []cell) {
	b := brewputRun{workers: rateClients, seed: 1, cpu: toolCPU, warmup: 500 * time.Millisecond, duration: rateWindow}
	for round := range rounds {
		cells = append(cells, cell{name: fmt.Sprintf("rate on one CPU, round %d, brewput", round+1), part: ratePart,
			tool: "brewput", calm: true, measure: func(ctx context.Context, c *campaign) (entry, error) {
				if e, missing := pins(); missing {
					return e, nil
				}
				return b.closedLoop(ctx, c, known.Config{Servers: 1}, "/fast", serverCPU)
			}})
		for _, p := range peers() {
			cells = append(cells, cell{name: fmt.Sprintf("rate on one CPU, round %d, %s", round+1, p.name),
				part: ratePart, tool: p.name, calm: true, measure: p.asFast})
		}
	}
	return cells
}

// asFast lets a tool send as many requests as it can on one CPU.
func (p *peer) asFast(ctx context.Context, c *campaign) (e entry, err error) {
	if e, missing := p.missing(c); missing {
		return e, nil
	}
	if e, missing := pins(); missing {
		return e, nil
	}
	s, err := c.startServer(ctx, known.Config{Servers: 1}, serverCPU)
	if err != nil {
		return e, err
	}
	defer s.stop()
	if e, err = p.attack(ctx, c, s.url+"/fast", 0, rateWindow, toolCPU); err != nil || e.Missing != "" {
		return e, err
	}
	e.CPUUsed = s.stop()
	return e, nil
}
