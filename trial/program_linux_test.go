package trial_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/trial"
)

// replaced puts another program at the path of this process, runs a trial, prints its status and the checksum of the
// program, and ends the process.
func replaced() {
	os.Unsetenv(posing) // which the trial would inherit
	exe, err := os.Executable()
	if err == nil {
		err = os.WriteFile(exe+".new", []byte("#!/bin/sh\nexit 7\n"), 0o777)
	}
	if err == nil {
		err = os.Rename(exe+".new", exe)
	}
	if err != nil {
		panic(err)
	}
	o, err := trial.Runner{}.Run(context.Background(), spec("null", "stream"))
	fmt.Println(o.Trial.Status, o.Trial.Error, err, *host.Read().Build.ExeSHA256)
	os.Exit(0)
}

// TestReplacedProgram checks that the trials of a process execute its own program, also after a build has put another
// one at its path, and that the header of a run names that program.
func TestReplacedProgram(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(copied, program, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied)
	cmd.Env = append(os.Environ(), posing+"=replaced")
	out, err := cmd.CombinedOutput()
	if want := fmt.Sprintf("ok  <nil> %x\n", sha256.Sum256(program)); err != nil || string(out) != want {
		t.Errorf("%v, %s, want %s", err, out, want)
	}
}
