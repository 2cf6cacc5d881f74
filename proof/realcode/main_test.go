package main

import (
	"math"
	"testing"
)

// TestJudge covers intervals inside, outside and across the limits, and no interval at all.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{-0.01, 0.04, within}, {-0.04, -0.01, within}, {-0.06, 0.01, undecided}, {0.04, 0.06, undecided},
		{-0.2, 0.2, undecided},
		{0.05, 0.2, beyond}, {-0.2, -0.06, beyond}, {math.Inf(-1), math.Inf(1), undecided},
		{math.NaN(), math.NaN(), undecided},
	} {
		if got := judge(c.low, c.high); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
