package cli_test

import (
	"os"
	"testing"
)

// TestTornRevisionFile checks that a file for benchstat that was written in part, as by a process that was killed, is
// repaired when the run is shown again.
func TestTornRevisionFile(t *testing.T) {
	t.Chdir(t.TempDir())
	finishedRun(t, "run", []string{"Grind", "Press"})
	show("bench", "--resume", "run")
	whole, err := os.ReadFile("run/head.txt")
	if err != nil || len(whole) == 0 {
		t.Fatalf("%q, %v", whole, err)
	}
	if err := os.WriteFile("run/head.txt", whole[:len(whole)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	show("bench", "--resume", "run")
	if again, err := os.ReadFile("run/head.txt"); err != nil || string(again) != string(whole) {
		t.Errorf("%v\n%s\nwant\n%s", err, again, whole)
	}
}
