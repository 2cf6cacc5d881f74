package store

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/brewput/brewput/result"
)

// largeTrial is about as large as a live trial: 60 metrics, and a histogram of 3 KB.
func largeTrial(order int) (result.Trial, map[string][]byte) {
	trial := step{kind: result.KindTrial, order: order}.trial()
	for i := range 60 {
		trial.Metrics[fmt.Sprintf("metric_number_%d_ns", i)] = result.Value(order) + 1.0/result.Value(i+3)
	}
	return trial, map[string][]byte{"latency": bytes.Repeat([]byte{1, 7, 200}, 1000)}
}

// BenchmarkAppend measures storing a trial, up to the system's cache.
func BenchmarkAppend(b *testing.B) {
	r := get(Create(filepath.Join(b.TempDir(), "run"), header()))(b)
	b.Cleanup(func() { r.Close() })
	for order := 0; b.Loop(); order++ {
		trial, histograms := largeTrial(order)
		must(b, r.Append(trial, histograms))
	}
}

// BenchmarkOpen measures reading a run of 1000 trials.
func BenchmarkOpen(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "run")
	r := get(create(dir, header(), withoutSync))(b)
	for order := range 1000 {
		trial, histograms := largeTrial(order)
		must(b, r.Append(trial, histograms))
	}
	must(b, r.EndBlock(0, 1000, 0))
	must(b, r.Close())
	for b.Loop() {
		get(Open(dir))(b)
	}
}

// BenchmarkSign measures the checksums of a trial's two lines and their part of the digest, which are part of
// Append.
func BenchmarkSign(b *testing.B) {
	trial, histograms := largeTrial(0)
	line := get(encode(trial))(b)
	histLine := get(encode(Histograms{Data: histograms}))(b)
	c := chain{checked: true}
	b.SetBytes(int64(len(line) + len(histLine)))
	for b.Loop() {
		first, _ := c.sign(line[:len(line):len(line)], 1)
		second, _ := c.sign(histLine[:len(histLine):len(histLine)], 1)
		c.addTrial(first, second)
		c.sums = c.sums[:0]
	}
}
