package sweep

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
)

// TestCostsHere: costs that are given win over calibrated ones, these over typical ones, and what is not this machine's
// is said to be so.
func TestCostsHere(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	dir := filepath.Join(cache, "brewput")
	if calibrate.CacheDir() != dir {
		t.Skip("the cache is elsewhere on this system")
	}
	here := result.Environment{Machine: result.Machine{Fingerprint: "ab12"}, Build: result.Build{GoVersion: "go1.26.0"}}
	ask := func(given, from, text, warning string) {
		t.Helper()
		c, err := CostsHere(given, here)
		if err != nil || c.From != from || c.Text != text {
			t.Errorf("got %+v, %v; want %s costs %s", c, err, from, text)
		}
		if all := strings.Join(c.Warnings, "\n"); !strings.Contains(all, warning) || (warning == "") != (all == "") {
			t.Errorf("%s: warned of %q, want %q", from, all, warning)
		}
	}
	typical := sim.Typical().String()
	ask("", "typical", typical, WhyTypical+"this machine is not calibrated")
	cal := result.Calibration{
		Kind: result.KindCalibration, SchemaVersion: result.SchemaVersion, Fingerprint: "ab12", GoVersion: "go1.26.0",
		Measured: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Costs: "wake=10µs/90µs,chan=21ns",
	}
	if err := costs.Store(dir, cal); err != nil {
		t.Fatal(err)
	}
	ask("", "calibrated 2026-01-02T03:04:05Z", cal.Costs, "")
	ask("wake=60us", "given", "wake=60µs", "")
	here.GoVersion = "go1.27.0"
	ask("", "typical", typical, "the calibration is of go1.26.0")
	here.GoVersion, here.Fingerprint = "go1.26.0", "cd34"
	ask("", "typical", typical, "is of another machine")
	if err := os.WriteFile(filepath.Join(dir, "costs-cd34.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask("", "typical", typical, "costs-cd34.json is damaged")
	var refusal *plan.Refusal
	if _, err := CostsHere("wale=1us", here); !errors.As(err, &refusal) || refusal.Field != "cost" {
		t.Errorf("a cost that there is not: %v", err)
	}
}
