package alarm

import (
	"runtime"
	"testing"
	"time"
)

// TestWait: a timer does not ring before its time, and can be used again.
func TestWait(t *testing.T) {
	timer, ok := New()
	if !ok {
		if runtime.GOOS == "linux" {
			t.Fatal("no timer on Linux")
		}
		return
	}
	for _, d := range []time.Duration{1, time.Microsecond, 3 * time.Millisecond} {
		start := time.Now()
		if !timer.Wait(d) {
			t.Errorf("cannot wait for %v", d)
		}
		if took := time.Since(start); took < d {
			t.Errorf("waiting for %v took %v", d, took)
		}
	}
	timer.Close()
	if timer.Wait(time.Millisecond) {
		t.Error("a closed timer rings")
	}
}
