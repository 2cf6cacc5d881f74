// Package collect collects what can be known about a running program: it builds programs with a hook inside where
// their source is at hand, runs them once for each kind of evidence, since profilers disturb each other, and reads
// saved profiles and those of live processes. Its API is not stable yet, unlike that of package lab. What it means
// is for package explain to say.
//
// Programs run as they are given, never through a shell, in a process group of their own that is ended with all it
// started. Nothing in the user's tree changes, and nothing is left behind.
package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Options bound what is collected.
type Options struct {
	// levels of GOMAXPROCS; profiles are taken at the highest. nil: 1 and what the program would have
	CPUs       []int
	Duration   time.Duration // that one run is watched at most
	TimeLimit  time.Duration // of building and all runs together
	TraceBytes int64         // of a trace
	Stdin      string        // a file that every run reads; "" for none
	Dir        string        // a directory for profiles and trace; "" for none
	Progress   func(string)  // is told what is being done, a line at a time
	client     *http.Client  // that asks a live process; nil is the usual one
	deadline   time.Time     // when Limit is over; zero: it begins with the runs
}

// building is a context for the go command, which ends with the time limit.
func buildContext(ctx context.Context, until time.Time, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, until,
		fmt.Errorf("--time-limit %v was over before the program was built: give a longer one; what the go command "+
			"compiled it does not compile again", limit))
}

// tooLong is the error of a context whose time limit is over, nil before.
func timeLimitError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return nil
}

// Defaults are the options that the command has.
func DefaultOptions() Options {
	return Options{Duration: 10 * time.Second, TimeLimit: 3 * time.Minute, TraceBytes: 64 << 20, Progress: func(string) {}}
}

// Collected is evidence, with the files that it was read from.
type Collected struct {
	*evidence.Evidence
	Dir       string // of the files; gone after Close, unless it was asked for
	Files     []File
	Overheads []Overhead
	tempDir   *TempDir // nil where the directory is the user's
	local     bool     // this process built and ran the program
}

// File is a profile or a trace.
type File struct {
	Kind string // "cpu", "heap", "mutex", "block", "goroutine", "trace"
	Path string
}

// Overhead is how much longer a run took with a profiler than without.
type Overhead struct {
	Kind  string
	Ratio float64
}

// open makes the place for the files.
func newCollected(o Options, p evidence.Program) (*Collected, error) {
	c := &Collected{Evidence: &evidence.Evidence{Program: p}, Dir: o.Dir}
	var err error
	if o.Dir != "" {
		if err = os.MkdirAll(c.Dir, 0o777); err == nil {
			c.Dir, err = filepath.Abs(c.Dir)
		}
	} else if c.tempDir, err = NewTempDir("files"); err == nil {
		c.Dir = c.tempDir.Path
	}
	if err != nil {
		return nil, fmt.Errorf("there is no place for profiles: %w", err)
	}

	return c, nil
}

// Close removes what was not asked for.
func (c *Collected) Close() error {
	if c == nil {
		return nil
	}
	return c.tempDir.Close()
}

func (c *Collected) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, n := range c.Notes {
		if n == text {
			return
		}
	}
	c.Notes = append(c.Notes, text)
}

// Path is the file of a kind, "" where there is none.
func (c *Collected) Path(kind string) string {
	for _, f := range c.Files {
		if f.Kind == kind {
			return f.Path
		}
	}
	return ""
}

// Command collects the evidence of a program, a package, go run or go test: whatever is typed before its arguments.
func Command(ctx context.Context, dir string, args []string, o Options) (*Collected, error) {
	place, err := NewTempDir("work")
	if err != nil {
		return nil, fmt.Errorf("there is no place to build in: %w", err)
	}

	defer place.Close()
	work := place.Path
	o.deadline = time.Now().Add(o.TimeLimit)
	build, cancel := buildContext(ctx, o.deadline, o.TimeLimit)
	defer cancel()
	s, err := resolve(build, work, dir, args, o.Progress)
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
