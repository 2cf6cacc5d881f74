//go:build unix

package command

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sweep"
)

// writeScript writes a shell script with a modification time. Scripts of one time are distinguished by their contents.
func writeScript(t *testing.T, name, text string, at time.Time) {
	t.Helper()
	err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o777)
	if err := errors.Join(err, os.Chtimes(name, at, at)); err != nil {
		t.Fatal(err)
	}
}

// twoScripts returns the experiment of two scripts in a new directory.
func twoScripts(t *testing.T, x Experiment) *Experiment {
	t.Helper()
	t.Chdir(t.TempDir())
	writeScript(t, "old", "exit 0", time.Unix(1, 0))
	writeScript(t, "new", "exit 0", time.Unix(1, 0))
	if err := x.Complete([][]string{{"./old"}, {"./new"}}); err != nil {
		t.Fatal(err)
	}
	return &x
}

// TestChangedDuringRun checks that a command that is replaced between two runs ends the comparison. The same file may
// be written again.
func TestChangedDuringRun(t *testing.T) {
	r := &Runner{Experiment: twoScripts(t, Experiment{})}
	for i, c := range []struct{ text, want string }{
		{"exit 0", ""}, {"exit 0", ""}, {"exit 1", "old has changed during the run"}, {"exit 0", ""},
		{"exit 0 # longer", "old has changed during the run"},
	} {
		writeScript(t, "old", c.text, time.Unix(int64(i+2), 0))
		_, err := r.Run(t.Context(), spec("b"))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) ||
			errors.As(err, new(*plan.Refusal)) {
			t.Errorf("run %d: %v, want %q", i, err, c.want)
		}
	}
	if _, err := r.Run(t.Context(), spec("a")); err != nil {
		t.Errorf("the other command: %v", err)
	}
}

// TestCheck checks that a run is not continued with a changed command, before the setup runs, and that missing commands
// are left to the setup.
func TestCheck(t *testing.T) {
	x := twoScripts(t, Experiment{Setup: "touch ran"})
	if err := (&Runner{Experiment: x}).Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	resumed, _, err := Restore("dir", &sweep.Header{Commands: raw}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join((*Runner)(nil).Check(), resumed.Check(), os.Remove("ran"), os.Remove("old")); err != nil {
		t.Fatal(err)
	}
	if err := resumed.Check(); err != nil {
		t.Errorf("a missing command: %v", err)
	}
	writeScript(t, "old", "exit 0 # another", time.Unix(1, 0))
	if err := resumed.Check(); !errors.As(err, new(*plan.Refusal)) ||
		!strings.Contains(err.Error(), "has changed since the run began") {
		t.Errorf("a changed command: %v", err)
	}
	if _, err := os.Stat("ran"); err == nil {
		t.Error("the setup ran")
	}
}
