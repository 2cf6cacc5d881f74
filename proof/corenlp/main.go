// Command corenlp measures CoreNLP's server: throughput and response time against clients, length of the sentences,
// annotators and heap: make corenlp-load. It names the knee of each: the number of clients from which on more of them
// only wait. It also checks that a swapped annotator is detected. Each trial starts a server, whose parses are all
// checked. The command stores each trial, and a later call continues. It exits with 1 if a parse was wrong or a swapped
// one was not noticed, with 2 if it is used wrongly or CoreNLP is missing, with 3 if trials are left, and with 4 if one
// failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/brewput/brewput/endpoint/corenlp"
	"github.com/brewput/brewput/internal/interrupt"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func main() {
	trial.Main(corenlp.Workload())
	ctx, stop := signal.NotifyContext(context.Background(), interrupt.Signals()...)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// campaign is a number of blocks of trials.
type campaign struct {
	stdout           io.Writer
	workload         *workload.Workload
	blocks           int
	window, warmup   time.Duration
	record           string
	annotators, heap string // measure only these; "" means all
	length           int    // measure only this; 0 means all
	program          string // hash of this program
}

// run makes the trials that are missing, prints all, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := campaign{stdout: stdout}
	flags := flag.NewFlagSet("corenlp", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&c.blocks, "blocks", 3, "trials of each point")
	flags.DurationVar(&c.window, "duration", 10*time.Second, "`TIME` that a trial measures")
	flags.DurationVar(&c.warmup, "warmup", 10*time.Second, "`TIME` before it, in which the server compiles its code")
	flags.StringVar(&c.record, "record", "bin/corenlp.ndjson", "`FILE` of the trials so far")
	flags.StringVar(&c.annotators, "annotators", "", "measure only these: pos, parse or depparse")
	flags.StringVar(&c.heap, "heap", "", "measure only this heap, as in 2g")
	flags.IntVar(&c.length, "length", 0, "measure only this number of words")
	java := flags.String("java", "java", "`PROGRAM` that runs Java")
	jars := flags.String("jars", "", "`DIRECTORY` of CoreNLP's files (default in the cache directory)")
	limit := flags.Duration("for", 0, "a `TIME` after which no trial begins (default: until all are done)")
	if err := flags.Parse(args); err != nil {
		return record.ExitUsage
	}
	given := workload.Given{"java": {*java}}
	if *jars != "" {
		given["jars"] = []string{*jars}
	}
	w, err := corenlp.Workload().With(given)
	if err == nil && (flags.NArg() > 0 || c.blocks < 1 || c.window <= 0 || c.warmup < 0) {
		err = errors.New("give at least one block, a positive duration, and no other argument")
	}
	if c.workload = w; err == nil {
		err = c.check()
	}
	if err == nil {
		c.program, err = record.Self()
	}
	if err != nil {
		fmt.Fprintln(stderr, "corenlp:", err)
		return record.ExitUsage
	}

	code, err := c.run(ctx, record.NewPiece(*limit))
	if err != nil {
		fmt.Fprintln(stderr, "corenlp:", err)
		code = record.ExitFailed
	}
	return code
}

// cell is a design at a point.
type cell struct {
	Design     string `json:"design"`
	Annotators string `json:"annotators"`
	Length     int    `json:"length"`
	Heap       string `json:"heap"`
	Clients    int    `json:"clients"`
}

// cells returns what is measured: each length with two parsers, each annotator, and each heap.
func (c *campaign) cells() (list []cell) {
	curve := func(annotators string, length int, heap string) {
		if c.annotators != "" && c.annotators != annotators || c.heap != "" && c.heap != heap ||
			c.length > 0 && c.length != length {
			return
		}
		for _, clients := range []int{1, 2, 4, 8} {
			list = append(list, cell{"server", annotators, length, heap, clients})
		}
	}
	for _, annotators := range []string{"parse", "depparse"} {
		for _, length := range []int{5, 10, 20, 40} {
			curve(annotators, length, "2g")
		}
	}
	curve("pos", 20, "2g")
	curve("parse", 20, "1g")
	curve("parse", 20, "4g")
	return append(list, cell{"swapped", "parse", 20, "2g", 1})
}

// threads is the number of threads of the servers: one for each CPU of a small machine.
const threads = 2

// point returns the point of a cell.
func (c *campaign) point(x cell) (plan.Point, error) {
	points, err := plan.Points(c.workload.AllFactors(), map[string]plan.Choice{
		"cpus":       {Levels: []plan.Level{plan.IntLevel(threads)}},
		"workers":    {Levels: []plan.Level{plan.IntLevel(x.Clients)}},
		"annotators": {Levels: []plan.Level{plan.TextLevel(x.Annotators)}},
		"length":     {Levels: []plan.Level{plan.IntLevel(x.Length)}},
		"heap":       {Levels: []plan.Level{plan.TextLevel(x.Heap)}},
		"threads":    {Levels: []plan.Level{plan.IntLevel(threads)}},
	})
	if err != nil {
		return plan.Point{}, err
	}
	d, _ := c.workload.Find(x.Design)
	return points[0].Only(c.workload.FactorsOf(d)), nil
}

// check returns an error if nothing is measured, or CoreNLP or Java is missing.
func (c *campaign) check() error {
	all := c.cells()
	if len(all) == 1 {
		return errors.New("no curve has these -annotators, this -heap and this -length; leave one of them out")
	}
	p, err := c.point(all[0])
	if err != nil {
		return err
	}
	return c.workload.Check(p)
}

// entry is a trial, a line of the record. Times are in seconds.
type entry struct {
	Program    string        `json:"program"` // hash of the program that made it
	Cell       cell          `json:"cell"`
	Block      int           `json:"block"`
	Window     time.Duration `json:"window"`
	Warmup     time.Duration `json:"warmup"`
	Operations int64         `json:"operations"`
	Throughput result.Value  `json:"throughput_per_s"`
	Mean       result.Value  `json:"latency_mean_seconds"`
	Server     result.Value  `json:"server_seconds"` // CPU time of the server for a reply, warm-up included
	Status     result.Status `json:"status"`
	Error      string        `json:"error,omitempty"`
}

// run makes the trials that are not in the record, prints all, and returns the exit code.
func (c *campaign) run(ctx context.Context, piece record.Piece) (code int, err error) {
	entries, err := record.Read(c.record, func(e entry) error {
		if e.Program != c.program {
			return errors.New("it was measured by another build: remove the file, or build the same sources")
		}
		if e.Window != c.window || e.Warmup != c.warmup {
			return errors.New("a trial with another duration or warm-up: remove the file, or give another")
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	var all []entry
	for block := range c.blocks {
		for _, x := range order(c.cells(), block) {
			all = append(all, entry{Program: c.program, Cell: x, Block: block, Window: c.window, Warmup: c.warmup})
		}
	}
	left, err := record.Continue(ctx, c.record, piece, all,
		func(x entry) bool {
			return slices.ContainsFunc(entries, func(e entry) bool { return e.Cell == x.Cell && e.Block == x.Block })
		},
		func(e entry) error {
			if err := c.measure(ctx, &e); err != nil {
				return fmt.Errorf("%+v: %w", e.Cell, err)
			}
			entries = append(entries, e)
			return record.Append(c.record, e)
		})
	if err != nil {
		return 0, err
	}
	if c.print(entries) > 0 {
		code = record.ExitBroken
	}
	return record.Exit(c.stdout, code, left, "trials"), nil
}

// measure makes a trial.
func (c *campaign) measure(ctx context.Context, e *entry) error {
	p, err := c.point(e.Cell)
	if err != nil {
		return err
	}
	o, err := trial.Runner{TimeLimit: 10 * time.Minute}.Run(ctx, trial.Spec{Workload: c.workload.Name,
		Design: e.Cell.Design, Given: c.workload.Given, Point: p, Block: e.Block, Seed: uint64(e.Block + 1),
		Warmup: c.warmup, Duration: c.window, BurnRate: 1})
	if err != nil {
		return err
	}
	e.Status, e.Error, e.Operations = o.Trial.Status, o.Trial.Error, o.Trial.Operations
	e.Throughput = o.Trial.Metrics.Get(result.Throughput)
	e.Mean = o.Trial.Metrics.Get("latency_mean_ns") / 1e9
	e.Server = o.Trial.Metrics.Get("server_cpu_seconds") / o.Trial.Metrics.Get("status_200")
	if e.Status == result.Failed {
		return fmt.Errorf("%s\n%s", o.Trial.Error, o.Failure)
	}
	return nil
}
