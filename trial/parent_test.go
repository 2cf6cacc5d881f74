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

// posing makes the test binary act as a child of a certain behaviour.
const posing = "BREWPUT_TEST_POSING"

// pose acts as a child and does not return, if posing is set.
func pose(as string) {
	in := bufio.NewReader(os.Stdin)
	switch as {
	case "deaf": // it reads nothing and does not end
		time.Sleep(2 * time.Minute)
	case "late": // it finishes just when it is asked for its stacks
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
	case "replaced":
		replaced()
	}
}

// answer ends the process successfully, with a complete outcome.
func answer() {
	t := trial.Blank(spec("null", "stream"))
	t.Status = result.OK
	json.NewEncoder(os.Stdout).Encode(trial.Outcome{Trial: t})
	os.Exit(0)
}

// TestLate checks that a finished trial counts, even if the limit had expired when the parent read it.
func TestLate(t *testing.T) {
	t.Setenv(posing, "late")
	o, err := trial.Runner{TimeLimit: time.Millisecond}.Run(t.Context(), spec("null", "stream"))
	if err != nil || o.Trial.Status != result.OK {
		t.Errorf("%+v, %v", o.Trial, err)
	}
}

// TestLimited checks that in virtual time the limit of real time ends all trials of a case; live it ends only
// the one.
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

// TestUntidy checks that processes that a design leaves behind do not lose its result.
func TestUntidy(t *testing.T) {
	t.Setenv(posing, "untidy")
	tr := run(t, spec("null", "stream")).Trial
	if tr.Status != result.OK || len(tr.Warnings) != 1 || !strings.Contains(tr.Warnings[0], "left processes running") {
		t.Errorf("%+v", tr)
	}
}

// TestCancelled checks that a trial that would run for years ends when it is cancelled.
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

// TestDeaf has a specification longer than the buffer of a pipe, and a child that does not read it.
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
