package lab

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/command"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// CommandOptions are the options of [CompareCommands]. Only Commands is required.
type CommandOptions struct {
	// Commands are two commands or more, as in {{"./old", "-n", "5"}, {"./new", "-n", "5"}}. All are compared with the
	// first. No shell is used.
	Commands      [][]string
	Setup         string        // command that runs once before everything; "" for none
	Prepare       string        // command that runs before each run of a command, untimed; "" for none
	Input         string        // file that is each command's standard input; "" for none
	Count         int           // blocks, each of which runs every command once; default 10; with Budget the maximum
	Budget        time.Duration // time for all trials, of at most 40 blocks or Count, if it is less; 0 for none
	Warmups       int           // untimed runs of each command before everything; default 1, negative for none
	TimeLimit     time.Duration // of each run of a command; 0 for none
	IgnoreFailure bool          // measure commands whatever their exit status
	Seed          *uint64       // seed of the order of runs; default 1
	Show          io.Writer     // receives what the commands print; nil discards it
	Output        string        // run directory to create; default brewput-runs/command-TIME
	Args          []string      // stored in the run's header, such as the command line
	Config        []string      // settings of configuration files that apply, stored in the header
	Version       string        // version of the program, stored in the header
	Notify        func(Event)   // receives [Note], [Started] and [Progress]; may be nil
}

// CompareCommands compares the wall time, CPU time and memory of commands. Each trial is a fresh process. A block runs
// every command once, in random order. In the run, the workload is "command" and the designs are b for the first
// command, a for the second, and c, d and so on for the others.
//
// Invalid options are a [*Refusal]. A command that fails is a [*collect.Failure] and ends the run. Other errors are
// those of [Measure], and [Resume] continues the run: it repeats the setup and the warm-up. Concurrent calls are safe
// but disturb each other's measurements.
func CompareCommands(ctx context.Context, o CommandOptions) (*Run, error) {
	switch {
	case o.Count < 0 || o.Budget < 0:
		return nil, refuse("", nil, "give a positive {count} of blocks or a positive {budget}")
	case o.Count == 1 && o.Budget > 0:
		return nil, refuse("count", 1, "a {budget} needs at least 2 blocks")
	case o.Count == 0 && o.Budget == 0:
		o.Count = 10
	}
	x := &command.Experiment{Setup: o.Setup, Prepare: o.Prepare, Input: o.Input,
		Warmups: max(cmp.Or(o.Warmups, 1), 0), TimeLimit: o.TimeLimit, IgnoreFailure: o.IgnoreFailure}
	if err := x.Complete(o.Commands); err != nil {
		return nil, err
	}
	began := time.Now()
	o.Output = store.Directory(o.Output, command.Workload, began)
	defer store.Discard(o.Output) // if it holds no run
	if err := store.CheckVacant(o.Output); err != nil {
		return nil, sweep.StoreError(err)
	}
	runner := &command.Runner{Experiment: x, Output: o.Show, Note: (&Run{notify: o.Notify}).note}
	if err := runner.Begin(ctx); err != nil {
		return nil, unstored(ctx, err, "the setup and the warm-up ran", false)
	}
	h, err := x.Header(sweep.Header{World: result.Live, Args: o.Args, Config: o.Config, Version: o.Version,
		Started: began, Seed: seedText(o.Seed), Blocks: o.Count, Environment: host.Read(),
		Warnings: []string{}}, o.Budget)
	if err != nil {
		return nil, err
	}
	r, err := newRun(ctx, x.Workload(), &DesignOptions{Output: o.Output, Notify: o.Notify}, h)
	if err != nil {
		return nil, err
	}
	runner.Equip(r.sweep)
	return r.measure(ctx)
}

func (r *Run) note(text string) { r.notify.send(Note{text}) }

// Commands computes the medians, verdicts, warnings and the answer of a comparison of commands; nil for other runs.
func (r *Run) Commands() *compare.CommandAnalysis { return command.Analyze(r.sweep, r.Trials) }
