// Package collect collects evidence about Go programs for package explain. Its API is not stable yet, unlike that of
// package lab.
//
// [Command] builds a program with a hook if its source is available, and runs it once for each kind of evidence,
// because profilers disturb each other. [Design] does the same for a design of a workload. [Files] reads saved profiles
// and traces, and [Endpoint] those of a live process.
//
// Programs run as they are given, never through a shell. Each runs in its own process group, which is ended with all
// processes that it started. The package changes nothing in the user's source tree and leaves nothing behind.
package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/tempdir"
	"github.com/brewput/brewput/plan"
)

// Options limit the collection. Start from [DefaultOptions].
type Options struct {
	CPUs       []int         // values of GOMAXPROCS; profiles are taken at the highest; nil: 1 and the default
	Duration   time.Duration // longest time that one run is watched
	TimeLimit  time.Duration // for building and all runs together
	Quick      bool          // only a CPU profile and a trace, at the highest of CPUs; see [QuickLimit]
	TraceBytes int64         // largest size of a trace, bytes
	Stdin      string        // a file that every run reads as standard input; "" for none
	Dir        string        // keeps the files, see [Collected]; "" for a temporary directory
	Progress   func(string)  // called with a line for each step; may be nil
	Step       func(int)     // called before each run with the number of runs that have ended; may be nil
	// First is called with a CPU profile, a wall time and a trace if there is one, before the other evidence is
	// collected. Without a CPU profile it is not called. May be nil.
	First    func(*Collected)
	client   *http.Client // for requests to a live process; nil is the default client
	deadline time.Time    // end of TimeLimit; zero: it begins with the runs
}

// buildContext returns a context for the go command that ends at the time limit.
func buildContext(ctx context.Context, until time.Time, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, until,
		plan.Refuse("time-limit", limit, "was over before the program was built: give a longer one; the go "+
			"command keeps what it has compiled"))
}

// timeLimitError returns the cause of a context whose time limit is over, or nil before.
func timeLimitError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return nil
}

// DefaultOptions returns the options of the command explain: runs of up to 10 s, 3 min in all and 64 MiB of trace.
func DefaultOptions() Options {
	return Options{Duration: 10 * time.Second, TimeLimit: 3 * time.Minute, TraceBytes: 64 << 20}
}

// progress reports a step.
func (o Options) progress(line string) {
	if o.Progress != nil {
		o.Progress(line)
	}
}

// Collected is evidence with the files that it was read from. If profiles can be taken of the program, files in Dir
// that an earlier collection may have written, such as heap.pprof, are removed, even if no profile fits into the time
// limit. Call Close to remove temporary files.
type Collected struct {
	*evidence.Evidence
	Dir       string // directory of the files; a temporary one is gone after Close
	Files     []File
	Overheads []Overhead
	tempDir   *tempdir.Dir // nil if Dir belongs to the user
	local     bool         // this process built and ran the program
}

// File is a profile or a trace in a file.
type File struct {
	Kind string // "cpu", "heap", "mutex", "block", "goroutine", "trace"
	Path string // absolute for evidence that this process collected
}

// Overhead is the elapsed time of a run with a profiler divided by that without.
type Overhead struct {
	Kind  string  // of evidence, such as "CPU profile"
	Ratio float64 // 1 if the profiler costs nothing
}

// newCollected makes the directory for the files.
func newCollected(o Options, p evidence.Program) (*Collected, error) {
	c := &Collected{Evidence: &evidence.Evidence{Program: p}, Dir: o.Dir}
	var err error
	if o.Dir != "" {
		if err = os.MkdirAll(c.Dir, 0o777); err == nil {
			c.Dir, err = filepath.Abs(c.Dir)
		}
		if i := slices.IndexFunc(c.paths(), isDir); err == nil && i >= 0 {
			err = fmt.Errorf("%s is a directory; rename it, or choose another place", c.paths()[i])
		}
	} else if c.tempDir, err = newTempDir("files"); err == nil {
		c.Dir = c.tempDir.Path
	}
	if err != nil {
		return nil, fmt.Errorf("there is no place for profiles: %w", err)
	}

	return c, nil
}

// Close removes the temporary directory. It may be called on nil.
func (c *Collected) Close() error {
	if c == nil {
		return nil
	}
	return c.tempDir.Close()
}

// note adds a note to the evidence, once.
func (c *Collected) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, n := range c.Notes {
		if n == text {
			return
		}
	}
	c.Notes = append(c.Notes, text)
}

// Path returns the file of a kind, or "" if there is none.
func (c *Collected) Path(kind string) string {
	for _, f := range c.Files {
		if f.Kind == kind {
			return f.Path
		}
	}
	return ""
}

// Command collects the evidence of a program, of a package by go run, or of tests by go test. It runs the command line
// args in dir. If the program crashes, the error is a [*Failure].
func Command(ctx context.Context, dir string, args []string, o Options) (*Collected, error) {
	temp, err := newTempDir("work")
	if err != nil {
		return nil, fmt.Errorf("there is no place to build in: %w", err)
	}

	defer temp.Close()
	work := temp.Path
	o.deadline = time.Now().Add(o.TimeLimit)
	build, cancel := buildContext(ctx, o.deadline, o.TimeLimit)
	defer cancel()
	s, err := resolve(build, work, dir, args, o.progress)
	if err != nil {
		return nil, cmp.Or(timeLimitError(build), err)
	}

	c, err := newCollected(o, s.about)
	if err != nil {
		return nil, err
	}

	c.local = true
	if err := s.collect(ctx, c, work, o); err != nil {
		c.Close()
		return nil, err
	}

	return c, ctx.Err()
}
