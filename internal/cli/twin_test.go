package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// TestIsTwin changes the header of a stored twin in one member.
func TestIsTwin(t *testing.T) {
	want := sweep.Header{Workload: "coffee", World: result.Virtual, Predicts: true, Seed: "7", Started: time.Unix(5, 6),
		Costs: "none", CostsFrom: "given"}
	for _, c := range []struct {
		change   func(h *sweep.Header)
		new, old string // the error of runs with checksums, and of those without; "" is none
	}{
		{func(*sweep.Header) {}, "", ""},
		{func(h *sweep.Header) { h.Settings.TimeLimit, h.Settings.Limited = 9, true }, "", ""},
		{func(h *sweep.Header) { h.Started = h.Started.Add(1) }, "its run began at 1970-01-01T00:00:05.000000007Z, " +
			"and this one at 1970-01-01T00:00:05.000000006Z", "its run began"},
		{func(h *sweep.Header) { h.Seed = "8" }, "with the seed 8", ""},
		{func(h *sweep.Header) { h.Predicts = false }, "it is of coffee", ""},
		{func(h *sweep.Header) { h.Settings.Operations = 9 }, `"operations":9`, ""},
		{func(h *sweep.Header) { h.Costs = "wake=1us" }, "its costs are wake=1us (given), and those of " +
			"the run none (given)", ""},
		{func(h *sweep.Header) { h.Burn.Rate = 2 }, "burn loop", ""},
	} {
		stored := want
		c.change(&stored)
		b, err := json.Marshal(stored)
		if err != nil {
			t.Fatal(err)
		}
		for checked, text := range map[bool]string{true: c.new, false: c.old} {
			err := isTwin("a/twin", &want, &store.Journal{Header: b, Checked: checked})
			if text == "" && err != nil ||
				text != "" && (err == nil || !strings.Contains(err.Error(), text) ||
					!strings.Contains(err.Error(), "remove a/twin")) {
				t.Errorf("%s, checksums %v: %v, want %q", b, checked, err, text)
			}
		}
	}
}
