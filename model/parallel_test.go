package model_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/model"
)

// TestKarpFlatt: what Amdahl's law makes of a serial share is the share again.
func TestKarpFlatt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		serial, n := rapid.Float64Range(0, 1).Draw(t, "serial"), rapid.IntRange(2, 4096).Draw(t, "n")
		speedup, _ := model.Amdahl(serial, n)
		if got, ok := model.KarpFlatt(speedup, n); !ok || math.Abs(got-serial) > 1e-9 {
			t.Errorf("%v on %d CPUs: %v", serial, n, got)
		}
	})
	for _, bad := range []struct {
		speedup float64
		n       int
	}{{2, 1}, {0, 2}, {math.NaN(), 2}, {math.Inf(1), 2}} {
		if _, ok := model.KarpFlatt(bad.speedup, bad.n); ok {
			t.Errorf("%v", bad)
		}
	}
	if e, _ := model.KarpFlatt(4, 2); e >= 0 {
		t.Errorf("a speed-up of 4 by 2 CPUs has the serial share %v", e)
	}
}

// TestBreakEven: at that many items both take the same time.
func TestBreakEven(t *testing.T) {
	const overhead, item = 2e-6, 0.5e-9
	for n := 2; n <= 64; n *= 2 {
		items, ok := model.BreakEven(overhead, item, n)
		alone, divided := items*item, overhead+items*item/float64(n)
		if !ok || math.Abs(alone-divided) > 1e-12 {
			t.Errorf("%d CPUs: %v items take %v and %v", n, items, alone, divided)
		}
	}
	if _, ok := model.BreakEven(overhead, item, 1); ok {
		t.Error("dividing pays on one CPU")
	}
}

// TestBestChunks: no other k is better.
func TestBestChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 3000).Draw(t, "n"), rapid.IntRange(1, 64).Draw(t, "m")
		quadratic := rapid.Float64Range(0, 1).Draw(t, "quadratic")
		merge := rapid.SampledFrom([]float64{0, 1e-9, 1e-8, 1e-6, 1}).Draw(t, "merge")
		each := rapid.SampledFrom([]float64{0, 1e-7, 1e-4}).Draw(t, "each")
		k, ok := model.BestChunks(quadratic, merge, each, n, m)
		best, _ := model.Chunked(quadratic, merge, each, n, k, m)
		for other := 1; other <= n; other++ {
			if s, _ := model.Chunked(quadratic, merge, each, n, other, m); !ok || s < best*(1-1e-12) {
				t.Fatalf("%d chunks take %v, and %d %v", k, best, other, s)
			}
		}
	})
	// By hand: 8 items in 2 chunks on 1 CPU: half the quadratic time, 8 items through one bit, and twice what a chunk
	// costs.
	if s, _ := model.Chunked(64, 0.5, 3, 8, 2, 1); s != 42 {
		t.Errorf("%v s instead of 42", s)
	}
	if _, ok := model.BestChunks(-1, 1, 0, 8, 1); ok {
		t.Error("a negative time")
	}
}
