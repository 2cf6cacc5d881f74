package main

import (
	"path/filepath"
	"testing"

	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/result"
)

// TestDesigns runs every design in virtual time, on one CPU and on two, and checks its answer.
func TestDesigns(t *testing.T) {
	run, err := lab.Simulate(t.Context(), counter(), lab.SimulateOptions{DesignOptions: lab.DesignOptions{
		Levels: map[string]string{"cpus": "1,2"}, Operations: 100, Output: filepath.Join(t.TempDir(), "run"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Trials) == 0 {
		t.Error("there are no trials")
	}
	for _, trial := range run.Trials {
		if trial.Status != result.OK {
			t.Errorf("%s %s: %s: %s", trial.Design, trial.Point, trial.Status, trial.Error)
		}
	}
}
