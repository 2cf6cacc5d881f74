package env

import (
	"fmt"
	"math"
	"testing"
)

// TestLnExp compares ln and exp with package math, whose own error is below 1 unit in the last place
// (2.2e-16) and depends on the machine.
func TestLnExp(t *testing.T) {
	const limit = 7e-16
	check := func(name string, x, got, want float64) {
		if diff := math.Abs(got/want - 1); diff > limit {
			t.Errorf("%s(%v) = %v, want %v: relative difference %.2g", name, x, got, want, diff)
		}
	}
	d := Draws{key: 1}
	for range 50000 {
		for _, x := range []float64{
			d.Float64() + 0x1p-53, // as in Exp and Norm
			1 - (d.Float64()+0x1p-53)*0x1p-20,
			1 + d.Float64() + 0x1p-52,
			math.Ldexp(1+d.Float64(), d.IntN(2000)-1000),
		} {
			check("ln", x, ln(x), math.Log(x))
		}
		for _, x := range []float64{d.Float64() - 0.5, 40 * (d.Float64() - 0.5), 1400 * (d.Float64() - 0.5)} {
			check("exp", x, exp(x), math.Exp(x))
		}
	}
	if ln(1) != 0 || exp(0) != 1 {
		t.Errorf("ln(1) = %v, exp(0) = %v", ln(1), exp(0))
	}
}

// TestGolden holds the first draws of seed 1: stored results must mean the same on any machine and
// with any later version.
func TestGolden(t *testing.T) {
	r := Rand{seed: 1}
	d := r.At(0, 0)
	e := r.At(1, 2)
	got := []string{
		fmt.Sprintf("%016x", d.Uint64()),
		fmt.Sprintf("%016x", d.Uint64()),
		fmt.Sprintf("%016x", e.Uint64()),
		fmt.Sprint(d.IntN(1000), d.IntN(1000), d.IntN(3)),
		fmt.Sprint(d.Float64()),
		fmt.Sprint(d.Exp()),
		fmt.Sprint(d.Norm()),
		fmt.Sprint(d.LogNormal(4, 0.5)),
	}
	want := []string{"6735fa339a2f4459", "d69887a7933b8aad", "b656f87af2f4931d", "576 607 2",
		"0.21351335067826815", "0.6279981954281428", "-0.8607120968122832", "2.612660584132217"}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("draw %d of seed 1 is %s, want %s", i, got[i], w)
		}
	}
	// All bits of many draws of each kind.
	var sum uint64
	for i := range uint64(5000) {
		d := r.At(i, 7)
		for _, x := range []float64{d.Exp(), d.Norm(), d.LogNormal(1e-3, float64(i%30)/10)} {
			sum = mix(sum ^ math.Float64bits(x))
		}
	}
	if got, want := fmt.Sprintf("%016x", sum), "609ec4108eca22d0"; got != want {
		t.Errorf("the digest of 15000 draws of seed 1 is %s, want %s", got, want)
	}
}

// TestIntNRejects needs the second draw: of 2^64 values 8/3 would go to each of 3 * 2^61 results, 3 to
// two of three neighbours and 2 to the third.
func TestIntNRejects(t *testing.T) {
	shift := 61
	n := 3 << shift
	if n == 0 {
		return // int has 32 bits
	}
	var counts [3]int
	for i := range uint64(3000) {
		d := Rand{seed: 1}.At(i, 0)
		counts[d.IntN(n)%3]++
	}
	for i, c := range counts {
		if c < 850 || c > 1150 { // 1000 with a standard deviation of 26
			t.Errorf("%d of 3000 draws are %d mod 3", c, i)
		}
	}
}
