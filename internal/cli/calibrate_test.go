package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/internal/doctor"
	"github.com/brewput/brewput/internal/host"
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
	here := host.Environment{Machine: host.Machine{Fingerprint: "ab12"}, Build: host.Build{GoVersion: "go1.26.0"}}
	ask := func(given, from, text, warning string) {
		t.Helper()
		c, err := costsHere(given, here)
		if err != nil || c.from != from || c.text != text {
			t.Errorf("got %+v, %v; want %s costs %s", c, err, from, text)
		}
		if all := strings.Join(c.warnings, "\n"); !strings.Contains(all, warning) || (warning == "") != (all == "") {
			t.Errorf("%s: warned of %q, want %q", from, all, warning)
		}
	}
	typical := sim.Typical().String()
	ask("", "typical", typical, "(this machine is not calibrated); measure them with brewput calibrate")
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
	var said exitError
	if _, err := costsHere("wale=1us", here); !errors.As(err, &said) || said.code != exitUsage {
		t.Errorf("a cost that there is not: %v", err)
	}
}

// TestUndisturbed: a machine that is loaded is not calibrated, and what the calibration itself did is no load.
func TestUndisturbed(t *testing.T) {
	quiet := doctor.Readings{CPUs: 2, Load1: doctor.Read(0.1), Others: doctor.Read(0.01), Steal: doctor.Read(0.0), Throttled: doctor.Read(uint64(0)),
		Race: doctor.Read(false), Cover: doctor.Read(false)}
	for _, x := range []struct {
		what   string
		change func(*doctor.Readings)
		own    bool
		want   string
	}{
		{"quiet", func(*doctor.Readings) {}, false, ""},
		{"a little", func(r *doctor.Readings) { r.Others = doctor.Read(0.2) }, false, ""},
		{"others", func(r *doctor.Readings) { r.Others = doctor.Read(0.3) }, false, "others (0.30 CPUs used by others"},
		{"others meanwhile", func(r *doctor.Readings) { r.Others = doctor.Read(0.3) }, true, "others (0.30 CPUs"},
		{"steal", func(r *doctor.Readings) { r.Steal = doctor.Read(0.5) }, true, "steal (0.500 CPUs"},
		{"throttled", func(r *doctor.Readings) { r.Throttled = doctor.Read(uint64(2)) }, true, "throttled (stopped in 2 periods"},
		{"race detector", func(r *doctor.Readings) { r.Race = doctor.Read(true) }, false, "build (built with -race)"},
		{"load", func(r *doctor.Readings) { r.Load1, r.Others = doctor.Read(3.0), doctor.Read(0.1) }, false, "load (3.00 over the last minute"},
		{"own load", func(r *doctor.Readings) { r.Load1, r.Others = doctor.Read(3.0), doctor.Read(0.1) }, true, ""},
		{"two", func(r *doctor.Readings) { r.Others, r.Steal = doctor.Read(0.3), doctor.Read(0.5) }, false, ", steal ("},
	} {
		r := quiet
		x.change(&r)
		err := undisturbed(r, x.own)
		switch {
		case x.want == "" && err != nil:
			t.Errorf("%s: %v", x.what, err)
		case x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want) || !strings.Contains(err.Error(), "nothing is stored")):
			t.Errorf("%s: %v; want %q", x.what, err, x.want)
		}
	}
}

// TestUnstored: a calibration whose halves disagree exits with 4, and says what to do; other errors stay as they are.
func TestUnstored(t *testing.T) {
	err := unstored(fmt.Errorf("round 3: %w", &costs.Unsteady{}))
	if err == nil || !strings.Contains(err.Error(), "disagree") || !strings.HasSuffix(err.Error(), "nothing is stored: stop what else runs, on this machine and its host, and repeat brewput calibrate") {
		t.Errorf("got %v", err)
	}
	if got := (&app{stderr: io.Discard, measuring: true}).exit(err); got != exitFailed {
		t.Errorf("exit %d, want %d", got, exitFailed)
	}
	if other := errors.New("no such program"); unstored(other) != other {
		t.Errorf("got %v", unstored(other))
	}
}
