package main

import (
	"math"
	"testing"
)

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

func TestDisturbed(t *testing.T) {
	for _, c := range []struct {
		r    round
		want bool
	}{
		{round{measured: 1, own: 2, machine: 2.05}, false},
		{round{measured: 1, own: 2, machine: 2.2}, true},
		{round{measured: 0.1, own: 0.2, machine: 0.25}, false}, // a few ticks
		{round{measured: 1, own: 2, machine: 2, steal: 0.1}, true},
		{round{measured: 1, own: math.NaN(), machine: math.NaN(), steal: math.NaN()}, false},
	} {
		if got := c.r.disturbed(); got != c.want {
			t.Errorf("%+v: %v", c.r, got)
		}
	}
}
