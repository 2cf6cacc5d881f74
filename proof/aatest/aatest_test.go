package aatest

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog/null"
	"github.com/brewput/brewput/lab"
)

func TestMain(m *testing.M) {
	lab.Main(Double(null.Workload()))
	os.Exit(m.Run())
}

// TestDouble checks that every design is there twice, and that the original is unchanged.
func TestDouble(t *testing.T) {
	w := null.Workload()
	double := Double(w)
	if err := double.Validate(); err != nil || len(double.Designs) != 2*len(null.Workload().Designs) ||
		len(w.Designs) != len(null.Workload().Designs) || w.Designs[0].Name != "stream" {
		t.Errorf("%d designs of %d, %v", len(double.Designs), len(w.Designs), err)
	}
	for _, name := range Arms("job") {
		if d, ok := double.Find(name); !ok || d.Job == nil || len(name) != len("job-a") {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestVerdict makes a verdict of a real run, and none of a run of other designs.
func TestVerdict(t *testing.T) {
	run, err := lab.Measure(t.Context(), Double(null.Workload()), lab.MeasureOptions{NoPredictions: true,
		DesignOptions: lab.DesignOptions{Designs: Arms("stream"), Levels: map[string]string{"cpus": "1"}, Count: 2,
			Operations: 1000, Warmup: -1, Output: filepath.Join(t.TempDir(), "run")}})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := Verdict(run); err != nil || v.N != 2 || v.A == v.B {
		t.Errorf("%+v, %v", v, err)
	}

	run.Trials[0].Status = "failed"
	if _, err := Verdict(run); err == nil || !strings.Contains(err.Error(), "has no number") {
		t.Errorf("with a failed trial: %v", err)
	}
}

func TestHalfWidth(t *testing.T) {
	if x := HalfWidth(1/1.03, 1.03); math.Abs(x-0.03) > 1e-12 {
		t.Error(x)
	}
}
