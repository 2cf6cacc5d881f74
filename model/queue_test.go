package model

import (
	"math"
	"testing"
)

func TestMG1Response(t *testing.T) {
	for _, c := range []struct{ rate, mean, sd, want float64 }{
		{50, 0.01, 0.01, 0.02},            // M/M/1: S / (1 - rho)
		{90, 0.01, 0.01, 0.1},             //
		{50, 0.01, 0, 0.015},              // M/D/1: half the wait
		{80, 0.01, 0.02, 0.01 + 0.04*5/2}, // cv 2: (1 + cv^2) / 2 = 2.5 times M/D/1's doubled wait
		{1e-9, 0.01, 0.01, 0.01},          // nobody else there
	} {
		if got, ok := MG1Response(c.rate, c.mean, c.sd); !ok || math.Abs(got/c.want-1) > 1e-6 {
			t.Errorf("%v: %v, %v", c, got, ok)
		}
	}
	for _, c := range [][3]float64{{100, 0.01, 0}, {101, 0.01, 0}, {0, 1, 1}, {-1, 1, 1}, {1, 0, 0}, {1, 0.1, -1}, {math.NaN(), 1, 1}} {
		if got, ok := MG1Response(c[0], c[1], c[2]); ok {
			t.Errorf("%v has the response %v", c, got)
		}
	}
}
