package lab

import (
	"errors"
	"os"
	"testing"

	"github.com/brewput/brewput/evidence/collect"
)

// TestChangedCommand checks that a comparison is not continued with a changed command, and that nothing runs before
// that is known.
func TestChangedCommand(t *testing.T) {
	scripts(t, map[string]string{"old": "echo old >> log", "new": "test $(grep -c old log) -lt 3"})
	o := CommandOptions{Commands: [][]string{{"./old"}, {"./new"}}, Setup: "sh -c 'echo setup >> log'", Count: 6,
		Output: "run"}
	var failed *collect.Failure
	if _, err := CompareCommands(t.Context(), o); !errors.As(err, &failed) {
		t.Fatal(err)
	}
	before, _ := os.ReadFile("log")
	if err := os.WriteFile("old", []byte("#!/bin/sh\necho another >> log\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	var refusal *Refusal
	if _, err := Resume(t.Context(), nil, "run", ResumeOptions{}); !errors.As(err, &refusal) {
		t.Errorf("a changed command: %v", err)
	}
	if after, _ := os.ReadFile("log"); string(after) != string(before) {
		t.Errorf("it ran %s", after)
	}
}

// TestNoRun checks that a comparison that stores no trial leaves no directory.
func TestNoRun(t *testing.T) {
	scripts(t, map[string]string{"ok": "", "bad": "exit 3"})
	var failed *collect.Failure
	_, err := CompareCommands(t.Context(), CommandOptions{Commands: [][]string{{"./ok"}, {"./bad"}}})
	if !errors.As(err, &failed) {
		t.Fatal(err)
	}
	if _, err := os.Stat("brewput-runs"); err == nil {
		t.Error("a directory of runs is left")
	}
}
