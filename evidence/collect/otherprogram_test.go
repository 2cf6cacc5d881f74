package collect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// TestChangedProgram checks that no trial of a design runs by a program that has changed.
func TestChangedProgram(t *testing.T) {
	dir := t.TempDir()
	file, ran := filepath.Join(dir, "other"), filepath.Join(dir, "ran")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho >"+ran+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	d := workload.Design{Name: "peer", Program: &workload.Program{File: file, SHA256: strings.Repeat("ab", 32)}}
	w := &workload.Workload{Name: "work", Designs: []workload.Design{d}}
	c, err := Design(t.Context(), w, trial.Spec{Workload: "work", Design: "peer", Operations: 1},
		Options{CPUs: []int{1}, Duration: time.Second, TimeLimit: time.Minute})
	if err == nil || !strings.Contains(err.Error(), file+" has changed since its checksum was recorded") {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the changed program was executed")
	}
	_, err = Design(t.Context(), w, trial.Spec{Workload: "work", Design: "pear"}, Options{})
	if err == nil || err.Error() != `workload work has no design "pear"` {
		t.Errorf("an unknown design: %v", err)
	}
}
