package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// TestWorkloadRefusals: a workload that is missing or invalid is refused before anything asks it.
func TestWorkloadRefusals(t *testing.T) {
	for _, c := range []struct {
		w    *workload.Workload
		want string
	}{
		{nil, "workload is needed"},
		{&workload.Workload{Name: "shop", Designs: []workload.Design{{Name: "a"}}}, "a"},
	} {
		_, measured := Measure(t.Context(), c.w, MeasureOptions{})
		_, simulated := Simulate(t.Context(), c.w, SimulateOptions{})
		for _, err := range []error{measured, simulated} {
			if r := (*Refusal)(nil); !errors.As(err, &r) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		}
	}
	_, err := Explain(t.Context(), ExplainOptions{Target: Design{Name: "a"}})
	if r := (*Refusal)(nil); !errors.As(err, &r) || r.Field != "workload" {
		t.Errorf("explained: %v", err)
	}
}

// liveRun is the run of a case of coffee's locking, measured at 1 CPU or only predicted at 64.
func liveRun(t *testing.T, predicted bool, settings ...plan.Setting) (*Run, error) {
	t.Helper()
	cpus := plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)}
	if predicted {
		cpus.Level = plan.IntLevel(64)
	}
	cases := []plan.Case{{Design: "locking", Point: plan.NewPoint(append([]plan.Setting{cpus}, settings...)...)}}
	h := sweep.Header{Workload: "coffee", World: result.Live, Seed: "1", Blocks: 1}
	if h.Cases = cases; predicted {
		h.Cases, h.PredictedCases = nil, cases
	}
	return newRun(t.Context(), coffee.Workload(), &DesignOptions{}, h)
}

// TestArrivalsOfPredictions: a run that only predicts reads its recorded arrivals too.
func TestArrivalsOfPredictions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "times")
	if err := os.WriteFile(file, []byte("0.01\n0.02\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, predicted := range []bool{false, true} {
		arrivals := plan.Setting{Factor: "arrivals", Level: plan.TextLevel(file)}
		r, err := liveRun(t, predicted, arrivals)
		if err != nil || len(r.sweep.Arrivals[file]) != 2 || len(r.sweep.Header.ArrivalFiles) != 1 {
			t.Errorf("predicted %t: %v", predicted, err)
		}
		arrivals.Level = plan.TextLevel("nowhere")
		_, err = liveRun(t, predicted, arrivals)
		if refusal := (*Refusal)(nil); !errors.As(err, &refusal) || refusal.Field != "arrivals" {
			t.Errorf("predicted %t, no file: %v", predicted, err)
		}
	}
}

// TestVirtualOnly: a run that was measured has neither timelines nor a sensitivity to simulated costs.
func TestVirtualOnly(t *testing.T) {
	r, err := liveRun(t, false)
	if err != nil {
		t.Fatal(err)
	}
	_, noTimelines := r.Timelines(t.Context(), time.Second)
	_, noSensitivity := r.Sensitivity(t.Context())
	for _, err := range []error{noTimelines, noSensitivity} {
		if !errors.As(err, new(*Refusal)) || !strings.Contains(err.Error(), "measured live") {
			t.Errorf("got %v", err)
		}
	}
}
