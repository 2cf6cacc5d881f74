package gobench

import (
	"context"
	"errors"
	"testing"
)

// TestInterruptedCompute: an interrupt ends the wait for a computation that does not end.
func TestInterruptedCompute(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan bool)
	defer close(end)
	_, err := unlessCancelled(ctx, func() bool { cancel(); return <-end })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if x, err := unlessCancelled(t.Context(), func() int { return 7 }); x != 7 || err != nil {
		t.Errorf("%d, %v", x, err)
	}
}
