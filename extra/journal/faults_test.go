//go:build linux

package journal

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// ignoreFileSizeSignal makes a write beyond the limit of a file an error instead of the end of the process.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }

// TestFileTooLarge limits the size of files in a child, so that a write fails. Every acknowledged entry must be
// recovered, and nothing may be acknowledged after the failure.
func TestFileTooLarge(t *testing.T) {
	for name := range opens() {
		for _, limit := range []int{9_000, 20_001, 40_003} {
			t.Run(fmt.Sprint(name, " at ", limit), func(t *testing.T) {
				dir := newDir(t)
				cmd, out := command(name, dir)
				cmd.Env = append(cmd.Env, fmt.Sprint(childLimit, "=", limit))
				cmd.Run()
				checkFault(t, name, dir, cmd.ProcessState.ExitCode(), out.String())
			})
		}
	}
}

// mayRefuse reports whether a log cannot be opened after a write that wrote only a part, although all acknowledged
// entries are in its file: tidwall/wal takes the part for damage.
func mayRefuse(name string) bool { return name == "tidwall-wal" }

// checkFault checks a log after a child with a fault.
func checkFault(t *testing.T, name, dir string, code int, said string) {
	t.Helper()
	if code == exitWentOn || code == exitBadIndex {
		t.Errorf("exit code %d: %.500s", code, said)
	}
	acked := acknowledged(t, dir)
	entries, err := recovered(t, opens()[name], dir)
	if err != nil {
		if len(acked) > 0 && !mayRefuse(name) {
			t.Errorf("%d entries were acknowledged, and the log cannot be opened: %v", len(acked), err)
		}
		t.Logf("exit code %d, cannot be opened again: %v", code, err)
		return
	}
	checkRecovered(t, acked, entries)
	t.Logf("exit code %d, %d acknowledged, %d recovered", code, len(acked), len(entries))
}

// mayTrace reports whether strace may trace a process here, and why not.
func mayTrace(t *testing.T) bool {
	out, err := exec.Command("strace", "-o", os.DevNull, "true").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "no errors are injected, because strace cannot trace here (%v: %s); TestFileTooLarge "+
			"tests failed writes without it\n", err, out)
	}
	return err == nil
}

// TestInjected makes syncs and writes of a child fail, from a certain one on, or only one.
func TestInjected(t *testing.T) {
	if !mayTrace(t) {
		return
	}
	for name := range opens() {
		for _, fault := range []string{
			"fdatasync,fsync,sync_file_range:error=EIO:when=12", "fdatasync,fsync,sync_file_range:error=EIO:when=25+",
			"pwrite64,write,writev:error=ENOSPC:when=40", "pwrite64,write,writev:error=ENOSPC:when=90+",
		} {
			t.Run(name+" "+fault, func(t *testing.T) {
				dir := newDir(t)
				cmd, out := command(name, dir, "strace", "-f", "-qq", "-o", os.DevNull, "-e", "inject="+fault)
				cmd.Run()
				checkFault(t, name, dir, cmd.ProcessState.ExitCode(), out.String())
			})
		}
	}
}
