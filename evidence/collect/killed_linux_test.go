package collect

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program that a signal kills has failed.
func TestKilledProgram(t *testing.T) {
	path, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	k := limitedCollector(t, quick())
	k.plain.path, k.plain.args = path, []string{"sh", "-c", "kill -KILL $$"}
	var f *Failure
	if err := k.firstRun(t.Context()); !errors.As(err, &f) || !strings.Contains(f.Reason, "signal: killed") {
		t.Error(err)
	}
}

// The go command always has its temporary files in the work directory, and the mark of that directory.
func TestGoCommandTempDir(t *testing.T) {
	tools, work := t.TempDir(), t.TempDir()
	said := filepath.Join(tools, "said")
	if err := os.WriteFile(filepath.Join(tools, "go"),
		[]byte("#!/bin/sh\necho $1 $GOTMPDIR $BREWPUT_PLACE >>"+said+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+":"+os.Getenv("PATH"))
	s := &target{buildConfig: &buildConfig{dir: tools, packages: []string{"."}, env: []string{"CGO_ENABLED=0"}}}
	k := newCollector(s, new(Collected), work, Options{})
	k.build(t.Context(), filepath.Join(work, "binary"))
	k.escapes(t.Context())
	want := "build " + work + " " + work + "\nlist " + work + " " + work + "\n"
	if text, err := os.ReadFile(said); err != nil || string(text) != want {
		t.Errorf("%q, %v; want %q", text, err, want)
	}
}
