package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// TestHeartbeat: without a terminal, a line follows the first trial after each 30 s; none at the end of a block, where
// the next line would follow at once.
func TestHeartbeat(t *testing.T) {
	var b, notes bytes.Buffer
	start := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	now := start
	p := &progress{w: &b, now: func() time.Time { return now }, last: start}
	e := &events{progress: p, notes: &notes, stderr: &notes, started: func(lab.Started) string { return "begun" }}
	e.notify(lab.Started{Header: sweep.Header{World: result.Live, Blocks: 10, Cases: make([]plan.Case, 12)}})
	for i := range 13 {
		now = start.Add(time.Duration(i) * 8 * time.Second)
		e.notify(lab.Progress{Step: plan.Step{Block: i / 12}, Done: i, Total: 120, TimeLeft: 2 * time.Minute})
		if i == 11 {
			e.notify(lab.Progress{Done: 12, Total: 120, Trials: make([]result.Trial, 12)})
		}
	}
	e.end()
	want := "block 1 of 10, 4 of 120 trials, about 2m0s left\n" + // after 32 s
		"block 1 of 10, 8 of 120 trials, about 2m0s left\n" +
		"block 2 of 10, 12 of 120 trials, about 2m0s left\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	if notes.String() != "begun\n" {
		t.Errorf("got %q", notes.String())
	}
}

// TestSteps: explain does not know how many runs follow, and has heartbeats nevertheless.
func TestSteps(t *testing.T) {
	var b bytes.Buffer
	a := &app{stderr: &b}
	a.notes = notes{&b, &a.view.quiet}
	now := time.Now().Add(time.Hour)
	notify := a.steps(func() time.Time { return now })
	notify(lab.Note{Text: "running it"})
	for done := range 9 {
		notify(lab.Progress{Done: done})
		now = now.Add(10 * time.Second)
	}
	if got, want := b.String(), "running it\n0 runs done\n3 runs done\n6 runs done\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestQuietHasNoHeartbeat: a quiet command shows no progress and no notes, but warnings.
func TestQuietHasNoHeartbeat(t *testing.T) {
	var b bytes.Buffer
	a := &app{stderr: &b, view: view{quiet: true}}
	a.notes = notes{&b, &a.view.quiet}
	e := a.newEvents(func(lab.Started) string { return "begun" })
	e.progress.now = func() time.Time { return e.progress.last.Add(time.Hour) }
	e.notify(lab.Started{})
	e.notify(lab.Progress{Total: 1})
	e.notify(lab.Note{Text: "building"})
	a.note(lab.Note{Text: "building"})
	e.notify(lab.Warning{Text: "a file is gone"})
	a.steps(time.Now)(lab.Warning{Text: "its end is lost"})
	if got, want := b.String(), "warning: a file is gone\nwarning: its end is lost\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
