package interrupt_test

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/internal/interrupt"
)

// TestHeard checks that an interrupt before the command catches it cancels its context, once.
func TestHeard(t *testing.T) {
	if ctx, release := cli.Interruptible(t.Context()); ctx.Err() != nil {
		t.Error("interrupted without an interrupt")
	} else {
		release()
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) { // as under nohup
			hear(t, sig)
		}
	}
}

func hear(t *testing.T, sig syscall.Signal) {
	interrupt.Listen()
	came := make(chan os.Signal, 1)
	signal.Notify(came, sig)
	if err := syscall.Kill(os.Getpid(), sig); err != nil {
		t.Fatal(err)
	}
	<-came
	signal.Stop(came)
	for i, want := range []bool{true, false} {
		ctx, release := cli.Interruptible(t.Context())
		if got := ctx.Err() != nil; got != want {
			t.Errorf("%v: context %d is cancelled: %t, want %t", sig, i, got, want)
		}
		release()
	}
}

// TestNohup checks that a process that was started to ignore hang-ups still ignores them.
func TestNohup(t *testing.T) {
	if !signal.Ignored(syscall.SIGHUP) {
		defer signal.Reset(syscall.SIGHUP)
	}
	signal.Ignore(syscall.SIGHUP)
	interrupt.Listen()
	_, release := cli.Interruptible(t.Context())
	defer release()
	if !signal.Ignored(syscall.SIGHUP) {
		t.Error("a hang-up interrupts what nohup began")
	}
}

// TestFirst checks that the command catches interrupts before its other packages are initialized.
func TestFirst(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	program := filepath.Join(t.TempDir(), "brewput")
	if out, err := exec.Command("go", "build", "-pgo=off", "-buildvcs=false", "-o", program,
		"../../cmd/brewput").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(program, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const own = "github.com/brewput/brewput/internal/interrupt"
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "init" || words[1] == own {
			continue
		}
		if words[1] == own+"/early" {
			return
		}
		if strings.HasPrefix(words[1], "github.com/brewput/brewput/") {
			t.Errorf("%s is initialized first", words[1])
		}
	}
	t.Errorf("early is not initialized:\n%s", out)
}
