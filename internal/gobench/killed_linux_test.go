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

// TestKilledBenchmark checks that processes of a benchmark outlive neither the workshop nor a killed brewput,
// even in a session of their own.
func TestKilledBenchmark(t *testing.T) {
	for _, killed := range []bool{false, true} {
		nested(t, killed)
	}
}

// nested runs a benchmark that starts a process. It closes its workshop, or leaves it as a killed brewput does.
func nested(t *testing.T, killed bool) {
	t.Helper()
	cache := t.TempDir()
	w, err := OpenWorkshop(t.Context(), cache, "one")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "bench")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\nx=$(setsid -f sh -c 'echo $$; exec sleep 300 "+
		">/dev/null 2>&1')\necho $x\n"), 0o700); err != nil {
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
	if killed {
		w.lock.Close() // as the kernel does
	} else if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	} else if s := state(pid); s != "" {
		t.Errorf("the process %d runs on, in state %s", pid, s)
	}

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

// TestCompilationIsMarked checks that a compilation has the workshop's mark and its files there, so that the
// next workshop can end it and remove them.
func TestCompilationIsMarked(t *testing.T) {
	tools := t.TempDir()
	script := "#!/bin/sh\ncase $1 in env) printf '/goroot\\ngo1.26\\n\\n' ;; test) echo $BREWPUT_PLACE " +
		"$GOTMPDIR >$4 ;; esac\n"
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+":"+os.Getenv("PATH"))
	w, err := OpenWorkshop(t.Context(), t.TempDir(), "one")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close(t.Context())
	binary, err := (&Builder{Workshop: w}).Build(t.Context(), Checkout{Dir: t.TempDir()}, Variant{Rev: "head"})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(binary); err != nil || string(text) != w.Dir+" "+w.Dir+"\n" {
		t.Errorf("%q, %v; want %s twice", text, err, w.Dir)
	}
}

// state returns the state of a process; "" if it has ended.
func state(pid int) string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, rest, _ := strings.Cut(string(text), ") ")
	if fields := strings.Fields(rest); err == nil && len(fields) > 0 && fields[0] != "Z" && fields[0] != "X" {
		return fields[0]
	}
	return ""
}
