// Package workload describes what is measured: a job to do and the designs that do it.
//
// A [Workload] is a job with its input and the check of its answer. A [Design] is one concurrent structure that does
// the job. It is either a [Stream], an operation that many workers repeat, or a [Job], a fixed amount of work that runs
// once. Designs use only package env, so that the same code runs on the Go runtime and in virtual time.
package workload

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
)

// Workload is a job to do, with its factors and designs. A Workload must not be changed while it is in use.
type Workload struct {
	Name    string // lower case, without spaces, slashes, commas and equals signs
	Doc     string // the first line is a summary
	Factors []plan.Factor
	Designs []Design

	// More returns the designs that another program runs. They run only if they are named: Find and Select call More if
	// no design of Designs has the name, or that one is [Design.Absent]. It must be safe for concurrent use, and may be
	// nil.
	More func() ([]Design, error)

	// Source contains the Go files of the designs, whose lines are counted and shown. If it is nil, the files are read
	// from where they were compiled. Package workload does not read it.
	Source fs.FS

	// Options are settings that are no factors. A workload with options is measured as [Workload.With] returns it.
	Options []Option
	// Make returns the workload for given values of its options, whose names and number are checked. It only parses
	// them: it opens no file and no connection, because stored runs are read with it. Errors should be a
	// [plan.Refusal], which names the option. Make is nil without options.
	Make  func(g Given) (*Workload, error)
	Given Given // the values of which Make made this workload; With sets it

	// Files returns the paths of the files that decide what trials measure, such as a body of a request and the program
	// of a server. Runs store their checksums, and stop if one changes. Files may be nil.
	Files func() []string

	// Preflight asks for a trial of one operation of each design before a run is stored. If one fails, the run ends
	// with its error. A trial in which too many requests failed is repeated up to three times, with two operations, one
	// and two, unless the load is Limited or the trial took 10 s.
	Preflight bool

	// Limited says that the load must stay within what the user asks for, because it goes to other machines. Runs need
	// the factor rate and a number of operations, which is then the mean number of requests of an open loop's trial.
	// There is no warm-up, and no capacity is measured.
	Limited bool

	// FurtherMetrics are metrics by which designs are compared too, such as latency_p99_ns.
	FurtherMetrics []string

	// OpenWorkers is the default level of the factor workers in open loops; "" means cpus.
	OpenWorkers string

	// Check returns an error for a point that makes no sense, such as a jitter above twice the stage's time. The error
	// should be a [plan.Refusal], which names the factor. Check may be nil.
	Check func(p plan.Point) error

	// Example has arguments of a command that runs the workload, for its help, such as "{url} http://127.0.0.1/". It is
	// "" if the workload runs without any.
	Example string

	// Quick has the levels of a quick run, by factor, as [plan.Factor.Parse] reads them. Levels of the user take
	// precedence.
	Quick map[string]string
}

// Design is one concurrent structure that does the job. Exactly one of Stream and Job is set. Neither is set for a Go
// benchmark, which runs in a binary of its own and belongs to no list of workloads.
//
// A simulation runs several trials at once in one process. So it calls Stream, Job and the functions that they return,
// such as Check, concurrently for different trials: variables that they write must belong to one trial. A measured
// trial has a process of its own.
type Design struct {
	Name   string   // without spaces, slashes, commas and equals signs
	Doc    string   // one line
	Uses   []string // the workload's factors that the design reads; the point of a trial contains only these
	Stream func(e env.Env, p plan.Point) (Stream, error)
	Job    func(e env.Env, p plan.Point) (Job, error)
	Expect Expect // the failure that the design declares
	Worlds Worlds

	// Guarantee is what the design promises of its results, such as "survives power loss"; "" declares nothing. Designs
	// with different guarantees are in different contests: only those with the same one compete in the answer and in
	// the map of winners, and are neighbours in verdicts.
	Guarantee string

	// Reference marks an independent solution of the same job, such as wc, that other designs are measured against. Its
	// answer is checked too. It is compared only with the baseline, and may be the baseline.
	Reference bool

	// Remote says that the operations of a Stream wait for another process, such as a server. In an open loop each
	// arrival that finds an idle worker is then served at once, whatever the other workers do, so that its lag is the
	// harness's own; and many workers share a recorder.
	Remote bool

	// Served starts the server of a remote design, unless it runs already, and loads it at a point, by workers that do
	// not pause, until stop is called, which also ends a server that was started. It returns the address of the server,
	// such as http://127.0.0.1:8080, so that its profiles can be taken meanwhile. It may be nil.
	Served func(ctx context.Context, p plan.Point) (address string, stop func() error, err error)

	// OnRequest excludes the design from runs that name no designs, because it may hang, does another job, or takes
	// far longer.
	OnRequest bool

	Formula *Formula // predicts the wall time of a Job, or a metric; may be nil

	Program *Program // runs the trials; nil means the running program. See [Design.Absent].
}

// Type returns "stream", "job" or "benchmark".
func (d Design) Type() string {
	switch {
	case d.Stream != nil:
		return "stream"
	case d.Job != nil:
		return "job"
	}
	return "benchmark"
}

// Expect is the outcome that a design declares of its trials. Other outcomes are errors.
type Expect int

// The declared outcomes.
const (
	Right         Expect = iota // the answer is right
	Bound                       // not a solution: the design's numbers are shown as a bound, but are in no verdict
	WrongAnswer                 // the answer is wrong, as that of the published original
	MayViolate                  // a station may have two users at once
	MayFail                     // the design may crash, deadlock or hang
	MayBreak                    // as MayFail, or the answer may be wrong
	expectedCount = iota
)

// String returns the word that JSON and tables use.
func (x Expect) String() string {
	if x < 0 || x >= expectedCount {
		return fmt.Sprintf("Expect(%d)", int(x))
	}
	return [...]string{"right", "bound", "wrong-answer", "violated", "failed", "broken"}[x]
}

// Worlds is the set of worlds in which a design can run.
type Worlds int

// The sets of worlds.
const (
	Both     Worlds = iota // live and virtual
	LiveOnly               // live only: the design uses files, processes or a network
)

// String returns the worlds as a list: "live, virtual" or "live".
func (w Worlds) String() string {
	if w == LiveOnly {
		return "live"
	}
	return "live, virtual"
}

// Answer is what a trial computed, by name, such as {"words": 215828}. Values must be JSON numbers, strings or
// booleans.
type Answer map[string]any

// Stream is an instance of a design whose operation many workers repeat.
type Stream struct {
	// Op serves one request. Workers call it concurrently, each with its own Env and request number. All designs get
	// the same request numbers, which key the draws of env.Rand.
	Op func(e env.Env, request uint64)

	// Try replaces Op if a request may fail: it reports whether the request succeeded. A failed request counts as
	// infinite in quantiles, and not in the throughput. Exactly one of Op and Try is set.
	Try func(e env.Env, request uint64) (ok bool)

	// Send, if it is not nil, takes the place of Try in the open loops of a Remote design, which must have Try too. It
	// is called up to 1 ms before a request is to be sent, or later if all workers were busy, so that it can prepare
	// the request; it must not send before e.Now is at. It returns when it sent the request, and when the reply was
	// complete, or known to fail, which may be some time ago: when the reply reached this machine, for example.
	// at <= sent <= received <= e.Now() at the return; otherwise the trial fails.
	Send func(e env.Env, request uint64, at time.Duration) (sent, received time.Duration, ok bool)

	// Close stops the design's own goroutines after the last operation. It may be nil.
	Close func(e env.Env)

	// Check returns the answer, after Close. Its argument is the number of operations, including those that failed. An
	// error means that the answer is wrong. Check may be nil.
	Check func(operations uint64) (Answer, error)

	// Metrics returns additional metrics, after Check, as that of [Job]. It may be nil.
	Metrics func() map[string]float64
}

// FailedError is an error of Check that says that the trial failed, and not that its answer is wrong: a server stopped,
// for example.
type FailedError struct {
	Err error
	// Requests says that the design served the load, but too many of its requests failed: another trial may fare
	// better.
	Requests bool
}

// Error returns the text of Err.
func (f FailedError) Error() string { return f.Err.Error() }

// Unwrap returns Err.
func (f FailedError) Unwrap() error { return f.Err }

// Job is an instance of a design that runs once.
type Job struct {
	// Run does the whole work. The wall time of the trial is the time of this call. An error fails the trial.
	Run func(e env.Env) error

	// Items and Bytes are the amount of work, from which rates are computed. 0 means that there is no such rate.
	Items, Bytes int64

	// Check returns the answer, after Run. An error means that the answer is wrong. Check may be nil.
	Check func() (Answer, error)

	// Metrics returns additional metrics of the job, after Check. The ending of a name is its unit: see result.UnitOf.
	// Metrics that every trial has take precedence. Metrics may be nil.
	Metrics func() map[string]float64
}

// Find returns the design with that name, of Designs or of More.
func (w *Workload) Find(name string) (Design, bool) {
	named := func(d Design) bool { return d.Name == name }
	if i := slices.IndexFunc(w.Designs, named); i >= 0 && !w.Designs[i].Absent() {
		return w.Designs[i], true
	}
	all := w.AllDesigns()
	if i := slices.IndexFunc(all, named); i >= 0 {
		return all[i], true
	}
	return Design{}, false
}

// Recast converts the levels of a point that was read from JSON to the kinds of the workload's factors. It returns an
// error for an unknown factor and for a level that [plan.Factor.Recast] refuses.
func (w *Workload) Recast(p plan.Point) (plan.Point, error) {
	settings := make([]plan.Setting, 0, len(p.Settings()))
	for _, s := range p.Settings() {
		f, ok := w.Factor(s.Factor)
		if !ok {
			return p, fmt.Errorf("workload %s has no factor %q", w.Name, s.Factor)
		}
		l, err := f.Recast(s.Level)
		if err != nil {
			return p, err
		}
		settings = append(settings, plan.Setting{Factor: s.Factor, Level: l})
	}
	return plan.NewPoint(settings...), nil
}
