package gobench

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brewput/brewput/result"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, output string
		cpus         int
		want         string // the names and one value
	}{
		{"plain", "BenchmarkA  \t     100\t      12.5 ns/op\n", 1, "A 12.5"},
		{"cpus", "BenchmarkA-2  \t     100\t      12.5 ns/op\t  3 B/op\n", 2, "A 12.5"},
		{"a number that is no CPUs", "BenchmarkA/size-8 \t 1\t 1 ns/op\n", 1, "A/size-8 1"},
		{"a number before the CPUs", "BenchmarkA/size-8-2 \t 1\t 1 ns/op\n", 2, "A/size-8 1"},
		{"printed before it", "hello BenchmarkA 1 BenchmarkA \t 7\t 2 ns/op\n", 1, "A 2"},
		{"a name alone, as -v prints", "BenchmarkA\nBenchmarkA \t 7\t 2 ns/op\n", 1, "A 2"},
		{"no pairs", "BenchmarkA \t 7\t of nine\n", 1, ""},
		{"no number", "BenchmarkA \t 7\t two ns/op\n", 1, ""},
	} {
		var got []string
		for _, l := range Parse(c.output, c.cpus) {
			got = append(got, l.Name+" "+strconv.FormatFloat(l.Values["ns/op"], 'g', -1, 64))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMetrics(t *testing.T) {
	m := Line{N: 10, Values: map[string]float64{"ns/op": 50, "MB/s": 2, "B/op": 16, "allocs/op": 1, "beans/op": 3,
		"brewput-cpu-ns/op": 60}}.Metrics()
	want := result.Metrics{result.TimePerOp: 50, result.BytesRate: 2e6, result.AllocedPerOp: 16, result.AllocsPerOp: 1,
		"beans/op":      3,
		result.CPUPerOp: 60, result.Throughput: 2e7}
	if !maps.Equal(m, want) {
		t.Errorf("%v, want %v", m, want)
	}
	d := Directions("Unit beans better=higher\nUnit ns/op assume=nothing\n  Unit tea better=lower\nUnit milk " +
		"a=b better=lower\n")
	if len(d) != 2 || d["beans"] != "higher" || d["milk"] != "lower" {
		t.Errorf("%v", d)
	}
}

func TestPatterns(t *testing.T) {
	if got := split(`A[/]b/(c/d)|e/f\/g`, '/'); !slices.Equal(got, []string{"A[/]b", "(c/d)|e", `f\/g`}) {
		t.Errorf("%q", got)
	}
	if got := exactPattern("A/b.c=1"); got != `^BenchmarkA$/^b\.c=1$` {
		t.Errorf("%s", got)
	}
}

// TestSkips has the reason before the SKIP line, as -v prints it, or after it, as in other versions of Go.
func TestSkips(t *testing.T) {
	const output = "BenchmarkA\n    a_test.go:7: no beans\n--- SKIP: BenchmarkA\nBenchmarkB\n--- SKIP: BenchmarkB\n  " +
		"  a_test.go:9: no milk: fetch it\n" +
		"        from the shop\nBenchmarkC\n    a_test.go:1: other\nBenchmarkC \t 1\t 2 ns/op\nBenchmarkD\n--- SKIP: " +
		"BenchmarkD\nBenchmarkE/x\n" +
		"    a_test.go:7: no cup\n        at all\n    --- SKIP: BenchmarkE/x\nPASS\n"
	var got []string
	for _, f := range skipped(output) {
		got = append(got, f.Name+": "+f.Text)
	}
	if want := []string{"A: no beans", "B: no milk: fetch it", "D: ", "E/x: no cup"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPatched checks that the helper fits the installed Go, and that a different source is refused.
func TestPatched(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("go is not installed")
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "src", "testing", "benchmark.go"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := patched(string(text))
	if err != nil || strings.Count(source, "brewput") != 5 {
		t.Errorf("%d calls, %v", strings.Count(source, "brewput"), err)
	}
	if _, err := patched(strings.ReplaceAll(string(text), "b.benchFunc(b)", "b.call()")); err == nil {
		t.Error("another package testing is patched")
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	read := func(text string) *File {
		t.Helper()
		path := filepath.Join(dir, "f.txt")
		write(t, dir, "f.txt", text)
		f, err := ReadFile(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := read("goos: linux\nbranch: main\nBenchmarkA/n=1-2 \t 10\t 5 ns/op\t 2 MB/s\nBenchmarkA/n=1-2 \t 10\t 7 " +
		"ns/op\nBenchmarkA/n=1 \t 10\t 9 ns/op\n")
	if len(f.Trials) != 3 || len(f.Cases) != 2 || f.Trials[1].Block != 1 || f.Trials[2].Block != 0 || f.Run != "" ||
		f.Trials[0].Point.String() != "cpus=2" || f.Trials[0].Design != "A/n=1" ||
		f.Trials[0].Metrics[result.BytesRate] != 2e6 {
		t.Errorf("%+v", f)
	}
	f = read("Unit beans better=higher\nblock 3 of x\nrev: base\nBenchmarkA \t 10\t 5 ns/op\nrev: head\nBenchmarkA " +
		"\t 10\t 7 ns/op\nblock 4 of x\nBenchmarkA \t 10\t 9 ns/op\n")
	if f.Run != "x" || f.Trials[0].Block != 3 || f.Trials[1].Block != 3 || f.Trials[2].Block != 4 ||
		f.Trials[0].Point.String() != "cpus=1 rev=base" || f.Better["beans"] != "higher" {
		t.Errorf("%+v", f)
	}
	if f = read("block 1 of x\nBenchmarkA \t 1\t 5 ns/op\nblock 1 of y\nBenchmarkA \t 1\t 5 ns/op\n"); f.Run != "" ||
		f.Trials[1].Block != 1 {
		t.Errorf("two runs in one file: %+v", f)
	}
	write(t, dir, "f.txt", "nothing here\n")
	if _, err := ReadFile(t.Context(), filepath.Join(dir, "f.txt")); err == nil ||
		!strings.Contains(err.Error(), "no line in the Go benchmark format") {
		t.Errorf("%v", err)
	}
}

// TestAlternatives checks that bars split a pattern before slashes do.
func TestAlternatives(t *testing.T) {
	if got := split(`A/x|B|C(d|e)/[|]`, '|'); !slices.Equal(got, []string{"A/x", "B", "C(d|e)/[|]"}) {
		t.Errorf("%q", got)
	}
}
