package gobench

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/result"
)

// TestDecimals checks that values are decimal numbers, and that 0 has no sign.
func TestDecimals(t *testing.T) {
	for text, want := range map[string]float64{"16": 16, "1.5": 1.5, ".5": .5, "1e3": 1000, "1E+3": 1000, "+2": 2,
		"-0":    0,
		"0x1p4": -1, "0X10": -1, "1_0": -1, "0b1": -1, "1__0": -1, "ten": -1} {
		f, err := ReadFile(t.Context(), textFile(t, "BenchmarkB 1 7 ns/op\nBenchmarkA 1 3 ns/op "+text+" x\n"))
		if err != nil {
			t.Fatal(err)
		}
		if want < 0 {
			if f.Torn != 1 || len(f.Trials) != 1 {
				t.Errorf("%s: %d lines cannot be read, %v", text, f.Torn, f.Trials)
			}
			if list := Parse("BenchmarkA \t 1\t "+text+" x\n", 1); len(list) > 0 {
				t.Errorf("%s is read as %v", text, list)
			}
			continue
		}
		if x := float64(f.Trials[1].Metrics.Get("x")); f.Torn > 0 || x != want || math.Signbit(x) {
			t.Errorf("%s is read as %v", text, x)
		}
	}
	if _, err := ReadFile(t.Context(), textFile(t, "BenchmarkA 1 0x3 ns/op\nBenchmarkA 1 ns/op\n")); err == nil ||
		!strings.Contains(err.Error(), "(results that cannot be read: 2)") {
		t.Error(err)
	}
}

// TestSuffixes checks that only a number of CPUs as go test writes it is not part of the name.
func TestSuffixes(t *testing.T) {
	for name, want := range map[string]string{"A": "A cpus=1", "A-10": "A cpus=10", "A/x-2": "A/x cpus=2",
		"A-010": "A-010 cpus=1", "A-0": "A-0 cpus=1", "A/x-00": "A/x-00 cpus=1",
		"A-99999999999999999999": "A-99999999999999999999 cpus=1", "A-": "A- cpus=1", "A-2-3": "A-2 cpus=3"} {
		f, err := ReadFile(t.Context(), textFile(t, "BenchmarkB-64 1 7 ns/op\nBenchmark"+name+" 1 3 ns/op\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Trials[1].Design + " " + f.Trials[1].Point.String(); got != want {
			t.Errorf("%s is read as %s, not %s", name, got, want)
		}
	}
}

// TestInvalidValues checks that invalid values are reported with their benchmarks, and those without any value
// left.
func TestInvalidValues(t *testing.T) {
	var b strings.Builder
	b.WriteString("BenchmarkFine 1 7 ns/op\nBenchmarkHalf 1 -7 ns/op 3 x\nBenchmarkHalf 1 7 ns/op 3 x\n")
	for i := range 12 {
		fmt.Fprintf(&b, "BenchmarkBad%d-2 1 NaN ns/op 3 x\nBenchmarkBad%d-4 1 5 ns/op +Inf x\n", i, i)
	}
	f, err := ReadFile(t.Context(), textFile(t, b.String()))
	if err != nil {
		t.Fatal(err)
	}
	left := f.InvalidValues()
	for _, want := range []string{
		": left out 13 values of ns/op that are NaN, infinite or negative: Half, Bad0, Bad1, Bad2, Bad3 and 8 more; " +
			"no ns/op is left of Bad0 (cpus 2), Bad1 (cpus 2), Bad2 (cpus 2), Bad3 (cpus 2), Bad4 (cpus 2) and 7 more",
		"; left out 12 values of x that are NaN, infinite or negative: Bad0, Bad1, Bad2, Bad3, Bad4 and 7 more; no x " +
			"is left of Bad0 (cpus 4), ",
	} {
		if !strings.Contains(left, want) {
			t.Errorf("no %q in\n%s", want, left)
		}
	}
	if f.Trials[1].Metrics.Get(result.TimePerOp).Known() || f.Trials[1].Metrics.Get("x") != 3 {
		t.Errorf("%v", f.Trials[1].Metrics)
	}
	if f, err = ReadFile(t.Context(), textFile(t, "BenchmarkFine 1 7 ns/op\n")); err != nil || f.InvalidValues() != "" {
		t.Errorf("%v, %q", err, f.InvalidValues())
	}
}

// TestBlocks checks the lines that name blocks, with both kinds of line ends, and that unreasonable numbers are
// refused.
func TestBlocks(t *testing.T) {
	lines := []string{"block 3 of x", "BenchmarkA 1 5 ns/op", "block 4 of x ", "BenchmarkA 1 5 ns/op", " block 9 of y",
		"BenchmarkA 1 5 ns/op"}
	for _, end := range []string{"\n", "\r\n"} {
		f, err := ReadFile(t.Context(), textFile(t, strings.Join(lines, end)))
		if err != nil {
			t.Fatal(err)
		}
		if f.Run != "x" || f.Trials[0].Block != 3 || f.Trials[1].Block != 4 || f.Trials[2].Block != 4 {
			t.Errorf("%q: of %q, blocks %d, %d, %d", end, f.Run, f.Trials[0].Block, f.Trials[1].Block,
				f.Trials[2].Block)
		}
	}
	for _, text := range []string{"BenchmarkA 1 5 ns/op\nblock 99999999999999999999 of x\n",
		"BenchmarkA 1 5 ns/op\nblock 1000000001 of x\nBenchmarkA 1 5 ns/op\n"} {
		if _, err := ReadFile(t.Context(), textFile(t, text)); err == nil ||
			!strings.Contains(err.Error(), "f.txt:2: block ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestTwoMachines checks that a file with the results of two machines is refused, and one of two packages is not.
func TestTwoMachines(t *testing.T) {
	machine := "goos: linux\ngoarch: amd64\npkg: a\ncpu: One\nBenchmarkA 1 5 ns/op\n"
	packages := machine + strings.Replace(machine, "pkg: a", "pkg: b", 1)
	if _, err := ReadFile(t.Context(), textFile(t, packages)); err != nil {
		t.Error(err)
	}
	_, err := ReadFile(t.Context(), textFile(t, machine+strings.Replace(machine, "One", "Two", 1)))
	if !errors.Is(err, input.ErrRefused) ||
		!strings.Contains(err.Error(), "f.txt:10: the results are from two machines: cpu is Two, and One before") {
		t.Errorf("%v", err)
	}
}
