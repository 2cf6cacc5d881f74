package sweep

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/result"
)

// TestCheckPredictionHeader changes one field of a stored prediction's header.
func TestCheckPredictionHeader(t *testing.T) {
	want := Header{Workload: "coffee", World: result.Virtual, Predicts: true, Seed: "7", Started: time.Unix(5, 6),
		Costs: "none", CostsFrom: "given"}
	for _, c := range []struct {
		change   func(h *Header)
		new, old string // error with and without checksums; "" is none
	}{
		{func(*Header) {}, "", ""},
		{func(h *Header) { h.Settings.TimeLimit, h.Settings.Limited = 9, true }, "", ""},
		{func(h *Header) { h.Started = h.Started.Add(1) }, "its run began at 1970-01-01T00:00:05.000000007Z, " +
			"and this one at 1970-01-01T00:00:05.000000006Z", "its run began"},
		{func(h *Header) { h.Seed = "8" }, "with the seed 8", ""},
		{func(h *Header) { h.Predicts = false }, "it is of coffee", ""},
		{func(h *Header) { h.Settings.Operations = 9 }, `"operations":9`, ""},
		{func(h *Header) { h.Costs = "wake=1us" }, "its costs are wake=1us (given), and those of " +
			"the run none (given)", ""},
		{func(h *Header) { h.Burn.Rate = 2 }, "burn loop", ""},
	} {
		stored := want
		c.change(&stored)
		b, err := json.Marshal(stored)
		if err != nil {
			t.Fatal(err)
		}
		for checked, text := range map[bool]string{true: c.new, false: c.old} {
			var h Header
			if err := json.Unmarshal(b, &h); err != nil {
				t.Fatal(err)
			}
			err := checkPredictionHeader("a/twin", &h, &want, !checked)
			if text == "" && err != nil ||
				text != "" && (err == nil || !strings.Contains(err.Error(), text) ||
					!strings.Contains(err.Error(), "remove a/twin")) {
				t.Errorf("%s, checksums %v: %v, want %q", b, checked, err, text)
			}
		}
	}
}
