package sweep

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestSameHere: virtual time goes on on any machine, and live runs on their own; both go on with their own build.
func TestSameHere(t *testing.T) {
	here := host.Read()
	elsewhere, rebuilt := here, here
	elsewhere.Fingerprint, elsewhere.CPUs = "another", here.CPUs+1
	rebuilt.GoVersion = "go1.1"
	// GOGC as here, but not from there: it matters for open loops in live time
	set := here
	set.GOGCFrom = "env"
	if here.GOGCFrom == "env" {
		set.GOGCFrom = "default"
	}
	open := []plan.Case{{Point: plan.Point{}.With("rate", plan.FloatLevel(10))}}
	for _, c := range []struct {
		world string
		of    result.Environment
		cases []plan.Case
		text  string
	}{
		{result.Live, here, nil, ""},
		{result.Live, elsewhere, nil, "on this machine"},
		{result.Virtual, elsewhere, nil, ""},
		{result.Virtual, rebuilt, nil, "by this program"},
		{result.Live, set, nil, ""},
		{result.Live, set, open, "gogc_from"},
		{result.Virtual, set, open, ""},
	} {
		err := (&Header{World: c.world, Environment: c.of, Cases: c.cases}).SameHere("dir")
		if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", c.world, err, c.text)
		}
	}
}
