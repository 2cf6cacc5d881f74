package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog/identity"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	trial.Main(identity.Workload(), broken())
	os.Exit(m.Run())
}

// broken is a workload with a design whose check fails.
func broken() *workload.Workload {
	return &workload.Workload{
		Name: "broken", Doc: "Issue an identity twice.",
		Factors: []plan.Factor{{Name: "calls", Doc: "calls", Kind: plan.Int, Default: "1", Min: 1, Max: 1000}},
		Designs: []workload.Design{{Name: "twice", Doc: "issues an identity twice", Uses: []string{"calls"},
			Job: func(env.Env, plan.Point) (workload.Job, error) {
				check := func() (workload.Answer, error) { return nil, errors.New("the identity 7 was issued twice") }
				return workload.Job{Items: 1, Run: func(env.Env) error { return nil }, Check: check}, nil
			}}},
	}
}

// TestMillion checks that each design of identity issues nothing twice in a million live calls, made by two calls of
// the command.
func TestMillion(t *testing.T) {
	var out bytes.Buffer
	c := campaign{stdout: &out, workload: identity.Workload(), calls: 500_000, each: 500_000,
		record: filepath.Join(t.TempDir(), "record")}
	if code, err := c.run(t.Context(), record.Piece{}); code != 0 || err != nil {
		t.Fatalf("exit %d, %v\n%s", code, err, &out)
	}
	c.calls = 1_000_000
	if code, err := c.run(t.Context(), record.NewPiece(1)); code != record.ExitUndecided || err != nil ||
		!strings.HasSuffix(out.String(), "\n9 pieces are left: run the same command again.\n") {
		t.Fatalf("exit %d, %v\n%s", code, err, &out)
	}
	out.Reset()
	if code, err := c.run(t.Context(), record.Piece{}); code != 0 || err != nil {
		t.Fatalf("exit %d, %v\n%s", code, err, &out)
	}
	for _, name := range []string{"simple", "sequence", "atomic", "actor", "locker", "stream", "draining", "combining",
		"leased"} {
		row := `(?m)^` + name + ` +1000000 +\d+\.\d ns +\d+ s +nothing issued twice$`
		if !regexp.MustCompile(row).MatchString(out.String()) {
			t.Errorf("%s is not in\n%s", row, &out)
		}
	}
	if strings.Contains(out.String(), "remote") {
		t.Errorf("designs over links are in\n%s", &out)
	}
	c.each = 1_000_000
	if _, err := c.run(t.Context(), record.Piece{}); err == nil || !strings.Contains(err.Error(), "remove the file") {
		t.Error(err)
	}
}

// TestTwice checks that an identity that is issued twice ends a campaign with exit code 1, also when it is read from
// the record, and that an unknown design is an error.
func TestTwice(t *testing.T) {
	var out bytes.Buffer
	c := campaign{stdout: &out, workload: broken(), calls: 2, each: 1, record: filepath.Join(t.TempDir(), "record")}
	for range 2 {
		out.Reset()
		if code, err := c.run(t.Context(), record.Piece{}); code != record.ExitBroken || err != nil ||
			!strings.Contains(out.String(), "seed 2: the identity 7 was issued twice") {
			t.Errorf("exit %d, %v\n%s", code, err, &out)
		}
	}
	c.designs = []string{"thrice"}
	code, err := c.run(t.Context(), record.Piece{})
	if code != record.ExitUsage || err == nil || !strings.Contains(err.Error(), `has no design "thrice"`) {
		t.Errorf("exit %d, %v", code, err)
	}
}
