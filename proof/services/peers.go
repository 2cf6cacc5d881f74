package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/brewput/brewput/proof/services/known"
)

// peer is another load generator.
type peer struct {
	name string
	find func(c *campaign) string // its program; "" for none
	why  string                   // why it is missing; %s is the error
	// sends returns the command that sends a constant rate per second, or as much as it can if rate is 0, to an
	// address. It is nil if the tool cannot keep a rate.
	sends func(program, url string, rate int, d time.Duration) []string
	read  func(out []byte, rate int) (got [3]float64, perSecond float64, err error)
	paces bool // it can send at a given rate
}

// rateClients is the number of connections of a closed loop that measures the largest rate.
const rateClients = 64

// peers returns the tools that are compared with brewput.
func peers() []peer {
	return []peer{{
		name: "vegeta", paces: true, find: func(c *campaign) string { return c.vegeta },
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
		name: "hey", paces: true, find: func(c *campaign) string { return "hey" },
		sends: func(program, url string, rate int, d time.Duration) []string {
			args := []string{program, "-z", d.String(), "-c", fmt.Sprint(rateClients)}
			if rate > 0 { // each of the workers sends at its own rate, which is a whole number
				args = []string{program, "-z", d.String(), "-c", fmt.Sprint(rate / heyRate), "-q", fmt.Sprint(heyRate),
					"-o", "csv"}
			}
			return append(args, url)
		},
		read: readHey,
	}, {
		name: "oha", paces: true, find: func(c *campaign) string { return c.oha },
		sends: func(program, url string, rate int, d time.Duration) []string {
			args := []string{program, "-z", d.String(), "-c", fmt.Sprint(rateClients), "--no-tui", "-j"}
			if rate > 0 {
				args = []string{program, "-z", d.String(), "-c", fmt.Sprint(openWorkers), "-q", fmt.Sprint(rate),
					"--latency-correction", "--no-tui", "-j"}
			}
			return append(args, url)
		},
		read: readOha,
	}, {
		name: "wrk", find: func(c *campaign) string { return "wrk" },
		sends: func(program, url string, _ int, d time.Duration) []string {
			seconds := fmt.Sprintf("%.0fs", d.Seconds())
			return []string{program, "-t", "1", "-c", fmt.Sprint(rateClients), "-d", seconds, url}
		},
		read: readRate,
	}, {
		name: "k6", why: "its licence, AGPL, keeps it out of this project",
	}}
}

// heyRate is the rate of each of hey's workers.
const heyRate = 10

// missing returns why a tool cannot be run; "" if it can.
func (p *peer) missing(c *campaign) string {
	if p.find == nil {
		return p.why
	}
	if _, err := exec.LookPath(p.find(c)); err != nil {
		return "not installed; see tools/need-load-generators.sh"
	}
	return ""
}

// attack lets the tool send load, and returns what it reports.
func (p *peer) attack(ctx context.Context, c *campaign, url string, rate int, d time.Duration, cpu int) (entry, error) {
	var e entry
	out, err := command(ctx, pinned(p.sends(p.find(c), url, rate, d), cpu)...)
	if err != nil {
		return e, err
	}
	e.Got, e.Rate, err = p.read(out, rate)
	if err != nil {
		return e, fmt.Errorf("%s: %w in %.2000q", p.name, err, out)
	}
	return e, nil
}

// readVegeta reads vegeta's report in JSON.
func readVegeta(out []byte, _ int) (got [3]float64, perSecond float64, err error) {
	var r struct {
		Latencies struct {
			P50 float64 `json:"50th"`
			P90 float64 `json:"90th"`
			P99 float64 `json:"99th"`
		}
		Throughput, Success float64
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return got, 0, err
	}
	if r.Success < 1 {
		return got, 0, fmt.Errorf("%.4g of the requests succeeded", r.Success)
	}
	return [3]float64{r.Latencies.P50, r.Latencies.P90, r.Latencies.P99}, r.Throughput, nil
}

// readHey reads hey's times in CSV, or its summary if it had no rate.
func readHey(out []byte, rate int) (got [3]float64, perSecond float64, err error) {
	if rate == 0 {
		return readRate(out, rate)
	}
	in := csv.NewReader(bytes.NewReader(out))
	if _, err := in.Read(); err != nil {
		return got, 0, err
	}
	var times []float64
	last := 0.0
	for {
		line, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return got, 0, err
		}
		if len(line) != 8 || line[6] != "200" {
			return got, 0, fmt.Errorf("a line %q", line)
		}
		took, err := strconv.ParseFloat(line[0], 64)
		if err != nil {
			return got, 0, err
		}
		start, err := strconv.ParseFloat(line[7], 64)
		if err != nil {
			return got, 0, err
		}
		times, last = append(times, took*1e9), max(last, start+took)
	}
	for i, q := range quantiles {
		got[i] = quantile(times, q)
	}
	return got, float64(len(times)) / last, nil
}

// perSecondLine matches the rate in the summaries of hey and wrk.
var perSecondLine = regexp.MustCompile(`(?m)^\s*Requests/sec:\s+([0-9.]+)`)

// readRate reads the rate in the summary of hey or wrk.
func readRate(out []byte, _ int) (got [3]float64, perSecond float64, err error) {
	m := perSecondLine.FindSubmatch(out)
	if m == nil {
		return got, 0, fmt.Errorf("no rate")
	}
	perSecond, err = strconv.ParseFloat(string(m[1]), 64)
	return got, perSecond, err
}

// readOha reads oha's report in JSON.
func readOha(out []byte, _ int) (got [3]float64, perSecond float64, err error) {
	var r struct {
		Summary struct {
			SuccessRate    float64 `json:"successRate"`
			RequestsPerSec float64 `json:"requestsPerSec"`
		} `json:"summary"`
		Latency map[string]float64 `json:"latencyPercentiles"`
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return got, 0, err
	}
	for i, name := range []string{"p50", "p90", "p99"} {
		got[i] = r.Latency[name] * 1e9
	}
	return got, r.Summary.RequestsPerSec, nil
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
		b := brewputRun{arrivals: "constant", rate: peerRate, workers: openWorkers, seed: 3, cpu: -1, warmup: warmup,
			duration: peerWindow}
		cells = append(cells, cell{name: name + ", brewput", part: peerPart, tool: "brewput", right: accurate,
			measure: func(ctx context.Context, c *campaign) (entry, error) { return b.openLoop(ctx, c, k) }})
		for _, p := range peers() {
			cells = append(cells, cell{name: name + ", " + p.name, part: peerPart, tool: p.name,
				measure: func(ctx context.Context, c *campaign) (entry, error) { return p.atRate(ctx, c, k) }})
		}
	}
	return cells
}

// atRate lets a tool send requests at a constant rate, and computes what it should report.
func (p *peer) atRate(ctx context.Context, c *campaign, k known.Config) (e entry, err error) {
	e.Missing = p.missing(c)
	if e.Missing == "" && !p.paces {
		e.Missing = "cannot send at a given rate"
	}
	if e.Missing != "" {
		return e, nil
	}
	s, err := startServer(ctx, k, -1)
	if err != nil {
		return e, err
	}
	defer s.stop()
	if e, err = p.attack(ctx, c, s.url+"/serve", peerRate, peerWindow, -1); err != nil {
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
			tool: "brewput", measure: func(ctx context.Context, c *campaign) (entry, error) {
				return b.closedLoop(ctx, c, known.Config{Servers: 1}, "/fast", serverCPU)
			}})
		for _, p := range peers() {
			cells = append(cells, cell{name: fmt.Sprintf("rate on one CPU, round %d, %s", round+1, p.name),
				part: ratePart, tool: p.name, measure: p.asFast})
		}
	}
	return cells
}

// asFast lets a tool send as many requests as it can on one CPU.
func (p *peer) asFast(ctx context.Context, c *campaign) (e entry, err error) {
	if e.Missing = p.missing(c); e.Missing != "" {
		return e, nil
	}
	s, err := startServer(ctx, known.Config{Servers: 1}, serverCPU)
	if err != nil {
		return e, err
	}
	defer s.stop()
	if e, err = p.attack(ctx, c, s.url+"/fast", 0, rateWindow, toolCPU); err != nil {
		return e, err
	}
	e.CPUUsed = s.stop()
	return e, nil
}
