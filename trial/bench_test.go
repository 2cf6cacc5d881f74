package trial_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/trial"
)

// BenchmarkStart measures the overhead of a trial: a child with an empty job, minus an empty Go program, in
// turns. The two burn probes of 2 ms are half of it.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		b.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if out, err := exec.Command("go", "build", "-o", empty, source).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	s := spec("null", "job")
	s.Point = s.Point.Only([]string{"cpus"})
	runner := trial.Runner{TimeLimit: time.Minute}
	var bare, whole []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := exec.Command(empty).Run(); err != nil {
			b.Fatal(err)
		}
		bare = append(bare, time.Since(start))
		start = time.Now()
		if _, err := runner.Run(b.Context(), s); err != nil {
			b.Fatal(err)
		}
		whole = append(whole, time.Since(start))
	}
	slices.Sort(bare)
	slices.Sort(whole)
	empties, trials := bare[len(bare)/2], whole[len(whole)/2]
	b.ReportMetric(float64(empties.Microseconds())/1000, "ms-empty")
	b.ReportMetric(float64((trials-empties).Microseconds())/1000, "ms-beyond-empty")
}
