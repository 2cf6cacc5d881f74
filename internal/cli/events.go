package cli

import (
	"fmt"
	"io"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// events prints the events of package lab: progress on a line that is redrawn, all others on lines of their own.
type events struct {
	progress *progress
	stderr   io.Writer
	started  func(lab.Started) string // describes what will be measured
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
		fmt.Fprintln(e.stderr, event.Text)
	case lab.Warning:
		fmt.Fprintln(e.stderr, "warning:", event.Text)
	case lab.PredictionEstimate:
		fmt.Fprintf(e.stderr, "predictions take about %s more (--no-twin leaves them out)\n", roundDuration(event.Left))
	case lab.Started:
		fmt.Fprintln(e.stderr, e.started(event))
	case lab.Interim:
		blocks := result.Count(event.Blocks, "block")
		fmt.Fprintf(e.stderr, "after %s: %d of %d undecided\n", blocks, event.Undecided, event.Decisions)
	}
}

// end clears the progress line.
func (e *events) end() { e.progress.clear() }

// note prints a step of a verb. It redacts passwords, because arguments of programs may hold addresses.
func (a *app) note(e lab.Event) {
	if n, ok := e.(lab.Note); ok {
		fmt.Fprintln(a.stderr, input.Redact(n.Text))
	}
}

// warn prints a warning of a verb.
func (a *app) warn(e lab.Event) {
	if w, ok := e.(lab.Warning); ok {
		fmt.Fprintln(a.stderr, "warning:", w.Text)
	}
}
