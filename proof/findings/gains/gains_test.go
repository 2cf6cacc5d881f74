package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/proof/record"
)

// fake is a brewput whose design locking takes twice the time of any other, and whose finding estimates half of it.
const fake = `#!/bin/sh
echo call >>"$CALLS"
case "$*" in
explain*) echo '{"kind":"finding","finding":"coarse-lock","rank":1,"gain":{"estimate":0.5,"low":0.4,"high":0.6}}' ;;
*\ locking*) echo '{"kind":"trial","type":"stream","status":"ok","metrics":{"throughput_per_s":100}}' ;;
*) echo '{"kind":"summary","median":1}
{"kind":"trial","type":"stream","status":"ok","metrics":{"throughput_per_s":200}}' ;;
esac
`

// TestCampaign measures one pair with a fake brewput, and continues after its time was over.
func TestCampaign(t *testing.T) {
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	t.Setenv("CALLS", calls)
	c := &campaign{program: filepath.Join(dir, "brewput"), record: filepath.Join(dir, "record"), count: 2}
	if err := os.WriteFile(c.program, []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.run(t.Context(), "coarse-lock", record.NewPiece(time.Nanosecond)); err != nil || len(c.done) != 0 {
		t.Fatalf("without time: %d calls, %v", len(c.done), err)
	}
	for range 2 {
		if err := c.run(t.Context(), "coarse-lock", record.Piece{}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(calls)
	if n := strings.Count(string(text), "call"); err != nil || n != 5 || len(c.done) != 5 {
		t.Errorf("%d calls, %d recorded, %v", n, len(c.done), err)
	}
	for _, p := range pairs {
		if p.finding != "coarse-lock" {
			continue
		}
		row, err := c.compare(p)
		if err != nil || !strings.Contains(row, "50% [40%, 60%]") || !strings.Contains(row, "right") ||
			!strings.HasSuffix(row, "coarse-lock") {
			t.Errorf("%q, %v", row, err)
		}
	}
}

// TestTimes takes the time of a job from its wall time, and refuses a trial without a number.
func TestTimes(t *testing.T) {
	e := entry{Lines: []line{
		{Kind: "trial", Wall: 2, Type: "job"},
		{Kind: "trial", Wall: 2, Type: "stream", Metrics: map[string]float64{"throughput_per_s": 4}},
		{Kind: "finding"},
	}}
	if x, err := e.times(); err != nil || len(x) != 2 || x[0] != 2 || math.Abs(x[1]-0.25) > 1e-12 {
		t.Errorf("%v, %v", x, err)
	}
	e.Lines = append(e.Lines, line{Kind: "trial", Status: "failed"})
	if _, err := e.times(); err == nil || !strings.Contains(err.Error(), "failed") {
		t.Error(err)
	}
}
