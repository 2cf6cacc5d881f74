package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/internal/seeded"
)

func TestMain(m *testing.M) {
	seeded.Fix()
	m.Run()
}

// office is the example of Lazowska et al. 1984, ch. 5 and 6: a CPU, two disks, terminals that think 15 s.
func office() Network { return Network{15, []Station{{.605, 1}, {2.1, 1}, {1.35, 1}}} }

func TestJobBound(t *testing.T) {
	// A coffee shop: 4 ms for an order, of which 1 ms at one of two grinders, 2 ms at the espresso machine and
	// 4 ms of a CPU, which is held together with the machines.
	grinder, espresso := Station{.001, 2}, Station{.002, 1}
	for _, c := range []struct {
		workers, cpus int
		want          float64
		limit         int
	}{
		{1, 4, 250, -1}, {2, 1, 250, 2}, {2, 4, 500, -1}, {3, 4, 500, 1}, {100, 4, 500, 1}, {100, 1, 250, 2},
	} {
		got, limit, err := JobBound(c.workers, .004, grinder, espresso, Station{.004, c.cpus})
		if err != nil || !near(got, c.want, 1e-12) || limit != c.limit {
			t.Errorf("%+v: %v by %d, %v", c, got, limit, err)
		}
	}
}

// TestBounds: the formulas of Lazowska et al. 1984, table 5.1 and 5.2, for the office.
func TestBounds(t *testing.T) {
	const d, z, slow, mean = 4.055, 15., 2.1, 4.055 / 3
	for _, n := range []float64{1, 3, 20} {
		b, err := office().Bounds(int(n))
		want := Bounds{
			Upper: min(n/(d+z), 1/slow), Lower: n / (n*d + z), Limit: -1, Knee: (d + z) / slow,
			BalancedUpper: min(1/slow, n/(d+z+(n-1)*mean/(1+z/d))),
			BalancedLower: n / (d + z + (n-1)*slow/(1+z/(n*d))),
		}
		if n == 20 {
			want.Limit = 1
		}
		if err != nil || !near(b.Upper, want.Upper, 1e-12) || !near(b.Lower, want.Lower, 1e-12) ||
			b.Limit != want.Limit || !near(b.Knee, want.Knee, 1e-12) ||
			!near(b.BalancedUpper, want.BalancedUpper, 1e-12) || !near(b.BalancedLower, want.BalancedLower, 1e-12) {
			t.Errorf("%v customers: %+v, %v, not %+v", n, b, err, want)
		}
	}
	if b, err := (Network{Think: 2}).Bounds(4); err != nil || b.Upper != 2 || b.Lower != 2 || b.BalancedLower != 2 ||
		b.BalancedUpper != 2 || !math.IsInf(b.Knee, 1) {
		t.Errorf("who only thinks: %+v, %v", b, err)
	}
}

// someNetwork has up to five stations of any kind.
func someNetwork(t *rapid.T) Network {
	n := Network{Think: rapid.SampledFrom([]float64{0, 0.1, 3, 100}).Draw(t, "think")}
	for range rapid.IntRange(1, 5).Draw(t, "stations") {
		n.Stations = append(n.Stations, Station{
			Demand:  rapid.Float64Range(0.001, 10).Draw(t, "demand"),
			Servers: rapid.SampledFrom([]int{1, 1, 2, 3, 8, 40, Unlimited}).Draw(t, "servers"),
		})
	}
	return n
}

// TestBoundsHold: the exact throughput is between its bounds, the balanced ones inside the asymptotic ones.
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := someNetwork(t)
		solved, err := n.Solve(60)
		if err != nil {
			t.Fatal(err)
		}
		for k := 1; k < len(solved); k++ {
			b, err := n.Bounds(k)
			if err != nil {
				t.Fatal(err)
			}
			const e = 1 + 1e-12
			if x := solved[k].Throughput; !(b.Lower <= b.BalancedLower*e && b.BalancedLower <= x*e &&
				x <= b.BalancedUpper*e && b.BalancedUpper <= b.Upper) {
				t.Fatalf("%+v with %d: %v is not within %+v", n, k, x, b)
			}
			if (b.Limit >= 0) != (float64(k) > b.Knee) && !near(float64(k), b.Knee, 1e-9) {
				t.Fatalf("%+v with %d: %+v", n, k, b)
			}
		}
	})
}
