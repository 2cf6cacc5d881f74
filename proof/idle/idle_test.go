package idle

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/brewput/brewput/result"
)

// TestDisturbed covers 0.8 s on two CPUs, just below and just above each limit.
func TestDisturbed(t *testing.T) {
	for i, c := range []struct {
		machine, stolen float64
		want            bool
	}{
		{1.25, 0.01, false},
		{1.27, 0.01, false},
		{1.29, 0.01, true},
		{1.25, 0.02, false},
		{1.25, 0.04, true},
		{math.NaN(), math.NaN(), false},
	} {
		u := NewUsage(result.Metrics{result.CPUSeconds: 1.2, result.Parallelism: 1.5,
			"machine_cpu_seconds": result.Value(c.machine), "steal_seconds": result.Value(c.stolen)})
		if got := u.Disturbed(); got != c.want {
			t.Errorf("%d: %+v: %v", i, u, got)
		}
	}
}

// TestTicks checks that a few ticks of a short measurement are no disturbance, but the same share of a long one is.
func TestTicks(t *testing.T) {
	short := Usage{Wall: 0.01, Own: 0.01, Machine: 0.03, Stolen: 0.01, Count: 1}
	if short.Disturbed() {
		t.Errorf("%+v is disturbed", short)
	}
	long := Usage{}
	for range 10 {
		long = long.Add(short)
	}
	if !long.Disturbed() || math.Abs(long.Others()-2) > 1e-9 || math.Abs(long.StolenShare()-0.5) > 1e-9 {
		t.Errorf("%+v: disturbed %v", long, long.Disturbed())
	}
}

// TestWatch checks that the processes of a measurement are not others.
func TestWatch(t *testing.T) {
	spent := time.Minute // before
	others := Watch(&spent)
	spent += time.Hour
	if got := others(); got != 0 {
		t.Errorf("%v CPUs in use by others, although this measurement used more than the machine has", got)
	}
	others = Watch(&spent)
	if spent -= time.Hour; runtime.GOOS == "linux" && others() <= 0 {
		t.Error("CPU time that this measurement did not use is not that of others")
	}
}
