//go:build linux

package journal

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
)

// TestFileTooLarge limits the size of files in a child, so that a write fails. Every acknowledged entry must be
// recovered, and nothing may be acknowledged after the failure.
func TestFileTooLarge(t *testing.T) {
	for name := range opens() {
		most := 0 // entries that were acknowledged
		for _, limit := range []int{9_000, 20_001, 33_001} {
			t.Run(fmt.Sprint(name, " at ", limit), func(t *testing.T) {
				dir := newDir(t)
				cmd, out := command(name, dir)
				cmd.Env = append(cmd.Env, fmt.Sprint(childLimit, "=", limit))
				cmd.Run()
				most = max(most, checkFault(t, name, dir, cmd.ProcessState.ExitCode(), out.String()))
			})
		}
		if most == 0 {
			t.Errorf("%s acknowledged no entry before a fault", name)
		}
	}
}

// checkFault checks a log after a child with a fault, which must have failed. It returns the number of entries that
// were acknowledged.
func checkFault(t *testing.T, name, dir string, code int, said string) (acks int) {
	t.Helper()
	switch code {
	case exitAll:
		t.Errorf("there was no fault: %.500s", said)
	case exitWentOn, exitBadIndex:
		t.Errorf("exit code %d: %.500s", code, said)
	}
	acked := acknowledged(t, dir)
	entries, err := recovered(t, opens()[name], dir)
	if err != nil {
		if len(acked) > 0 {
			t.Errorf("%d entries were acknowledged, and the log cannot be opened: %v", len(acked), err)
		}
		t.Logf("exit code %d, cannot be opened again: %v", code, err)
		return len(acked)
	}
	checkRecovered(t, acked, entries)
	t.Logf("exit code %d, %d acknowledged, %d recovered", code, len(acked), len(entries))
	return len(acked)
}

// needStrace skips a test if strace cannot trace a process here.
func needStrace(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("strace", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace cannot trace here (%v: %s), so no errors are injected and no syncs are seen", err, out)
	}
}

// TestInjected makes syncs and writes of a child fail, from a certain one on, or only one.
func TestInjected(t *testing.T) {
	needStrace(t)
	for name := range opens() {
		most := 0 // entries that were acknowledged
		for _, fault := range []string{
			"fdatasync,fsync,sync_file_range:error=EIO:when=12", "fdatasync,fsync,sync_file_range:error=EIO:when=25+",
			"pwrite64,write,writev:error=ENOSPC:when=40", "pwrite64,write,writev:error=ENOSPC:when=90+",
		} {
			t.Run(name+" "+fault, func(t *testing.T) {
				dir := newDir(t)
				cmd, out := command(name, dir, "strace", "-f", "-qq", "-o", os.DevNull, "-e", "inject="+fault)
				cmd.Run()
				most = max(most, checkFault(t, name, dir, cmd.ProcessState.ExitCode(), out.String()))
			})
		}
		if most == 0 {
			t.Errorf("%s acknowledged no entry before a fault", name)
		}
	}
}

// traced appends to a log in a child, and returns its directory and the trace of some of its system calls.
func traced(t *testing.T, name, calls string) (dir, text string) {
	dir, file := newDir(t), filepath.Join(t.TempDir(), "trace")
	cmd, out := command(name, dir, "strace", "-f", "-qq", "-y", "-o", file, "-e", "trace="+calls)
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitAll {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return dir, string(b)
}

// TestDirSynced checks that a log that was created syncs the directory that has its files, and that of their parent.
func TestDirSynced(t *testing.T) {
	needStrace(t)
	for name := range opens() {
		dir, text := traced(t, name, "fsync,fdatasync")
		dirs := map[string][]string{"goleveldb": {dir, dir + "/goleveldb"}, "pebble": {dir, dir + "/pebble"},
			"bbolt": {dir}, "tidwall-wal": {dir, dir + "/wal"}}[name]
		for _, d := range dirs {
			if !strings.Contains(text, "<"+d+">") {
				t.Errorf("%s does not sync %s", name, strings.TrimPrefix(d, dir))
			}
		}
	}
}

// TestNewFileSynced checks that the name of a file that a log begins later survives power loss: its directory is synced
// before the file is synced a second time.
func TestNewFileSynced(t *testing.T) {
	needStrace(t)
	t.Setenv(childBytes, "65536") // 39 MB in all
	for name, suffix := range map[string]string{"goleveldb": ".log", "tidwall-wal": ""} {
		dir, text := traced(t, name, "openat,fsync,fdatasync")
		files, syncs := 0, map[string]int{} // syncs of files whose names may be lost
		for line := range strings.Lines(text) {
			_, file, _ := strings.Cut(line, "<")
			file, _, _ = strings.Cut(file, ">")
			switch {
			case strings.Contains(line, "O_CREAT"):
				_, file, _ = strings.Cut(line, `"`)
				file, _, _ = strings.Cut(file, `"`)
				if filepath.Dir(file) != dir && filepath.Ext(file) == suffix {
					files++
					syncs[file] = 0
				}
			case strings.Contains(line, "sync(") && filepath.Dir(file) == dir: // the directory of the log
				clear(syncs)
			case strings.Contains(line, "sync("):
				if n, ok := syncs[file]; ok {
					syncs[file]++
					if n == 1 {
						t.Errorf("%s syncs %s again, and not its directory", name, filepath.Base(file))
					}
				}
			}
		}
		if files < 2 {
			t.Errorf("%s began %d files: too few for the test\n%.1000s", name, files, text)
		}
	}
}

// TestNoLog checks that a log that cannot be opened is nil, not a log of nothing.
func TestNoLog(t *testing.T) {
	for name, open := range opens() {
		dir := newDir(t)
		file := filepath.Join(dir, "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		inWorld(func(e env.Env) {
			if l, err := open(e, file, plan.Point{}); l != nil || err == nil {
				t.Errorf("%s: %v, %v", name, l, err)
			}
		})
	}
}
