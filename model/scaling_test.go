package model

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestAmdahlGustafson(t *testing.T) {
	for _, c := range []struct {
		serial            float64
		n                 int
		amdahl, gustafson float64
	}{
		{0, 8, 8, 8}, {1, 8, 1, 1}, {0.5, 1, 1, 1}, {0.1, 1e6, 10, 900000.1},
		{0.004, 1024, 201.05, 1019.9}, // Gustafson 1988: a speed-up of 1020 on 1024 processors, 201 by Amdahl
	} {
		a, ok := Amdahl(c.serial, c.n)
		g, ok2 := Gustafson(c.serial, c.n)
		if !ok || !ok2 || !near(a, c.amdahl, 1e-3) || !near(g, c.gustafson, 1e-3) {
			t.Errorf("%+v: %v, %v", c, a, g)
		}
	}
	for _, serial := range []float64{-0.1, 1.1, math.NaN()} {
		if _, ok := Amdahl(serial, 2); ok {
			t.Errorf("Amdahl of %v", serial)
		}
		if _, ok := Gustafson(serial, 2); ok {
			t.Errorf("Gustafson of %v", serial)
		}
	}
	if _, ok := Amdahl(0.5, 0); ok {
		t.Error("Amdahl on 0 CPUs")
	}
}

// TestUSL: without coherency it is Amdahl's law; with it the peak is the best of all integers beside it.
func TestUSL(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := USL{7, rapid.Float64Range(0, 1).Draw(t, "sigma"), rapid.Float64Range(1e-4, 0.1).Draw(t, "kappa")}
		best := 1
		for n := range 200 {
			if u.Throughput(n+1) > u.Throughput(best) {
				best = n + 1
			}
		}
		if peak, ok := u.Peak(); !ok || math.Abs(peak-float64(best)) >= 1 {
			t.Fatalf("%+v: a peak at %v, %v, but the best is %d", u, peak, ok, best)
		}
		u.Kappa = 0
		if s, _ := Amdahl(u.Sigma, best); !near(u.Throughput(best), 7*s, 1e-12) {
			t.Fatalf("%+v of %d is %v, Amdahl's %v", u, best, u.Throughput(best), 7*s)
		}
		if peak, ok := u.Peak(); ok {
			t.Fatalf("%+v has a peak at %v", u, peak)
		}
	})
}

// TestFitUSL: the Cisco benchmark of Schwartz, Practical Scalability Analysis with the Universal Scalability
// Law, 2015, whose fit is Lambda 995.6486, Sigma 0.02671591, Kappa 0.0007690945.
func TestFitUSL(t *testing.T) {
	queries := []float64{
		955.16, 1878.91, 2688.01, 3548.68, 4315.54, 5130.43, 5931.37, 6531.08, 7219.8, 7867.61, 8278.71, 8646.7,
		9047.84, 9426.55, 9645.37, 9897.24,
		10097.6, 10240.5, 10532.39, 10798.52, 11151.43, 11518.63, 11806, 12089.37, 12075.41, 12177.29, 12211.41,
		12158.93, 12155.27, 12118.04, 12140.4, 12074.39,
	}
	threads := make([]int, len(queries))
	for i := range threads {
		threads[i] = i + 1
	}
	f, err := FitUSL(threads, queries)
	if err != nil || !near(f.Lambda, 995.6486, 1e-5) || !near(f.Sigma, 0.02671591, 1e-5) ||
		!near(f.Kappa, 7.690945e-4, 1e-5) || !near(f.R2, 0.9972, 1e-4) || f.Freedom != 29 {
		t.Errorf("%+v, %v", f, err)
	}
	if peak, ok := f.Peak(); !ok || !near(peak, 35.57, 1e-3) {
		t.Errorf("a peak at %v, %v", peak, ok)
	}
}

// TestFitUSLExact: a law without deviations is found again, on the bounds too.
func TestFitUSLExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := USL{
			math.Pow(10, rapid.Float64Range(-6, 9).Draw(t, "magnitude")),
			rapid.SampledFrom([]float64{0, 0.01, 0.3, 1, 2}).Draw(t, "sigma"),
			rapid.SampledFrom([]float64{0, 1e-5, 1e-3, 0.1}).Draw(t, "kappa"),
		}
		ns, xs := []int{1, 2, 3, 6, 12, 24, 64}, []float64(nil)
		for _, n := range ns {
			xs = append(xs, u.Throughput(n))
		}
		f, err := FitUSL(ns, xs)
		if err != nil || !near(f.Lambda, u.Lambda, 1e-9) || math.Abs(f.Sigma-u.Sigma) > 1e-9 ||
			math.Abs(f.Kappa-u.Kappa) > 1e-9 {
			t.Fatalf("%+v, %v, not %+v", f, err, u)
		}
	})
}

// TestFitUSLErrors: of many noisy runs of one law, 95 % lie within two standard errors of it (2.05 with 28 degrees
// of freedom), and no fit deviates more than the law itself.
func TestFitUSLErrors(t *testing.T) {
	u, random := USL{1000, 0.05, 0.002}, rand.New(rand.NewPCG(3, 4))
	const runs = 1000
	covered := [3]int{}
	for range runs {
		var ns []int
		var xs []float64
		deviations, fitted := 0.0, 0.0
		for i := range 31 {
			n := 1 + 2*i
			ns, xs = append(ns, n), append(xs, u.Throughput(n)+40*random.NormFloat64())
		}
		f, err := FitUSL(ns, xs)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range ns {
			deviations += math.Pow(xs[i]-u.Throughput(n), 2)
			fitted += math.Pow(xs[i]-f.Throughput(n), 2)
		}
		if fitted > deviations {
			t.Fatalf("%+v deviates by %v, the law only by %v", f, fitted, deviations)
		}
		for j, c := range [3][3]float64{{f.Lambda, u.Lambda, f.LambdaError}, {f.Sigma, u.Sigma, f.SigmaError},
			{f.Kappa, u.Kappa, f.KappaError}} {
			if math.Abs(c[0]-c[1]) < 2.05*c[2] {
				covered[j]++
			}
		}
	}
	for j, n := range covered {
		if n < 930 || n > 970 { // 3 standard deviations of a binomial
			t.Errorf("coefficient %d is covered in %d of %d", j, n, runs)
		}
	}
}

// TestFitUSLUndetermined: too little to see a law, or a peak.
func TestFitUSLUndetermined(t *testing.T) {
	alike := [][]int{{1, 2, 3}, {1, 1, 2, 2, 2}, {99999998, 99999998, 99999999, 1e8}}
	for n := 100_000; n < 1e8; n = 2*n + 1 { // different, but not to the last digit that counts
		alike = append(alike, []int{n, n + 1, n + 2, n + 3, n + 4})
	}
	for _, ns := range alike {
		if f, err := FitUSL(ns, ones(len(ns))); !errors.Is(err, ErrUndetermined) {
			t.Errorf("%v: %+v, %v", ns, f, err)
		}
	}
	// Faster than linear: the best law is the linear one.
	f, err := FitUSL([]int{1, 2, 3, 4}, []float64{1, 2.1, 3.4, 5})
	if err != nil || f.Sigma != 0 || f.Kappa != 0 || !math.IsNaN(f.SigmaError) || !math.IsNaN(f.KappaError) ||
		f.Freedom != 3 {
		t.Errorf("%+v, %v", f, err)
	}
	// A slight bend at the end, within the noise.
	f, err = FitUSL([]int{1, 2, 3, 4, 5}, []float64{1, 1.9, 2.6, 3.5, 3.9})
	if n, ok := f.Peak(); err != nil || ok {
		t.Errorf("%+v, %v has a peak at %v", f, err, n)
	}
}
