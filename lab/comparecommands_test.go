package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
)

// scripts writes shell scripts into a new directory, which becomes the current one.
func scripts(t *testing.T, texts map[string]string) {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no shell")
	}
	t.Chdir(t.TempDir())
	for name, text := range texts {
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompareCommands checks that each block runs every command once, in an order that varies, and what is stored.
func TestCompareCommands(t *testing.T) {
	scripts(t, map[string]string{"old": "echo old $1 >> log", "new": "echo new $1 >> log"})
	var events []Event
	r, err := CompareCommands(t.Context(), CommandOptions{Commands: [][]string{{"./old", "5"}, {"./new", "5"}},
		Setup: "sh -c 'echo setup >> log'", Count: 8, Output: "run",
		Notify: func(e Event) { events = append(events, e) }})
	if err != nil || r.Interrupted || len(r.Trials) != 16 || r.Outcome != result.Sound {
		t.Fatalf("%+v, %v", r, err)
	}
	log, _ := os.ReadFile("log")
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	if len(lines) != 19 || !slices.Equal(lines[:3], []string{"setup", "old 5", "new 5"}) {
		t.Fatalf("%q", lines)
	}
	firsts := map[string]int{}
	for i, trial := range r.Trials {
		line := map[string]string{"b": "old 5", "a": "new 5"}[trial.Design]
		if lines[3+i] != line || trial.Block != i/2 || trial.Order != i%2 || trial.Workload != "command" ||
			len(trial.Point.Settings()) != 0 || trial.Lines != nil || trial.Type != result.Job {
			t.Errorf("%d is %+v, the log has %q", i, trial, lines[3+i])
		}
		if trial.Order == 0 {
			firsts[trial.Design]++
		}
	}
	if firsts["a"] == 0 || firsts["b"] == 0 {
		t.Errorf("the order never changes: %v", firsts)
	}
	started := eventsOf[Started](events)
	if len(eventsOf[Note](events)) != 2 || len(started) != 1 || started[0].Dir != "run" {
		t.Errorf("%+v", events)
	}

	// A complete run is shown again, from its journal alone, although its commands are gone.
	if err := os.Remove("old"); err != nil {
		t.Fatal(err)
	}
	again, err := Resume(t.Context(), nil, "run", ResumeOptions{Workload: "command"})
	if err != nil || !again.Complete {
		t.Fatal(err)
	}
	answers := func(r *Run) string { return fmt.Sprint(r.Commands().Answer, r.Commands().Names) }
	if a, b := answers(r), answers(again); a != b || !strings.Contains(a, "./new") {
		t.Errorf("%s, then %s", a, b)
	}
}

// TestResumeCommands checks that a run that a failure ended continues where it stopped, and that it runs nothing twice
// but the setup and the warm-up.
func TestResumeCommands(t *testing.T) {
	scripts(t, map[string]string{"old": "echo old >> log", "new": "test -e broken && echo no milk >&2 && exit 3\n" +
		"test $(grep -c new log) = 3 && touch broken && exit 5\necho new >> log"})
	o := CommandOptions{Commands: [][]string{{"./old"}, {"./new"}}, Count: 6, Output: "run"}
	r, err := CompareCommands(t.Context(), o)
	var failed *collect.Failure
	if !errors.As(err, &failed) || !strings.Contains(failed.Reason, "exit status 5") || r == nil ||
		r.Commands() == nil || len(r.Trials) < 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	done := len(r.Trials)
	if _, err := Resume(t.Context(), nil, "run", ResumeOptions{}); !errors.As(err, &failed) ||
		failed.Output != "no milk\n" {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove("broken"), os.WriteFile("log", []byte("new\nnew\nnew\nnew\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	r, err = Resume(t.Context(), nil, "run", ResumeOptions{})
	log, _ := os.ReadFile("log")
	if got, want := strings.Count(string(log), "\n"), 4+2+12-done; err != nil || len(r.Trials) != 12 || got != want {
		t.Errorf("%d trials, %d lines, want %d: %v", len(r.Trials), got, want, err)
	}
	j, err := store.Open("run")
	if err != nil || !j.Ended || len(j.Trials) != 12 {
		t.Errorf("%+v, %v", j, err)
	}
}

func TestCommandsWithoutRun(t *testing.T) {
	scripts(t, map[string]string{"ok": "", "bad": "exit 3"})
	two := [][]string{{"./ok"}, {"./bad"}}
	for name, o := range map[string]CommandOptions{
		"both":     {Commands: two, Count: 1, Budget: 1},
		"negative": {Commands: two, Count: -1},
		"one":      {Commands: two[:1]},
		"setup":    {Commands: two, Setup: "a | b"},
		"vacant":   {Commands: two, Output: "."},
	} {
		var refusal *Refusal
		if r, err := CompareCommands(t.Context(), o); r != nil || !errors.As(err, &refusal) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := CommandOptions{Commands: two, Output: "run"}
	var failed *collect.Failure
	if r, err := CompareCommands(t.Context(), o); r != nil || !errors.As(err, &failed) {
		t.Errorf("a failure in the warm-up: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var canceled *CanceledError
	if r, err := CompareCommands(ctx, o); r != nil || !errors.As(err, &canceled) {
		t.Errorf("an interrupt in the warm-up: %v", err)
	}
	if _, err := os.Stat(filepath.Join("run", "journal.ndjson")); err == nil {
		t.Error("a run without trials is stored")
	}
}

// TestCommandBudget checks that a budget decides about commands, with interim analyses.
func TestCommandBudget(t *testing.T) {
	scripts(t, map[string]string{"ok": "", "two": ""})
	o := CommandOptions{Commands: [][]string{{"./ok"}, {"./two"}}, Budget: 1, Output: "run"}
	r, err := CompareCommands(t.Context(), o) // 1 ns is over before the first trial
	if err != nil || r.Conclusion == nil || r.Conclusion.Reason != compare.NoTime || r.Header.Blocks != 40 ||
		r.Header.Rule.Baseline != "b" || r.Conclusion.Verdicts != 1 {
		t.Errorf("%+v, %+v, %v", r, r.Conclusion, err)
	}
	if a := r.Commands().Answer; len(a) != 1 || !strings.HasPrefix(a[0], "No answer yet") {
		t.Errorf("%q", a)
	}
	for count, want := range map[int][]int{2: {2}, 10: {10}, 12: {12}, 13: {10, 13}, 30: {10, 15, 20, 30},
		60: {10, 15, 20, 30, 40}} {
		o.Count, o.Output = count, fmt.Sprint("run", count)
		r, err := CompareCommands(t.Context(), o)
		if err != nil || !slices.Equal(r.Header.Rule.InterimBlocks, want) || r.Header.Blocks != want[len(want)-1] {
			t.Errorf("%d blocks: %v, want %v: %v", count, r.Header.Rule, want, err)
		}
	}

	// A count that comes before the end of the budget ends the comparison, and it is shown again.
	o.Count, o.Budget, o.Output = 2, time.Hour, "pair"
	if r, err = CompareCommands(t.Context(), o); err != nil || len(r.Trials) != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	if r, err = Resume(t.Context(), nil, "pair", ResumeOptions{}); err != nil || len(r.Trials) != 4 || !r.Complete {
		t.Errorf("%+v, %v", r, err)
	}
}
