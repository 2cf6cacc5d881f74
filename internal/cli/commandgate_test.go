package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/cli"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
)

// TestCommandGate checks the exit codes of a comparison of commands with a limit. Its times are replaced by those of an
// idle machine, on which the second command takes 20% more.
func TestCommandGate(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip(err)
	}
	t.Chdir(t.TempDir())
	run := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := cli.Run(t.Context(), nil, args, strings.NewReader(""), &out, &errs)
		return code, out.String() + errs.String()
	}
	if code, text := run("compare", "--count", "8", "-o", "measured", "--", "true", ":::", "true"); code != 0 {
		t.Fatalf("exit %d: %s", code, text)
	}
	measured, err := store.Open("measured")
	if err != nil {
		t.Fatal(err)
	}
	idle, err := store.Create("idle", measured.Header)
	if err != nil {
		t.Fatal(err)
	}
	for i, trial := range measured.Trials {
		wall := 0.1 + 0.0001*float64(7*trial.Block%5)
		if trial.Design == "a" {
			wall *= 1.2 + 0.001*float64(trial.Block%3)
		}
		trial.WallSeconds = wall
		trial.Metrics[result.WallSeconds] = result.Value(wall)
		trial.Metrics["machine_cpu_seconds"] = trial.Metrics[result.CPUSeconds]
		if err := idle.Append(trial, nil); err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 {
			if err := idle.EndBlock(trial.Block, 2, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := idle.End(); err != nil {
		t.Fatal(err)
	}
	if err := idle.Close(); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		limit    string
		code     int
		decision string
	}{{"25%", 0, "pass"}, {"5%", 1, "fail"}, {"20.1%", 3, "undecided"}} {
		code, text := run("compare", "--resume", "idle", "--max-regression", c.limit)
		if code != c.code || !strings.Contains(text, "\ngate: "+c.decision+": the time of ") {
			t.Errorf("%s: exit %d\n%s", c.limit, code, text)
		}
		if strings.Contains(text, "(option") || strings.Contains(text, "(--count)") != (c.code == 3) {
			t.Errorf("%s: options are not named as flags:\n%s", c.limit, text)
		}
		code, text = run("compare", "--resume", "idle", "--max-regression", c.limit, "--format", "json")
		if code != c.code || !strings.Contains(text, fmt.Sprintf(`"decision":%q`, c.decision)) {
			t.Errorf("%s: exit %d\n%s", c.limit, code, text)
		}
	}
	// An interrupt, as soon as the run has begun, exits with its own code.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	errs := &canceling{cancel: cancel}
	code := cli.Run(ctx, nil, []string{"compare", "--warmup-runs", "0", "--max-regression", "5%", "--", "sleep", "60",
		":::", "sleep", "60"}, strings.NewReader(""), io.Discard, errs)
	if code != 130 || strings.Count(errs.text.String(), "brewput: interrupted") != 1 {
		t.Errorf("interrupted: exit %d\n%s", code, errs.text.String())
	}
	if code, text := run("compare", "--resume", "idle"); code != 0 || strings.Contains(text, "gate:") {
		t.Errorf("without a limit: exit %d\n%s", code, text)
	}
}

// canceling cancels a context when the message that a run has begun is written.
type canceling struct {
	text   bytes.Buffer // not embedded, whose WriteString would bypass Write
	cancel context.CancelFunc
}

func (c *canceling) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("stored in")) {
		c.cancel()
	}
	return c.text.Write(b)
}
