package costs

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
)

func example() result.Calibration {
	return result.Calibration{
		Kind: result.KindCalibration, SchemaVersion: result.SchemaVersion, Fingerprint: "m", GoVersion: "go1.26.0",
		Measured: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Costs: "wake=3µs/8µs/60µs,chan=21ns",
		Prices: []result.CostEstimate{{Cost: "chan",
			Estimate: result.Estimate{Median: 21, Low: result.Unavailable, High: result.Unavailable}}},
	}
}

func TestLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "cache")
	if _, _, err := Load(dir, "m", "go1.26.0"); err == nil || err.Error() != "this machine is not calibrated" {
		t.Errorf("nothing stored: %v", err)
	}
	if err := Store(dir, example()); err != nil {
		t.Fatal(err)
	}
	c, costs, err := Load(dir, "m", "go1.26.0")
	if want := (sim.Costs{Wake: sim.Quantiles(3000, 8000, 60_000), Chan: sim.Ns(21)}); err != nil ||
		!reflect.DeepEqual(costs, want) {
		t.Errorf("got %v, %v; want %v", costs, err, want)
	}
	if !c.Measured.Equal(example().Measured) || c.Prices[0].Low.Known() {
		t.Errorf("got %+v", c)
	}
	tails := example()
	tails.Fingerprint, tails.Costs = "tails", "wake=3µs/8µs@97.5%/20µs/30µs/60µs@99.9%/4ms"
	tails.HandOvers = []result.HandOver{{Cost: "wake", Reading: "handoff/handoff@0s..2ms",
		Live: result.UpperQuantiles{P50: 9, P90: 10, P99: 11}}}
	if err := Store(dir, tails); err != nil {
		t.Fatal(err)
	}
	if c, costs, err = Load(dir, "tails", "go1.26.0"); err != nil || costs.String() != tails.Costs ||
		!reflect.DeepEqual(c.HandOvers, tails.HandOvers) {
		t.Errorf("with tails: %+v, %v, %v", c, costs, err)
	}
	if _, _, err := Load(dir, "n", "go1.26.0"); err == nil ||
		!strings.Contains(err.Error(), "of 2026-01-02 is of another machine") ||
		!strings.Contains(err.Error(), "fingerprint is m") {
		t.Errorf("another machine: %v", err)
	}
	if _, _, err := Load(dir, "m", "go1.27.0"); err == nil ||
		!strings.Contains(err.Error(), "is of go1.26.0, and this program is built with go1.27.0") {
		t.Errorf("another Go: %v", err)
	}
	if _, _, err := Load(dir, "../m", "go1.26.0"); err == nil || !strings.Contains(err.Error(), "must be a word") {
		t.Errorf("a fingerprint that is a path: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := Store(dir, example()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "costs-m.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for what, x := range map[string]struct{ was, is, want string }{
		"half":            {string(text[len(text)/2:]), "", "damaged: unexpected end"},
		"empty":           {string(text), "", "damaged"},
		"no object":       {string(text), "[]", "damaged"},
		"another kind":    {`"calibration"`, `"trial"`, `its kind is "trial"`},
		"another version": {`"schema_version": 1`, `"schema_version": 2`, "schema version is 2"},
		"no machine":      {`"m"`, `""`, "does not name its machine"},
		"another machine": {`"m"`, `"n"`, "its fingerprint is n, here it is m"},
		"no time":         {"2026-01-02T03:04:05Z", "0001-01-01T00:00:00Z", "does not name"},
		"no costs":        {"wake=3µs/8µs/60µs,chan=21ns", "", "its costs cannot be read"},
		"falling costs":   {"8µs", "2µs", "rising order"},
	} {
		bad := bytes.Replace(text, []byte(x.was), []byte(x.is), 1)
		if bytes.Equal(bad, text) {
			t.Fatalf("%s: the file was not changed", what)
		}
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if c, _, err := Load(dir, "m", "go1.26.0"); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %+v, %v; want %q", what, c, err, x.want)
		}
	}
	// Nor is a damaged one of another machine told of.
	if err := os.WriteFile(file, text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(dir, "other", "go1.26.0"); err == nil || err.Error() != "this machine is not calibrated" {
		t.Errorf("a damaged file of another machine: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	dir := f.TempDir()
	if err := Store(dir, example()); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "costs-m.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("{}"))
	f.Add([]byte(`{"kind":"calibration","schema_version":1,"fingerprint":"x","go_version":"y","measured":"2026-01-02T03:04:05Z","costs":"none"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, costs, err := parse(text)
		if err != nil {
			return
		}
		if again, err := sim.ParseCosts(c.Costs); err != nil || !reflect.DeepEqual(again, costs) {
			t.Errorf("%q: %v and %v, %v", c.Costs, costs, again, err)
		}
		if c.Fingerprint == "" || c.Measured.IsZero() {
			t.Errorf("%+v was taken", c)
		}
	})
}
