package gobench

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
)

// TestRoundTrip: what bench writes is read back as it was.
func TestRoundTrip(t *testing.T) {
	var trials []result.Trial
	var b []byte
	for blk := range 3 {
		for _, c := range []struct {
			name string
			cpus int
		}{{"X/size-2", 1}, {"X/size-100", 1}, {"X/size-100", 2}, {"X/size", 2}} {
			trials = append(trials, result.Trial{Kind: result.KindTrial, Design: c.name, Block: blk, Status: result.OK, Expected: true, Operations: 10,
				Point:   plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(c.cpus)}),
				Metrics: result.Metrics{result.TimePerOp: result.Value(100 * c.cpus)}})
		}
	}
	path := filepath.Join(t.TempDir(), "f.txt")
	f, _ := os.Create(path)
	report.GoBench(f, trials, nil, map[string]string{"rows/s": "higher"}, "run", "rev")
	f.Close()
	b, _ = os.ReadFile(path)
	got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range trials {
		if got.Trials[i].Design != trials[i].Design || got.Trials[i].Point.String() != trials[i].Point.String() {
			t.Errorf("%s %s read as %s %s", trials[i].Design, trials[i].Point, got.Trials[i].Design, got.Trials[i].Point)
		}
	}
	if len(got.Better) != 1 || got.Better["rows/s"] != "higher" {
		t.Errorf("directions are read as %v\n%s", got.Better, b)
	}
	if len(got.Cases) != 4 {
		t.Errorf("%d cases of 4\n%s", len(got.Cases), b)
	}
}
