package lab

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/timeline"
)

// ExplainOptions are the options of [Explain]. [Files] ignore CPUs, Duration, TimeLimit, Quick and Keep, because
// nothing runs; an [Address] ignores CPUs. Only a [Command] and a [Package] read Stdin.
type ExplainOptions struct {
	Target Target // required
	Before Target // an earlier state of Target, to compare with; nil for none

	// CPUs are the values of GOMAXPROCS of the runs without a profiler; profiles are taken at the highest. Default: 1
	// and all.
	CPUs     []int
	Duration time.Duration // longest observation of one run; default 10 s
	// TimeLimit is the time for building and all runs of one target; default 3 min. The result lists evidence that did
	// not fit.
	TimeLimit time.Duration
	// Quick takes only a CPU profile and a trace, at the highest of CPUs, in [collect.QuickLimit] after the build. The
	// trials of a design take as long as they take. It finds less: no allocations, and nothing by comparing CPUs.
	Quick bool
	// Keep is the directory for profiles and traces; with Before, its subdirectories before and after hold them.
	// A call that can take profiles removes the files there that an earlier call may have written, such as heap.pprof,
	// even if no profile fits into TimeLimit. "" keeps none.
	Keep string
	// Stdin is the standard input of every run of a program; a file or pipe is copied once. nil is empty input, whereas
	// the command passes its own.
	Stdin *os.File
	// Notify receives a [Note] for each step, [Progress] before each run, with the number of runs done, and a [Warning]
	// for each reason to distrust a stored run; may be nil.
	Notify func(Event)
}

// Explanation is the result of [Explain]. Close removes its files, unless ExplainOptions.Keep was set. Its methods are
// not safe for concurrent use.
type Explanation struct {
	Evidence *collect.Collected // of the target
	Before   *collect.Collected // of ExplainOptions.Before; nil without
	Report   explain.Report     // what limits the target
	Changes  []explain.Change   // from Before to the target, as [explain.Changes] orders them
	Notes    []string           // what makes the changes less reliable, after "before: " or "after: "; or nil
}

// Explain collects evidence of a Go program and reports what limits it, what a change would gain, and how to prove
// that. With Before it also ranks what changed. It runs programs without a shell, each with one kind of profiler or
// none, in process groups that it ends; nothing in the user's tree changes. A design's trials are children of this
// executable, see [Main].
//
// A target that cannot be explained is a [*Refusal], a program that fails an [*collect.Failure]. If ctx is cancelled
// nothing is left behind, and the error is that of ctx. Concurrent calls are safe but disturb each other's
// measurements.
func Explain(ctx context.Context, o ExplainOptions) (*Explanation, error) {
	e, err := o.settings()
	if err != nil {
		return nil, err
	}
	if o.Target.reads() || o.Before != nil && o.Before.reads() {
		end, err := e.CopyStdin(ctx, o.Stdin)
		if err != nil {
			return nil, asRefusal(ctx, err)
		}
		defer end()
	}

	x := &Explanation{}
	if o.Before != nil {
		if x.Before, err = o.Before.collect(ctx, below(e, "before"), o.Notify); err != nil {
			return nil, errors.Join(err, x.Close())
		}
		e = below(e, "after")
	}
	if x.Evidence, err = o.Target.collect(ctx, e, o.Notify); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	x.Report = explain.Explain(x.Evidence.Evidence)
	if x.Before != nil {
		x.Changes = explain.Changes(x.Before.Evidence, x.Evidence.Evidence)
		for i, notes := range [][]string{explain.Explain(x.Before.Evidence).Notes, x.Report.Notes} {
			for _, n := range notes {
				x.Notes = append(x.Notes, []string{"before: ", "after: "}[i]+n)
			}
		}
	}
	return x, nil
}

// Close removes the files of the evidence, unless they were to be kept. It may be called again.
func (x *Explanation) Close() error { return errors.Join(x.Before.Close(), x.Evidence.Close()) }

// Timeline reads the target's trace as spans of goroutines that ran, queued and waited, up to a million of them. It is
// nil without a trace. Call it before Close.
func (x *Explanation) Timeline(ctx context.Context) (*timeline.Timeline, error) {
	return x.Evidence.Timeline(ctx)
}

// settings checks the options and fills in the defaults.
func (o *ExplainOptions) settings() (collect.Options, error) {
	e := collect.DefaultOptions()
	switch {
	case o.Target == nil:
		return e, refuse("target", nil, "is needed: a program, a package, profiles, an address, a "+
			"stored run or a design")
	case o.Duration < 0:
		return e, refuse("duration", o.Duration, "is not a positive time")
	case o.TimeLimit < 0:
		return e, refuse("time-limit", o.TimeLimit, "is not a positive time")
	}
	for _, n := range o.CPUs {
		if n < 1 || n > runtime.NumCPU() {
			return e, refuse("cpus", n, "this machine has %d CPUs", runtime.NumCPU())
		}
	}
	e.Duration, e.TimeLimit = cmp.Or(o.Duration, e.Duration), cmp.Or(o.TimeLimit, e.TimeLimit)
	e.CPUs, e.Dir, e.Quick = o.CPUs, o.Keep, o.Quick
	e.Progress = func(line string) { notifier(o.Notify).send(Note{line}) }
	e.Step = func(done int) { notifier(o.Notify).send(Progress{Done: done}) }
	e.First = func(first *collect.Collected) {
		if text := firstAnswer(explain.Explain(first.Evidence), first.Trace != nil); text != "" {
			notifier(o.Notify).send(Note{text})
		}
	}
	return e, nil
}

// firstAnswer returns a sentence with the first finding of a report on evidence that is not complete, or "" if it has
// none.
func firstAnswer(r explain.Report, traced bool) string {
	switch text := r.ShortAnswer(); {
	case text == "":
		return ""
	case traced:
		return "so far: " + text
	default:
		return "so far, without a trace: " + text
	}
}

// below are the options of one of two targets, whose files lie apart.
func below(e collect.Options, name string) collect.Options {
	if e.Dir != "" {
		e.Dir = filepath.Join(e.Dir, name)
	}
	return e
}
