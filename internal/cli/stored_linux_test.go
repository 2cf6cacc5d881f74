package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// TestDirectoryRemoved removes the directory of a run in progress, live and in virtual time. The run must end with an
// error that names it.
func TestDirectoryRemoved(t *testing.T) {
	t.Chdir(t.TempDir())
	remover := &workload.Workload{Name: "remover", Doc: "Removes its run", Designs: []workload.Design{
		{Name: "op", Doc: "removes", Stream: func(env.Env, plan.Point) (workload.Stream, error) {
			return workload.Stream{Op: func(e env.Env, _ uint64) { os.RemoveAll("run"); e.Burn(time.Millisecond) }}, nil
		}},
	}}
	for _, args := range [][]string{
		{"sim", "remover", "--cost", "none", "--operations", "4", "--warmup", "0s", "--cpus", "1", "--count", "3", "-o",
			"run"},
		{"run", "null", "--designs", "stream", "--cpus", "1", "--operations", "100", "--count", "400", "--no-twin",
			"-o", "run"},
	} {
		if args[0] == "run" {
			go removeOnceBegun("run")
		}
		var out, errs bytes.Buffer
		code := cli.Run(context.Background(), append(catalog.All(), remover), args, strings.NewReader(""), &out, &errs)
		if code != 4 || !strings.Contains(errs.String(), "brewput: run: its ") ||
			!strings.Contains(errs.String(), "removed, moved or replaced during the run") ||
			strings.Contains(errs.String(), "\nstored in") {
			t.Errorf("%v: exit %d\n%s", args, code, errs.String())
		}
		if _, err := os.Stat("run"); err == nil {
			t.Errorf("%v: the directory was made anew", args)
			os.RemoveAll("run")
		}
	}
}

// removeOnceBegun removes a run directory as soon as its header is written.
func removeOnceBegun(dir string) {
	for {
		if info, err := os.Stat(filepath.Join(dir, "journal.ndjson")); err == nil && info.Size() > 0 {
			os.RemoveAll(dir)
			return
		}
		<-time.After(time.Millisecond)
	}
}

// filesOf lists all files of a directory with their sizes and times.
func filesOf(t *testing.T, dir string) (list string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		list += fmt.Sprintf("%s %d %v\n", path, info.Size(), info.ModTime().UnixNano())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestCompleteRunsAreOnlyRead shows complete runs again and checks that nothing in them changes: first by their
// files, then on a read-only mount.
func TestCompleteRunsAreOnlyRead(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	said(t, "run", "null", "--designs", "stream,job", "--cpus", "1", "--operations", "500", "--count", "2", "-o",
		"runs/live")
	said(t, "sim", "coffee", "--designs", "locking", "--cpus", "1", "--cost", "none", "--operations", "20", "-o",
		"runs/virtual")
	finishedRun(t, "runs/gate", []string{"Grind", "Press"})
	show("bench", "--resume", "runs/gate") // writes the files for other tools
	for _, lock := range []string{"live/lock", "live/twin/lock", "virtual/lock", "gate/lock"} {
		if err := os.Remove(filepath.Join("runs", lock)); err != nil {
			t.Fatal(err)
		}
	}
	commands := [][]string{
		{"run", "--resume", "runs/live", "--format", "json"},
		{"sim", "--resume", "runs/virtual", "--format", "json"},
		{"bench", "--resume", "runs/gate", "--format", "json"},
	}
	before := filesOf(t, "runs")
	var want []shown
	for _, args := range commands {
		s := show(args...)
		if want = append(want, s); strings.Contains(s.stderr, "warning: the files") || s.stdout == "" {
			t.Errorf("%v: exit %d\n%s", args, s.code, s.stderr)
		}
	}
	if after := filesOf(t, "runs"); after != before {
		t.Errorf("runs that are complete were changed from\n%s to\n%s", before, after)
	}

	for i, args := range commands {
		stdout, stderr, code := onReadOnly(t, filepath.Join(dir, "runs"), args)
		if stdout != want[i].stdout || code != want[i].code {
			t.Errorf("%v on a read-only mount: exit %d, and not %d\n%s", args, code, want[i].code, stderr)
		}
	}
}

// onReadOnly runs the command with dir mounted read-only in a mount namespace of its own.
func onReadOnly(t *testing.T, dir string, args []string) (stdout, stderr string, code int) {
	t.Helper()
	cmd, _ := command(t, args...)
	script := `mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && ! touch "$0"/x 2>/dev/null || exit 77; cd "$0"/.. && exec "$@"`
	outer := exec.Command("sh", append([]string{"-c", script, dir, cmd.Path}, args...)...)
	outer.Env = cmd.Env
	outer.SysProcAttr = ownMounts()
	var out, errs bytes.Buffer
	outer.Stdout, outer.Stderr = &out, &errs
	err := outer.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || exit != nil && exit.ExitCode() == 77 {
		t.Skipf("no mounts of our own here (that nothing is written was seen before): %v\n%s", err, errs.String())
	}
	return out.String(), errs.String(), outer.ProcessState.ExitCode()
}
