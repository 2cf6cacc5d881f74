//go:build race

package messenger

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/workloadtest"
)

// racyChild tells the test to run the original in this process.
const racyChild = "BREWPUT_TEST_RACY_MESSENGER"

// TestRaceDetector runs the original in a child process, whose race detector must report its flag.
func TestRaceDetector(t *testing.T) {
	if os.Getenv(racyChild) != "" {
		p := workloadtest.Point(t, Workload(), "messages=500 clients=4 faults=1 outage=20ms")
		_, _ = workloadtest.Answer(t, live.New(live.Config{Seed: 1, BurnRate: 1}).Run, find(t, "original"), p)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The detector remembers only a few accesses to a variable, so it may miss the race of one run.
	out := []byte{}
	for range 30 {
		child := exec.CommandContext(t.Context(), program, "-test.run=^TestRaceDetector$")
		child.Env = append(os.Environ(), racyChild+"=1", "GORACE=atexit_sleep_ms=0")
		if out, err = child.CombinedOutput(); err != nil && strings.Contains(string(out), "DATA RACE") &&
			strings.Contains(string(out), "messenger.(*original).listen") {
			return
		}
	}
	t.Errorf("%v\n%s", err, out)
}
