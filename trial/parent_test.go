package trial_test

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// posing makes the test binary pose as a trial's child that behaves in a certain way.
const posing = "BREWPUT_TEST_POSING"

// pose behaves as a child, and does not return, where it is to.
func pose(as string) {
	in := bufio.NewReader(os.Stdin)
	switch as {
	case "deaf": // it reads nothing and does not end
		time.Sleep(2 * time.Minute)
	case "late": // it is done just as it is asked for its stacks
		in.ReadString('\n')
		in.ReadString('\n')
		answer()
	case "untidy": // it leaves a process behind that holds its standard error
		in.ReadString('\n')
		helper := exec.Command(os.Args[0])
		helper.Env = append(os.Environ(), posing+"=deaf")
		helper.Stderr = os.Stderr
		if err := helper.Start(); err != nil {
			panic(err)
		}
		answer()
	}
}

// answer ends the process well, with a whole outcome.
func answer() {
	t := trial.Blank(spec("null", "stream"))
	t.Status = result.OK
	json.NewEncoder(os.Stdout).Encode(trial.Outcome{Trial: t})
	os.Exit(0)
}

// TestLate: a trial that came to its end counts, though the limit was over when this process looked.
func TestLate(t *testing.T) {
	t.Setenv(posing, "late")
	o, err := trial.Runner{TimeLimit: time.Millisecond}.Run(t.Context(), spec("null", "stream"))
	if err != nil || o.Trial.Status != result.OK {
		t.Errorf("%+v, %v", o.Trial, err)
	}
}

// TestLimited: in virtual time the limit of real time ends all trials of a case, and what was measured only the one.
func TestLimited(t *testing.T) {
	t.Setenv(posing, "deaf")
	for _, costs := range []string{"", "none"} {
		s := spec("null", "stream")
		s.Costs = costs
		o, err := trial.Runner{TimeLimit: time.Millisecond}.Run(t.Context(), s)
		if err != nil || o.Trial.Status != result.Failed || o.Limited != (costs != "") {
			t.Errorf("costs %q: limited %v, %+v, %v", costs, o.Limited, o.Trial, err)
		}
	}
}

// TestUntidy: what a design leaves behind is no reason to lose what it measured.
func TestUntidy(t *testing.T) {
	t.Setenv(posing, "untidy")
	tr := run(t, spec("null", "stream")).Trial
	if tr.Status != result.OK || len(tr.Warnings) != 1 || !strings.Contains(tr.Warnings[0], "left processes behind") {
		t.Errorf("%+v", tr)
	}
}

// TestCancelled: a trial that would go on for years is ended, and gone.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	pid := 0
	runner := trial.Runner{TimeLimit: time.Minute, OnStart: func(n int) { pid = n; cancel() }}
	s := spec("coffee", "locking")
	s.Operations = math.MaxInt64
	if _, err := runner.Run(ctx, s); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
		t.Errorf("process %d is still there", pid)
	}
}

// TestDeaf: a specification is longer than a pipe holds, and the child does not read it.
func TestDeaf(t *testing.T) {
	t.Setenv(posing, "deaf")
	s := spec("coffee", "locking")
	s.Operations, s.Duration = 0, time.Second
	s.Open = &trial.OpenLoad{Rate: 1, Gaps: make([]time.Duration, 1<<20)}
	ctx, cancel := context.WithCancel(t.Context())
	runner := trial.Runner{OnStart: func(int) { cancel() }}
	if _, err := runner.Run(ctx, s); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
