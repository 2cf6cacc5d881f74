package gobench

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKilledBenchmark: what a benchmark started outlives neither the workshop nor a brewput that was killed, even in a
// session of its own.
func TestKilledBenchmark(t *testing.T) {
	cache := t.TempDir()
	w, err := OpenWorkshop(t.Context(), cache, "one")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "bench")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\nsetsid sleep 300 >/dev/null 2>&1 &\necho $!\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	e, err := Binary{binary, t.TempDir(), w.Dir}.run(t.Context(), nil, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(e.stdout))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	if state(pid) == "" {
		t.Fatal("it was not started")
	}
	w.lock.Close() // as the kernel does for a process that was killed

	next, err := OpenWorkshop(t.Context(), cache, "two")
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close(t.Context())
	if s := state(pid); s != "" {
		t.Errorf("the process %d still runs, in state %s", pid, s)
	}
	if _, err := os.Stat(w.Dir); !os.IsNotExist(err) {
		t.Errorf("the workshop is still there: %v", err)
	}
}

// state is that of a process; "" if it has ended.
func state(pid int) string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, rest, _ := strings.Cut(string(text), ") ")
	if fields := strings.Fields(rest); err == nil && len(fields) > 0 && fields[0] != "Z" && fields[0] != "X" {
		return fields[0]
	}
	return ""
}
