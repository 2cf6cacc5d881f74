// Command identities checks that the servers of the workload peers issue no identity twice, and that those of a client
// increase, in many random systems with lost messages, partitions and crashes: make identities. A system depends only
// on its seed. The command stores what it found in each piece, and a later call continues. It exits with 1 if a check
// failed, or if fewer than a third of the systems had both a partition and a crash, with 3 if pieces are left, and with
// 4 if something failed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/brewput/brewput/catalog/peers"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func main() {
	c := campaign{stdout: os.Stdout, workload: peers.Workload(), designs: []string{"interleaved", "leased"}}
	flag.IntVar(&c.systems, "systems", 10_000, "random systems of each design")
	flag.IntVar(&c.each, "each", 500, "systems of a piece")
	flag.StringVar(&c.record, "record", "bin/identities.ndjson", "`FILE` of what was found so far")
	limit := flag.Duration("for", 0, "a `TIME` after which no piece begins (default: until all are done)")
	flag.Parse()
	if c.each < 1 || c.systems < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "identities: give -systems N and -each M, both at least 1, and no other argument")
		os.Exit(record.ExitUsage)
	}
	code, err := c.run(record.NewPiece(*limit))
	if err != nil {
		fmt.Fprintln(os.Stderr, "identities:", err)
		code = record.ExitFailed
	}
	os.Exit(code)
}

// campaign checks the systems of the seeds 1 to systems for each design.
type campaign struct {
	stdout        io.Writer
	workload      *workload.Workload
	designs       []string
	systems, each int    // of each design, and of a piece of it
	record        string // file of what was found
}

// entry is what was found in the systems of a piece, a line of the record.
type entry struct {
	Program    string `json:"program"` // SHA-256 of this program
	Design     string `json:"design"`
	First      int    `json:"first"` // seed
	Systems    int    `json:"systems"`
	Faulty     int    `json:"faulty"` // systems with both a partition and a crash
	Partitions int    `json:"partitions"`
	Crashes    int    `json:"crashes"`
	Error      string `json:"error,omitempty"` // of the first check that failed
}

// include adds the piece that follows.
func (e *entry) include(next entry) {
	e.Systems += next.Systems
	e.Faulty += next.Faulty
	e.Partitions += next.Partitions
	e.Crashes += next.Crashes
	if e.Error == "" {
		e.Error = next.Error
	}
}

// run makes the pieces that are not in the record, prints the sums, and returns the exit code.
func (c *campaign) run(piece record.Piece) (code int, err error) {
	program, err := record.Self()
	if err != nil {
		return 0, err
	}
	entries, err := record.Read(c.record, func(e entry) error {
		if e.Program != program {
			return errors.New("a piece by another build: remove the file")
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	sums, left := make([]entry, len(c.designs)), 0
	for i, name := range c.designs {
		sum := &sums[i]
		sum.Design = name
		for _, e := range entries {
			if e.Design == name && e.First == sum.Systems+1 && sum.Systems+e.Systems <= c.systems {
				sum.include(e)
			}
		}
		for sum.Systems < c.systems && !piece.Over() {
			e := entry{Program: program, Design: name, First: sum.Systems + 1,
				Systems: min(c.each, c.systems-sum.Systems)}
			if err := c.check(&e); err != nil {
				return 0, err
			}
			if err := record.Append(c.record, e); err != nil {
				return 0, err
			}
			sum.include(e)
		}
		left += c.systems - sum.Systems
	}
	if c.print(sums) {
		code = record.ExitBroken
	}
	return record.Exit(c.stdout, code, left, "systems"), nil
}

// settings returns a random system.
func settings(seed uint64) map[string]string {
	r := rand.New(rand.NewPCG(seed, 0))
	n := func(from, to int) string { return fmt.Sprint(from + r.IntN(to-from+1)) }
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	return map[string]string{"peers": n(3, 7), "clients": n(1, 9), "identities": n(1, 60), "faults": n(0, 20),
		"lease": n(1, 30), "cpus": n(1, 4), "loss": one("0", "0.02", "0.3"),
		"store": one("0s", "200us", "5ms", "30ms"), "latency": one("100us", "1ms", "40ms"),
		"drift": one("0", "0.1", "0.9")}
}

// system returns the point of a random system.
func (c *campaign) system(seed uint64) (plan.Point, error) {
	choices := map[string]plan.Choice{}
	for name, text := range settings(seed) {
		f, ok := c.workload.Factor(name)
		if !ok {
			return plan.Point{}, fmt.Errorf("workload %s has no factor %s", c.workload.Name, name)
		}
		choice, err := f.Parse(text, nil)
		if err != nil {
			return plan.Point{}, err
		}
		choices[name] = choice
	}
	points, err := plan.Points(c.workload.AllFactors(), choices)
	if err != nil {
		return plan.Point{}, err
	}
	return points[0], nil
}

// check makes a piece.
func (c *campaign) check(e *entry) error {
	d, ok := c.workload.Find(e.Design)
	if !ok {
		return fmt.Errorf("workload %s has no design %s", c.workload.Name, e.Design)
	}
	for seed := uint64(e.First); seed < uint64(e.First+e.Systems); seed++ {
		p, err := c.system(seed)
		if err != nil {
			return err
		}
		x := trial.Simulate(trial.Spec{Workload: c.workload.Name, Design: d.Name, Seed: seed, BurnRate: 1,
			Point: p.Only(c.workload.FactorsOf(d))}, c.workload, d, sim.Costs{}).Trial
		if !x.Good() && e.Error == "" {
			e.Error = strings.TrimSpace(fmt.Sprintf("seed %d: %s %s", seed, x.Status, x.Error))
		}
		if x.Status != result.OK { // which has no metrics
			continue
		}
		partitions, crashes := int(x.Metrics.Get("partitions")), int(x.Metrics.Get("crashes"))
		if partitions > 0 && crashes > 0 {
			e.Faulty++
		}
		e.Partitions += partitions
		e.Crashes += crashes
	}
	return nil
}

// print writes a row for each design, and reports whether a check failed or there were too few faults.
func (c *campaign) print(sums []entry) (broken bool) {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "design\tsystems\twith a partition and a crash\tpartitions\tcrashes\tresult")
	for _, e := range sums {
		found := "nothing issued twice"
		switch {
		case e.Error != "":
			found = e.Error
		case e.Systems < c.systems:
			found = "not finished"
		case 3*e.Faulty < e.Systems:
			found = "too few faults"
		}
		broken = broken || e.Error != "" || e.Systems == c.systems && 3*e.Faulty < e.Systems
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\n", e.Design, e.Systems, e.Faulty, e.Partitions, e.Crashes, found)
	}
	w.Flush()
	return broken
}
