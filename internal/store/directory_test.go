package store

import (
	"os"
	"testing"
	"time"
)

// TestDirectory checks that a run without a given directory gets a new one, which git ignores.
func TestDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if got := Directory("mine", "coffee", began); got != "mine" || exists(RunsDir) {
		t.Errorf("asked for mine, it is %s; there is a %s: %v", got, RunsDir, exists(RunsDir))
	}
	for _, want := range []string{"brewput-runs/coffee-20260102-030405", "brewput-runs/coffee-20260102-030405-2",
		"brewput-runs/coffee-20260102-030405-3"} {
		got := Directory("", "coffee", began)
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		run, err := Create(got, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		run.Close()
	}
	if text, err := os.ReadFile("brewput-runs/.gitignore"); string(text) != "*\n" {
		t.Errorf("git is told %q, %v", text, err)
	}
}
