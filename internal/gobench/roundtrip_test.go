package gobench

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
)

// TestRoundTrip checks that files written by bench are read back unchanged.
func TestRoundTrip(t *testing.T) {
	var trials []result.Trial
	var b []byte
	for blk := range 3 {
		for _, c := range []struct {
			name string
			cpus int
		}{{"X/size-2", 1}, {"X/size-100", 1}, {"X/size-100", 2}, {"X/size", 2}} {
			trials = append(trials, result.Trial{Kind: result.KindTrial, Design: c.name, Block: blk, Status: result.OK,
				Expected: true, Operations: 10,
				Point:   plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(c.cpus)}),
				Metrics: result.Metrics{result.TimePerOp: result.Value(100 * c.cpus)}})
		}
	}
	path := filepath.Join(t.TempDir(), "f.txt")
	f, _ := os.Create(path)
	report.GoBench(f, trials, nil, map[string]string{"rows/s": "higher"}, "run", "rev")
	f.Close()
	b, _ = os.ReadFile(path)
	got, err := ReadFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range trials {
		if got.Trials[i].Design != trials[i].Design || !got.Trials[i].Point.Equal(trials[i].Point) {
			t.Errorf("%s %s read as %s %s", trials[i].Design, trials[i].Point, got.Trials[i].Design,
				got.Trials[i].Point)
		}
	}
	if len(got.Better) != 1 || got.Better["rows/s"] != "higher" {
		t.Errorf("directions are read as %v\n%s", got.Better, b)
	}
	if len(got.Cases) != 4 {
		t.Errorf("%d cases of 4\n%s", len(got.Cases), b)
	}
}

// TestNumbersRoundTrip checks that files have the numbers that the benchmark printed, to the last digit, and
// the metrics of the run.
func TestNumbersRoundTrip(t *testing.T) {
	var trials []result.Trial
	for i := range 500 {
		printed := Line{Values: map[string]float64{"ns/op": 1070.5, "B/op": 48, "allocs/op": 3, "beans/op": 0.1,
			"wait-ns/op": 7, "B/s": 5, "brewput-cpu-ns/op": 1070}}
		printed.Values["MB/s"], _ = strconv.ParseFloat(fmt.Sprintf("%.2f", 0.07+1.37*float64(i)), 64)
		trials = append(trials, result.Trial{Kind: result.KindTrial, Design: "X", Block: i, Status: result.OK,
			Operations: 10,
			Point:      plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)}),
			Metrics:    printed.Metrics()})
	}
	path := filepath.Join(t.TempDir(), "f.txt")
	f, _ := os.Create(path)
	report.GoBench(f, trials, nil, map[string]string{"wait-ns/op": "lower"}, "run", "")
	f.Close()
	text, _ := os.ReadFile(path)
	if want := "BenchmarkX\t10\t1070.5 ns/op\t0.07 MB/s\t5 B/s\t0.1 beans/op\t7 wait-ns/op\t48 B/op\t3 " +
		"allocs/op\t1070 brewput-cpu-ns/op\n"; !strings.Contains(string(text), want) {
		t.Errorf("no line %q\n%.300s", want, text)
	}
	got, err := ReadFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range trials {
		if !maps.Equal(got.Trials[i].Metrics, trials[i].Metrics) {
			t.Fatalf("%v is read as %v", trials[i].Metrics, got.Trials[i].Metrics)
		}
	}
	if got.Better["wait-ns/op"] != "lower" {
		t.Errorf("directions are read as %v", got.Better)
	}
}

// TestFactorsOfFiles checks that a variable is still a factor, in lower case as the format requires. A level
// that all lines share is in no point, but is reported.
func TestFactorsOfFiles(t *testing.T) {
	var trials []result.Trial
	for _, gogc := range []string{"50", "100"} {
		point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
			plan.Setting{Factor: "pgo", Level: plan.TextLevel("off")},
			plan.Setting{Factor: "GOGC", Level: plan.TextLevel(gogc)})
		trials = append(trials, result.Trial{Kind: result.KindTrial, Design: "X", Status: result.OK, Expected: true,
			Operations: 10, Point: point,
			Metrics: result.Metrics{result.TimePerOp: 100}})
	}
	path := filepath.Join(t.TempDir(), "f.txt")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	report.GoBench(f, trials, nil, nil, "", "")
	f.Close()
	got, err := ReadFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if p := got.Trials[1].Point.String(); p != "cpus=1 gogc=100" || len(got.Common) != 1 || got.Common["pgo"] != "off" {
		t.Errorf("%s, alike %v", p, got.Common)
	}
}

// TestLevelOfSome checks that lines that lack a factor have another point than lines that have it, even if
// these have one level.
func TestLevelOfSome(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.txt")
	if err := os.WriteFile(path, []byte("pkg: p\nBenchmarkX 1 5 ns/op\nbeans: 1\nBenchmarkX 1 7 ns/op 3 B/s\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Cases) != 2 || len(f.Common) != 0 || f.Trials[0].Point.Has("beans") ||
		f.Trials[1].Point.Text("beans") != "1" {
		t.Errorf("%v, alike %v", f.Cases, f.Common)
	}
	if m := f.Trials[1].Metrics; m[result.BytesRate] != 3 || m.Get("B/s").Known() {
		t.Errorf("a rate is read as %v", m)
	}
}
