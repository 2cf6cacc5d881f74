package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/brewput/brewput/result"
)

// simulated runs brewput sim and returns its trials.
func simulated(t *testing.T, args ...string) []result.Trial {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"sim", "coffee", "--format", "json"}, args...)...)
	cmd.Env, cmd.Dir = append(os.Environ(), asCommand+"=1"), t.TempDir()
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("sim %v: %v\n%s", args, err, &errors)
	}
	var trials []result.Trial
	for line := range bytes.Lines(out) {
		var trial result.Trial
		if err := json.Unmarshal(line, &trial); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if trial.Kind == result.KindTrial {
			trials = append(trials, trial)
		}
	}
	return trials
}

// TestTrialSeed checks that --seed with a trial's seed and --count 1 repeats that trial, whatever else the run
// chooses. Replications of neighbouring seeds must have nothing in common.
func TestTrialSeed(t *testing.T) {
	for name, flags := range map[string][]string{
		"closed": {"--designs", "finelocking", "--cpus", "4", "--jitter", "2ms", "--duration", "2s", "--cost",
			"none"},
		"slow to settle": {"--designs", "locking", "--cpus", "2", "--workers", "400", "--jitter", "1ms", "--duration",
			"9s", "--cost", "none"},
		"open": {"--designs", "locking", "--cpus", "2", "--workers", "2", "--jitter", "2ms", "--load", "0.9",
			"--duration", "2s", "--cost", "none"},
	} {
		seen := map[string]bool{}
		for _, seed := range []string{"1", "2"} {
			for _, want := range simulated(t, append(flags, "--seed", seed, "--count", "3")...) {
				if seen[want.Seed] {
					t.Errorf("%s: two trials have the seed %s", name, want.Seed)
				}
				seen[want.Seed] = true

				got := simulated(t, append(flags, "--seed", want.Seed, "--count", "1")...)
				want.Block = 0
				a, _ := json.Marshal(want)
				b, _ := json.Marshal(got[0])
				if len(got) != 1 || string(a) != string(b) {
					t.Errorf("%s: the trial was\n%s\nand with --seed %s --count 1\n%s", name, a, want.Seed, b)
				}
			}
		}
	}
}
