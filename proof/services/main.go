// Command services compares load on HTTP services with the truth: make services. A server of known behaviour logs each
// arrival and service time, and the recursion of Kiefer and Wolfowitz over the arrivals that were intended gives the
// response times that a perfect client would report. The campaign compares brewput run http with them, and with other
// load generators. It stores what it measured, and a later call continues. It exits with 1 if a target was missed, with
// 3 if cells are left, other processes disturbed one, or a number that decides is missing, and with 4 if something
// failed.
//
// With the argument serve, it is that server, until its standard input ends.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/interrupt"
	"github.com/brewput/brewput/proof/record"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == serveCommand {
		os.Exit(serve(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	c := campaign{stdout: os.Stdout, stderr: os.Stderr}
	flag.StringVar(&c.brewput, "program", "bin/brewput", "`FILE` of the command brewput")
	flag.StringVar(&c.record, "record", "bin/services.ndjson", "`FILE` of what was measured so far")
	flag.StringVar(&c.vegeta, "vegeta", "bin/vegeta", "`FILE` of vegeta")
	flag.StringVar(&c.oha, "oha", "oha", "`NAME` of oha")
	flag.StringVar(&c.k6, "k6", "k6", "`NAME` or file of k6")
	only := flag.String("only", "", "`PATTERN` of names of cells (default all)")
	limit := flag.Duration("for", 0, "a `TIME` after which no cell begins (default: until all are done)")
	flag.Parse()
	cells, err := matching(allCells(), *only)
	if err != nil || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "services: give -only a pattern of cells such as '^truth', and no other argument")
		os.Exit(record.ExitUsage)
	}

	ctx, stop := signal.NotifyContext(context.Background(), interrupt.Signals()...)
	defer stop()
	release, err := stayAwake(latencyFile, isDevice)
	if c.awake = err == nil; !c.awake {
		fmt.Fprintf(os.Stderr, "services: idle CPUs may wake late: %v; to keep them awake, run make services as root "+
			"on a Linux that has this device\n", err)
	}
	code := 0
	if c.hashes, err = hashes(c.brewput); err == nil {
		code, err = c.run(ctx, cells, record.NewPiece(*limit))
	}
	// Until here, the file must stay reachable: the garbage collector closes files that are not.
	if err = errors.Join(err, release()); err != nil {
		fmt.Fprintln(os.Stderr, "services:", err)
		code = record.ExitFailed
	}
	os.Exit(code)
}

// campaign measures cells.
type campaign struct {
	stdout, stderr           io.Writer
	brewput, vegeta, oha, k6 string        // programs
	hashes                   string        // of brewput and this program
	record                   string        // file of the entries
	spent                    time.Duration // CPU time of the processes that it started and awaited
	awake                    bool          // the kernel was asked to keep idle CPUs awake
}

// matching returns the cells whose names match a pattern.
func matching(all []cell, pattern string) ([]cell, error) {
	p, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(x cell) bool { return !p.MatchString(x.name) })
	if len(all) == 0 {
		return nil, errors.New("no cell has such a name")
	}
	return all, nil
}

// entry is the measurement of a cell. Times are in nanoseconds.
type entry struct {
	Programs string `json:"programs"`       // hashes of brewput and this program
	Tool     string `json:"tool,omitempty"` // hash of the other load generator
	Cell     string `json:"cell"`
	Awake    bool   `json:"awake,omitempty"`   // the kernel was asked to keep idle CPUs awake
	Missing  string `json:"missing,omitempty"` // why there is no measurement
	absent   bool   // there are no figures now, so that a later call tries again
	// Refused is the number of trials before this one, in all calls, that brewput refused on an idle machine, because
	// it was late.
	Refused int `json:"refused,omitempty"`

	Requests int        `json:"requests"`  // that were measured
	Got      [3]float64 `json:"got"`       // p50, p90 and p99 as the tool reports them
	Truth    [3]float64 `json:"truth"`     // of a perfect client
	Served   [3]float64 `json:"served"`    // of the server: from when a request reached it to the write
	Late     [2]float64 `json:"late"`      // p50 and p99 of how much later requests arrived than the quickest one
	Joined   [2]float64 `json:"joined"`    // p50 and p99 of how long requests took from the server's kernel to its queue
	Lag      float64    `json:"lag"`       // of the generator, as it reports itself
	Rate     float64    `json:"rate"`      // replies per second
	Others   float64    `json:"others"`    // CPUs in use by other processes: see [idle.Watch]
	Memory   float64    `json:"memory"`    // peak resident memory of the tool in bytes
	Conns    float64    `json:"conns"`     // largest number of connections that were open at the same time
	Failed   float64    `json:"failed"`    // share of the requests that failed
	CPUUsed  float64    `json:"cpu_share"` // of one CPU by the server
}

// follow adds the trials that brewput refused in an earlier measurement of the cell.
func (e *entry) follow(before entry) {
	e.Refused += before.Refused
	if before.Missing == lateSelf && !before.busy() {
		e.Refused++
	}
}

// run measures the cells that are not in the record, and those that other processes disturbed, whose trials brewput
// refused, or whose tool is another program now. It prints all measurements, except those by another build of a tool
// that is installed, and returns the exit code.
func (c *campaign) run(ctx context.Context, cells []cell, piece record.Piece) (int, error) {
	entries, err := record.Read(c.record, func(e entry) error {
		if e.Programs != c.hashes {
			return errors.New("it was measured by another build of brewput or services: remove the file, or build " +
				"the same sources")
		}
		if e.Awake != c.awake {
			return fmt.Errorf("it was measured with idle CPUs that %s, and now they %s: run make services as the "+
				"user who began it, or remove %s to start over", sleeping(e.Awake), sleeping(c.awake), c.record)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	done := map[string]entry{}
	for _, e := range entries {
		done[e.Cell] = e
	}

	tools := c.toolHashes()
	for _, x := range cells {
		if hash, found := tools[x.tool]; found && hash != done[x.name].Tool {
			delete(done, x.name)
		}
	}
	left, err := record.Continue(ctx, c.record, piece, cells,
		func(x cell) bool {
			e, ok := done[x.name]
			v := x.judge(e)
			return ok && v != disturbed && v != undecided
		},
		func(x cell) error {
			e, err := c.measure(ctx, x)
			if err != nil {
				return fmt.Errorf("%s: %w", x.name, err)
			}
			e.Programs, e.Tool, e.Cell, e.Awake = c.hashes, tools[x.tool], x.name, c.awake
			e.follow(done[x.name])
			if _, known := done[x.name]; !known || !e.absent {
				done[x.name] = e
			}
			fmt.Fprintln(c.stderr, strings.TrimSpace(fmt.Sprintf("%s  %s  %s", x.name, x.judge(e), e.Missing)))
			if e.absent {
				return nil
			}
			return record.Append(c.record, e)
		})
	if err != nil {
		return 0, err
	}
	return record.Exit(c.stdout, c.print(cells, done), left, "cells"), nil
}

// toolHashes returns the hashes of the other load generators that are there, by name.
func (c *campaign) toolHashes() map[string]string {
	hashes := map[string]string{}
	for _, p := range peers() {
		path, err := exec.LookPath(p.find(c))
		if err != nil {
			continue
		}
		if hash, err := record.Hash(path); err == nil {
			hashes[p.name] = hash
		}
	}
	return hashes
}

// hashes returns the hashes of a program and of this one.
func hashes(program string) (string, error) {
	other, err := record.Hash(program)
	if err != nil {
		return "", fmt.Errorf("%w: give the command brewput by -program, or run make services", err)
	}
	own, err := record.Self()
	return other + " " + own, err
}

// attempts is how often a call measures a cell at most, if other processes disturb it.
const attempts = 2

// measure measures a cell.
func (c *campaign) measure(ctx context.Context, x cell) (e entry, err error) {
	for range attempts {
		before := e
		e, err = x.measure(ctx, c)
		if e.absent && before.busy() && before.Missing == "" { // it has numbers
			return before, err
		}
		e.follow(before)
		if err != nil || x.judge(e) != disturbed {
			break
		}
	}
	return e, err
}
