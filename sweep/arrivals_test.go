package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/brewput/brewput/plan"
)

// TestArrivalsNamedLikeATime: JSON does not tell the name of a file from a duration, so the case of a resumed run has a
// level of another kind.
func TestArrivalsNamedLikeATime(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("5m", []byte("0.01\n0.02\n"), 0o666); err != nil {
		t.Fatal(err)
	}

	s := withPrediction()
	c := s.Header.PredictedCases[2]
	c.Point = c.Point.With("arrivals", plan.TextLevel("5m"))
	s.Header.PredictedCases = []plan.Case{c}
	var err error
	if _, s.Header.ArrivalFiles, err = ReadArrivals(t.Context(), s.Header.PredictedCases); err != nil {
		t.Fatal(err)
	}

	stored, err := json.Marshal(s.Header)
	if err != nil {
		t.Fatal(err)
	}
	if s.Header, err = ReadHeader("dir", stored); err != nil {
		t.Fatal(err)
	}
	if err := s.ReloadInputs(t.Context()); err != nil || len(s.Arrivals["5m"]) != 2 {
		t.Errorf("%v, %v", s.Arrivals, err)
	}
}

// TestArrivalsInterrupted checks that an interrupt is not a refusal of the file.
func TestArrivalsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := plan.Case{Point: plan.NewPoint(plan.Setting{Factor: "arrivals", Level: plan.TextLevel("arrivals.txt")})}
	_, _, err := ReadArrivals(ctx, []plan.Case{c})
	if !errors.Is(err, context.Canceled) || errors.As(err, new(*plan.Refusal)) {
		t.Errorf("%v", err)
	}
}
