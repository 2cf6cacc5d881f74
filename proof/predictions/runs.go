package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// plannedRun is one run of lab.Measure, stored in a directory of its own.
type plannedRun struct {
	name     string
	workload *workload.Workload
	options  lab.MeasureOptions
}

// settings are what all runs of a directory share.
type settings struct {
	Program  string        `json:"program"` // SHA-256 of this program
	Real     bool          `json:"real"`
	Cost     string        `json:"cost"`
	Blocks   int           `json:"blocks"`
	Duration time.Duration `json:"duration_ns"`
	Every    int           `json:"every"`
	Seed     uint64        `json:"seed"`
}

// campaign measures and scores planned runs.
type campaign struct {
	settings
	stdout, stderr io.Writer
	dir            string        // of all runs
	limit          time.Duration // after which no trial begins; 0 for none
	scoreOnly      bool
}

func (c *campaign) printf(format string, args ...any) { fmt.Fprintf(c.stdout, format, args...) }

// claim checks that the directory belongs to a campaign with these settings, by this build, and marks a new directory.
func (c *campaign) claim() (err error) {
	if c.Program, err = record.Self(); err != nil {
		return err
	}
	file := filepath.Join(c.dir, "settings.ndjson")
	had, err := record.Read(file, func(s settings) error {
		if s != c.settings {
			return fmt.Errorf("%s contains runs of another build or other settings: remove the directory, or score "+
				"it with -score", c.dir)
		}
		return nil
	})
	if err != nil || len(had) > 0 {
		return err
	}
	return errors.Join(os.MkdirAll(c.dir, 0o777), record.Append(file, c.settings))
}

// leastTime is the time that must be left for a run to begin.
const leastTime = 15 * time.Second

// measure measures or continues the runs, in order, until all are complete or the time limit has passed. It returns the
// complete ones by name. A run that is interrupted is stored up to its last trial.
func (c *campaign) measure(ctx context.Context, planned []plannedRun) (complete map[string]*lab.Run, err error) {
	complete = map[string]*lab.Run{}
	if !c.scoreOnly {
		if err := c.claim(); err != nil {
			return nil, err
		}
	}
	until := ctx
	if c.limit > 0 {
		var stop func()
		until, stop = context.WithTimeout(ctx, c.limit)
		defer stop()
	}
	end, limited := until.Deadline()

	for _, p := range planned {
		dir := filepath.Join(c.dir, p.name)
		_, err := os.Stat(dir)
		begun := err == nil
		if !begun && (c.scoreOnly || until.Err() != nil || limited && time.Until(end) < leastTime) {
			continue
		}
		if stored, err := sweep.Open(dir); c.scoreOnly && err == nil && !stored.Ended {
			continue // it may be of another build, and cannot be continued then
		}
		run, err := c.measureOne(until, p, dir, begun)
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("interrupted; the trials so far are in %s", c.dir)
		case until.Err() != nil && errors.Is(err, until.Err()):
		case c.scoreOnly && errors.Is(err, context.Canceled):
		case err != nil:
			return nil, fmt.Errorf("%s: %w", p.name, err)
		default:
			complete[p.name] = run
		}
	}
	return complete, nil
}

// measureOne begins or continues a run. A complete run is read, whatever ctx is.
func (c *campaign) measureOne(ctx context.Context, p plannedRun, dir string, begun bool) (*lab.Run, error) {
	if c.scoreOnly { // so that an incomplete run is not continued
		var stop func()
		ctx, stop = context.WithCancel(ctx)
		stop()
	}
	notify := func(e lab.Event) {
		switch e := e.(type) {
		case lab.Progress:
			if e.Trials != nil {
				fmt.Fprintf(c.stderr, "%s: block %d done\n", p.name, e.Step.Block+1)
			}
		case lab.Warning:
			fmt.Fprintf(c.stderr, "%s: warning: %s\n", p.name, e.Text)
		}
	}
	if begun {
		return lab.Resume(ctx, workloads(), dir, lab.ResumeOptions{Workload: p.workload.Name, Notify: notify})
	}
	o := p.options
	o.Output, o.Notify = dir, notify
	return lab.Measure(ctx, p.workload, o)
}
