package sweep

import (
	"runtime"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestMostCPUs: a stored run is explained at its point with most CPUs that this machine has.
func TestMostCPUs(t *testing.T) {
	at := func(design string, cpus int) plan.Case {
		return plan.Case{Design: design, Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)})}
	}
	runOfCases := func(design string, cases ...plan.Case) (plan.Case, error) {
		return (&StoredRun{Run: compare.Run{Name: "twin"}, Header: Header{Cases: cases}}).MostCPUs(design)
	}
	all := runtime.NumCPU()
	c, err := runOfCases("", at("a", all), at("a", all+1), at("a", 0))
	if err != nil || c.Point.Int("cpus") != all {
		t.Errorf("%v, %v; want %d CPUs", c, err, all)
	}
	if c, err = runOfCases("b", at("a", all), at("b", 1)); err != nil || c.Design != "b" {
		t.Errorf("%v, %v; want design b", c, err)
	}
	// A header that was changed may have a level of another kind.
	word := at("a", 1)
	word.Point = word.Point.With("cpus", plan.TextLevel("many"))
	if c, err = runOfCases("", word, at("a", 1)); err != nil || c.Point.String() != "cpus=1" {
		t.Errorf("%v, %v; want 1 CPU", c, err)
	}
	// The one design is known, and its CPUs are the problem.
	if _, err = runOfCases("", at("a", all+1)); err == nil || !strings.Contains(err.Error(), "more CPUs than") {
		t.Errorf("got %v", err)
	}
	if _, err := runOfCases(""); err == nil ||
		!strings.Contains(err.Error(), "twin holds no measurement") {
		t.Errorf("got %v", err)
	}
}

// TestSameHere: virtual time goes on on any machine, and live runs on their own; both go on with their own build.
func TestSameHere(t *testing.T) {
	here := host.Read()
	elsewhere, rebuilt := here, here
	elsewhere.Fingerprint, elsewhere.CPUs = "another", here.CPUs+1
	rebuilt.GoVersion = "go1.1"
	for _, c := range []struct {
		world string
		of    result.Environment
		text  string
	}{
		{result.Live, here, ""},
		{result.Live, elsewhere, "on this machine"},
		{result.Virtual, elsewhere, ""},
		{result.Virtual, rebuilt, "by this program"},
	} {
		err := (&Header{World: c.world, Environment: c.of}).SameHere("dir")
		if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", c.world, err, c.text)
		}
	}
}
