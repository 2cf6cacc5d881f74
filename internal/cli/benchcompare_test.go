package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInterruptedCompute: an interrupt ends the wait for a computation that does not end.
func TestInterruptedCompute(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan bool)
	defer close(end)
	_, err := unlessInterrupted(ctx, func() bool { cancel(); return <-end })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if x, err := unlessInterrupted(t.Context(), func() int { return 7 }); x != 7 || err != nil {
		t.Errorf("%d, %v", x, err)
	}
}

// TestInvalidValues: files with no values that a measurement has are refused in every format, and lines without them are
// not written. The median of a benchmark is that of the values that are left.
func TestInvalidValues(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	compare := func(older, newer, format string) (string, string, error) {
		var out, errs bytes.Buffer
		err := (&app{stdout: &out, stderr: &errs, text: &out}).compareBenchmarks(t.Context(), older, newer, format)
		return out.String(), errs.String(), err
	}
	bad := file("bad.txt", "BenchmarkNeg-2 1000 -5 ns/op\nBenchmarkNeg-2 1000 NaN ns/op\nBenchmarkNeg-2 1000 1e308 MB/s\n")
	good := file("good.txt", "BenchmarkA 1 5 ns/op\nBenchmarkA 1 6 ns/op\nBenchmarkNeg-2 1 6 ns/op\nBenchmarkNeg-2 1 6 ns/op\n")
	mixed := file("mixed.txt", "BenchmarkA 1 5 ns/op\nBenchmarkA 1 7 ns/op\nBenchmarkA 1 -3 ns/op\nBenchmarkNeg-2 1000 -5 ns/op\nBenchmarkNeg-2 1000 NaN ns/op\nBenchmarkB 0x1 5 ns/op\n")
	for _, format := range []string{"table", "json", "md", "bench"} {
		for _, pair := range [][2]string{{bad, good}, {good, bad}, {bad, bad}} {
			if _, _, err := compare(pair[0], pair[1], format); !errors.As(err, new(exitError)) || !strings.Contains(err.Error(), "no ns/op is left of Neg (cpus 2)") {
				t.Errorf("%s: %v", format, err)
			}
		}
		out, errs, err := compare(good, mixed, format)
		if text := out + errs; err != nil || !strings.Contains(strings.Join(strings.Fields(text), " "), "negative: A, Neg; no ns/op is left of Neg (cpus 2)") || !strings.Contains(text, "cannot be read") {
			t.Errorf("%s: %v\n%s", format, err, text)
		}
		if strings.Contains(out, "unavailable") || format == "bench" && strings.Count(out, "BenchmarkNeg") != 2 {
			t.Errorf("%s:\n%s", format, out)
		}
	}
}
