package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// events prints the events of package lab: progress as type progress does, all others on lines of their own.
type events struct {
	progress      *progress
	notes, stderr io.Writer
	started       func(lab.Started) string // describes what will be measured
}

func (a *app) newEvents(started func(lab.Started) string) *events {
	e := &events{progress: newProgress(a.stderr), notes: a.notes, stderr: a.stderr, started: started}
	if a.view.quiet {
		e.progress.w = io.Discard
	}
	return e
}

func (e *events) notify(event lab.Event) {
	if p, ok := event.(lab.Progress); ok {
		if p.Trials == nil {
			e.progress.show(sweep.Event(p))
		}
		return
	}
	e.end()
	switch event := event.(type) {
	case lab.Note:
		fmt.Fprintln(e.notes, event.Text)
	case lab.Warning:
		fmt.Fprintln(e.stderr, "warning:", event.Text)
	case lab.PredictionEstimate:
		fmt.Fprintf(e.notes, "predictions take about %s more (--no-twin leaves them out)\n", result.Rounded(event.Left))
	case lab.Started:
		e.progress.header = &event.Header
		fmt.Fprintln(e.notes, e.started(event))
	case lab.Interim:
		blocks := result.Count(event.Blocks, "block")
		fmt.Fprintf(e.notes, "after %s: %d of %d undecided\n", blocks, event.Undecided, event.Decisions)
	}
}

// end clears the progress line.
func (e *events) end() { e.progress.clear() }

// notes writes remarks that a quiet command leaves out.
type notes struct {
	to    io.Writer
	quiet *bool
}

func (n notes) Write(p []byte) (int, error) {
	if *n.quiet {
		return len(p), nil
	}
	return n.to.Write(p)
}

// steps prints the steps of a verb without a plan, and heartbeats.
func (a *app) steps(now func() time.Time) func(lab.Event) {
	p := a.newEvents(nil).progress
	p.now, p.width = now, 0 // how many runs follow is not known, so that a line that is redrawn would say little
	return func(e lab.Event) {
		if at, ok := e.(lab.Progress); ok {
			p.show(sweep.Event(at))
		}
		a.note(e)
		a.warn(e)
	}
}

// note prints a step of a verb. It redacts passwords, because arguments of programs may hold addresses.
func (a *app) note(e lab.Event) {
	if n, ok := e.(lab.Note); ok {
		fmt.Fprintln(a.notes, input.Redact(n.Text))
	}
}

// warn prints a warning of a verb.
func (a *app) warn(e lab.Event) {
	if w, ok := e.(lab.Warning); ok {
		fmt.Fprintln(a.stderr, "warning:", w.Text)
	}
}
