package sweep

import (
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/result"
)

// measured returns a header of a run, changed by change.
func measured(change func(*Header)) *Header {
	h := &Header{Workload: "w", World: result.Live, Version: "v1", Seed: "1", Blocks: 10,
		Settings: Settings{Duration: Duration(time.Second), Warmup: Duration(100 * time.Millisecond), Sample: 1},
		Environment: result.Environment{Machine: result.Machine{CPUs: 2},
			Build: result.Build{GoVersion: "go1.26", Race: new(false)}, GOGC: "100"},
	}
	h.Burn.Rate = 1.5
	if change != nil {
		change(h)
	}
	return h
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*Header)
		differs string // name=new/old, in order
		warns   string // a part of the one warning; "" for none
		fails   string
	}{
		{"the same", nil, "", "", ""},
		{"build", func(h *Header) {
			h.Version, h.Environment.GoVersion, h.Environment.VCSRevision, h.Environment.GODEBUG = "v2", "go1.27",
				new("abc"), new("x=1")
		}, "version=v2/v1 go_version=go1.27/go1.26 vcs_revision=abc/unknown godebug=x=1/unknown", "", ""},
		{"seed and blocks", func(h *Header) { h.Seed, h.Blocks = "2", 20 }, "seed=2/1 blocks=20/10", "", ""},
		{"duration", func(h *Header) { h.Settings.Duration *= 2 }, "duration=2s/1s",
			"the window is 1s in the old run and 2s in the new", ""},
		{"warm-up", func(h *Header) { h.Settings.Warmup = 0 }, "warmup=0s/100ms",
			"the warm-up is 100ms in the old run and 0s in the new", ""},
		{"operations", func(h *Header) { h.Settings.Operations = 5 }, "operations=5/0",
			"after 0 operations in the old run and 5 in the new", ""},
		{"sample", func(h *Header) { h.Settings.Sample = 10 }, "sample=10/1",
			"one operation in 1 is timed in the old run and one in 10 in the new", ""},
		{"race", func(h *Header) { h.Environment.Race = new(true) }, "race=true/false",
			"race is false in the old run and true in the new", ""},
		{"calibration", func(h *Header) { h.Burn.Rate = 1.53 }, "burn_rate_per_ns=1.53/1.5",
			"2.0% more work in the new run", ""},
		{"calibration down", func(h *Header) { h.Burn.Rate = 1.47 }, "burn_rate_per_ns=1.47/1.5",
			"2.0% less work in the new run", ""},
		{"calibration, a little", func(h *Header) { h.Burn.Rate = 1.51 }, "", "", ""},
		{"workload", func(h *Header) { h.Workload = "x" }, "", "", "the old run has the workload " +
			"w, and the new one has x"},
		{"machine", func(h *Header) { h.Environment.CPUs = 4 }, "", "",
			"two machines: cpus is 2 in the old run and 4 in the new"},
	} {
		differences, warnings, err := measured(c.change).Differences(measured(nil))
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.fails)
			continue
		}
		var got []string
		for _, d := range differences {
			got = append(got, d.Name+"="+d.A+"/"+d.B)
		}
		if strings.Join(got, " ") != c.differs {
			t.Errorf("%s: differences %q, want %q", c.name, got, c.differs)
		}
		if (len(warnings) > 0) != (c.warns != "") || len(warnings) > 1 ||
			c.warns != "" && !strings.Contains(warnings[0], c.warns) {
			t.Errorf("%s: warnings %q, want %q", c.name, warnings, c.warns)
		}
	}
}

// TestDifferencesVirtual: simulated time does not depend on the machine, and two worlds are not two versions.
func TestDifferencesVirtual(t *testing.T) {
	virtual := func(change func(*Header)) *Header {
		return measured(func(h *Header) {
			h.World, h.Costs, h.Burn.Rate = result.Virtual, "wake=15µs", 0
			if change != nil {
				change(h)
			}
		})
	}
	elsewhere := virtual(func(h *Header) { h.Environment.CPUs, h.Environment.Race, h.Burn.Rate = 64, new(true), 2 })
	differences, warnings, err := elsewhere.Differences(virtual(nil))
	if err != nil || len(warnings) != 0 || len(differences) != 1 || differences[0].Name != "race" {
		t.Errorf("another machine: %v, %q, %v", differences, warnings, err)
	}
	dearer := virtual(func(h *Header) { h.Costs = "wake=60µs" })
	differences, warnings, err = dearer.Differences(virtual(nil))
	if err != nil || len(differences) != 1 ||
		differences[0] != (result.Difference{Name: "costs", A: "wake=60µs", B: "wake=15µs"}) ||
		len(warnings) != 1 || !strings.Contains(warnings[0], "wake=15µs in the old run and wake=60µs in the new") {
		t.Errorf("other costs: %v, %q, %v", differences, warnings, err)
	}
	here := virtual(func(h *Header) {
		h.Costs, h.CostsFrom = "wake=10µs/20µs/90µs", CostsCalibrated+"2026-01-02T03:04:05Z"
	})
	differences, _, err = here.Differences(virtual(nil))
	if err != nil || len(differences) != 1 ||
		differences[0] != (result.Difference{Name: "costs", A: "what was calibrated 2026-01-02T03:04:05Z",
			B: "wake=15µs"}) {
		t.Errorf("calibrated costs: %v, %v", differences, err)
	}
	for _, pair := range [][2]*Header{{virtual(nil), measured(nil)}, {measured(nil), virtual(nil)}} {
		if _, _, err := pair[0].Differences(pair[1]); err == nil ||
			!strings.Contains(err.Error(), "the old run is "+pair[1].World+" and the new one is "+pair[0].World) {
			t.Errorf("two worlds: %v", err)
		}
	}
}

// TestDifferencesArrivals: files of arrivals are compared by checksum, which an edited header may have cut.
func TestDifferencesArrivals(t *testing.T) {
	of := func(sum string) *Header {
		return measured(func(h *Header) { h.ArrivalFiles = []InputFile{{Path: "day.txt", SHA256: sum}} })
	}
	whole := strings.Repeat("ab", 32)
	for _, sum := range []string{whole, "", "abc", "ab" + whole[:62]} {
		differences, warnings, err := of(sum).Differences(of(whole))
		same := sum == whole || sum == "ab"+whole[:62]
		if err != nil || (len(differences) == 0) != same ||
			(len(warnings) == 0) != same {
			t.Errorf("%q: %v, %q, %v", sum, differences, warnings, err)
		}
	}
}

// TestDifferencesOperations: if operations end a trial, the length of its window does not matter.
func TestDifferencesOperations(t *testing.T) {
	a := measured(func(h *Header) { h.Settings.Operations, h.Settings.Duration = 100, 0 })
	b := measured(func(h *Header) { h.Settings.Operations = 100 })
	if _, warnings, err := a.Differences(b); err != nil || len(warnings) != 0 {
		t.Errorf("%q %v", warnings, err)
	}
}
