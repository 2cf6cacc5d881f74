// Command uniqueness checks that designs of the workload identity issue nothing twice in many live calls: make unique.
// By default, these are the designs that run without being named. Each piece is a trial in a process of its own, whose
// check records every identity. The command stores the outcome of each piece, and a later call continues. It exits with
// 1 if an identity was issued twice, or those of a caller do not increase, with 2 if its options are wrong, with 3 if
// pieces are left, and with 4 if something failed.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/brewput/brewput/catalog/identity"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func main() {
	trial.Main(identity.Workload())
	c := campaign{stdout: os.Stdout, workload: identity.Workload()}
	designs := flag.String("designs", "", "`NAMES` of designs, separated by commas (default: all that run without "+
		"being named)")
	flag.IntVar(&c.calls, "calls", 1_000_000_000, "calls of each design")
	flag.IntVar(&c.each, "each", 100_000_000, "calls of a piece")
	flag.StringVar(&c.record, "record", "bin/unique.ndjson", "`FILE` of the outcomes so far")
	limit := flag.Duration("for", 0, "a `TIME` after which no piece begins (default: until all are done)")
	flag.Parse()
	if c.each < 1 || c.calls < c.each || c.calls%c.each != 0 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "unique: give -calls N and -each M, N a multiple of M, and no other argument")
		os.Exit(record.ExitUsage)
	}
	if *designs != "" {
		c.designs = strings.Split(*designs, ",")
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := c.run(ctx, record.NewPiece(*limit))
	if err != nil {
		fmt.Fprintln(os.Stderr, "unique:", err)
		code = cmp.Or(code, record.ExitFailed)
	}
	os.Exit(code)
}

// campaign is a number of pieces for each design.
type campaign struct {
	stdout      io.Writer
	workload    *workload.Workload
	designs     []string // nil: all that run without being named
	calls, each int      // of each design, and of a piece of it
	record      string   // file of the outcomes
}

// entry is the outcome of a piece, a line of the record.
type entry struct {
	Program string        `json:"program"` // SHA-256 of this program
	Design  string        `json:"design"`
	Calls   int           `json:"calls"`
	Seed    uint64        `json:"seed"`
	Wall    time.Duration `json:"wall"`            // without the check
	Error   string        `json:"error,omitempty"` // of the check
}

// run makes the pieces that are not in the record, prints all, and returns the exit code.
func (c *campaign) run(ctx context.Context, piece record.Piece) (code int, err error) {
	designs, err := c.workload.Select(c.designs)
	if err != nil {
		return record.ExitUsage, err
	}
	program, err := record.Self()
	if err != nil {
		return 0, err
	}
	entries, err := record.Read(c.record, func(e entry) error {
		if e.Program != program || e.Calls != c.each {
			return errors.New("a piece by another build, or with another number of calls: remove the file")
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	done := map[string][]entry{}
	for _, e := range entries {
		done[e.Design] = append(done[e.Design], e)
	}

	// Every design has its next piece before any has the one after it.
	var all []entry
	for n := range c.calls / c.each {
		for _, name := range designs {
			all = append(all, entry{Program: program, Design: name, Calls: c.each, Seed: uint64(n + 1)})
		}
	}
	left, err := record.Continue(ctx, c.record, piece, all,
		func(e entry) bool { return uint64(len(done[e.Design])) >= e.Seed },
		func(e entry) error {
			if err := c.measure(ctx, &e); err != nil {
				return fmt.Errorf("piece %d of %s: %w", e.Seed, e.Design, err)
			}
			done[e.Design] = append(done[e.Design], e)
			return record.Append(c.record, e)
		})
	if err != nil {
		return 0, err
	}
	if c.print(designs, done) {
		code = record.ExitBroken
	}
	return record.Exit(c.stdout, code, left, "pieces"), nil
}

// measure makes a piece.
func (c *campaign) measure(ctx context.Context, e *entry) error {
	d, _ := c.workload.Find(e.Design)
	points, err := plan.Points(c.workload.AllFactors(), map[string]plan.Choice{
		"cpus":  {Levels: []plan.Level{plan.IntLevel(runtime.GOMAXPROCS(0))}},
		"calls": {Levels: []plan.Level{plan.IntLevel(e.Calls)}},
	})
	if err != nil {
		return err
	}
	o, err := trial.Runner{TimeLimit: 10 * time.Minute}.Run(ctx, trial.Spec{Workload: c.workload.Name, Design: e.Design,
		Point: points[0].Only(c.workload.FactorsOf(d)), Seed: e.Seed, BurnRate: 1})
	if err != nil {
		return err
	}
	switch o.Trial.Status {
	case result.OK:
		e.Wall = time.Duration(float64(o.Trial.Metrics.Get(result.WallSeconds)) * float64(time.Second))
		return nil
	case result.Wrong: // which has no wall time
		e.Error = o.Trial.Error
		return nil
	}
	return fmt.Errorf("%s %s\n%s", o.Trial.Status, o.Trial.Error, o.Failure)
}

// print writes a row for each design, and reports whether a check failed.
func (c *campaign) print(designs []string, done map[string][]entry) (broken bool) {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "design\tlive calls\ttime per call\ttime of all calls\tresult")
	for _, name := range designs {
		calls, wall, found := 0, time.Duration(0), "nothing issued twice"
		for _, e := range done[name] {
			if e.Error != "" {
				found, broken = fmt.Sprintf("seed %d: %s", e.Seed, e.Error), true
				continue
			}
			calls += e.Calls
			wall += e.Wall
		}
		if len(done[name]) == 0 {
			found = ""
		}
		if calls == 0 {
			fmt.Fprintf(w, "%s\t0\t\t\t%s\n", name, found)
			continue
		}
		each := float64(wall) / float64(calls)
		fmt.Fprintf(w, "%s\t%d\t%.1f ns\t%.0f s\t%s\n", name, calls, each, each*float64(c.calls)/1e9, found)
	}
	w.Flush()
	return broken
}
