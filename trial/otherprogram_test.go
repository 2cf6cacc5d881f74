package trial_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/null"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// TestOtherProgram runs trials of a design by a program that it names, a copy of this one, and checks that no trial
// runs by a changed program.
func TestOtherProgram(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "other.exe")
	if err := os.WriteFile(file, text, 0o777); err != nil {
		t.Fatal(err)
	}
	w := null.Workload()
	w.Designs[0].Program = &workload.Program{File: file, SHA256: fmt.Sprintf("%x", sha256.Sum256(text))}
	r := trial.Runner{TimeLimit: time.Minute}
	runTrial := r.RunnerOf(w)
	o, err := runTrial(t.Context(), spec("null", "stream"))
	if err != nil || o.Trial.Status != result.OK {
		t.Fatalf("%+v, %v", o.Trial, err)
	}

	// The same bytes may be written again.
	again := time.Now().Add(time.Hour)
	if err := os.Chtimes(file, again, again); err != nil {
		t.Fatal(err)
	}
	if _, err := runTrial(t.Context(), spec("null", "stream")); err != nil {
		t.Error(err)
	}

	// A program that is not executed fails the trial if it is started.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\nexit 7\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := runTrial(t.Context(), spec("null", "stream")); err == nil ||
		!strings.Contains(err.Error(), file+" has changed since its checksum was recorded") {
		t.Errorf("a changed program: %v", err)
	}
	if o, err := runTrial(t.Context(), spec("null", "job")); err != nil || o.Trial.Status != result.OK {
		t.Errorf("a design of this program: %+v, %v", o.Trial, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := runTrial(t.Context(), spec("null", "stream")); err == nil {
		t.Error("a program that is gone ran a trial")
	}
}
