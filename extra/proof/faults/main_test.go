package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/extra/messenger"
	"github.com/brewput/brewput/extra/peers"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	remote.Main(messenger.Server(), peers.Server())
	trial.Main(messenger.Workload(), peers.Workload(), broken())
	os.Exit(m.Run())
}

// broken is a workload with a design whose check fails, and one without faults.
func broken() *workload.Workload {
	job := func(found error) func(env.Env, plan.Point) (workload.Job, error) {
		return func(env.Env, plan.Point) (workload.Job, error) {
			return workload.Job{Items: 1, Run: func(env.Env) error { return nil },
				Check: func() (workload.Answer, error) { return nil, found }}, nil
		}
	}
	return &workload.Workload{Name: "broken", Doc: "Lose a message.", Designs: []workload.Design{
		{Name: "loses", Doc: "loses a message", Job: job(errors.New("message 7 has no state"))},
		{Name: "calm", Doc: "has no faults", Job: job(nil)},
	}}
}

// TestPieces makes two trials of each workload by three calls of the command.
func TestPieces(t *testing.T) {
	for _, s := range []subject{messages(1), identities(6)} {
		var out bytes.Buffer
		s.cells = s.cells[:2]
		c := campaign{subject: s, stdout: &out, record: filepath.Join(t.TempDir(), "record")}
		if code, err := c.run(t.Context(), record.NewPiece(1)); code != record.ExitUndecided || err != nil ||
			!strings.HasSuffix(out.String(), "\n2 trials are left: run the same command again.\n") {
			t.Fatalf("exit %d, %v\n%s", code, err, &out)
		}
		var printed []string
		for range 2 { // the second call only prints what is stored
			out.Reset()
			if code, err := c.run(t.Context(), record.Piece{}); code != 0 || err != nil {
				t.Fatalf("exit %d, %v\n%s", code, err, &out)
			}
			printed = append(printed, out.String())
		}
		if printed[0] != printed[1] {
			t.Errorf("the second call prints other counts:\n%s\n%s", printed[0], printed[1])
		}
		for _, x := range s.cells {
			row := `(?m)^` + x.Design + ` +` + x.Variant + `( +\d+){5,7} +` + s.nothing + `$`
			if !regexp.MustCompile(row).MatchString(printed[0]) {
				t.Errorf("%s is not in\n%s", row, printed[0])
			}
		}
		c.cells = []cell{{s.cells[0].Design, s.cells[0].Variant, "faults=2"}}
		_, err := c.run(t.Context(), record.Piece{})
		if err == nil || !strings.Contains(err.Error(), "remove the file") {
			t.Error(err)
		}
	}
}

// TestBroken checks that a check that fails, and too few faults, end a campaign with exit code 1, also when they are
// read from the record, and that an unknown design is an error.
func TestBroken(t *testing.T) {
	var out bytes.Buffer
	c := campaign{stdout: &out, record: filepath.Join(t.TempDir(), "record"), subject: subject{workload: broken(),
		cells: []cell{{Design: "loses"}}}}
	for range 2 {
		out.Reset()
		if code, err := c.run(t.Context(), record.Piece{}); code != record.ExitBroken || err != nil ||
			!strings.Contains(out.String(), "message 7 has no state") {
			t.Errorf("exit %d, %v\n%s", code, err, &out)
		}
	}
	out.Reset()
	c.record = filepath.Join(t.TempDir(), "record")
	c.cells, c.least = []cell{{Design: "calm"}}, []least{{"crashes", 2}}
	if code, err := c.run(t.Context(), record.Piece{}); code != record.ExitBroken || err != nil ||
		!strings.Contains(out.String(), "too few crashes: at least 2 are wanted") {
		t.Errorf("exit %d, %v\n%s", code, err, &out)
	}
	c.cells = []cell{{Design: "hides"}}
	c.record = filepath.Join(t.TempDir(), "record")
	if _, err := c.run(t.Context(), record.Piece{}); err == nil || !strings.Contains(err.Error(), "no such design") {
		t.Error(err)
	}
}
