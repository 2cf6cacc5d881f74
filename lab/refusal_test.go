package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/sweep"
)

// TestFailuresAreNoRefusals: a disk that fails, a directory that was removed, an interrupt and a program or benchmark
// that fails are no fault of the options.
func TestFailuresAreNoRefusals(t *testing.T) {
	isRefusal := func(err error) bool { return errors.As(err, new(*Refusal)) }
	in := func(err error) error { return fmt.Errorf("cannot lock the run: %w", err) }
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS, store.ErrGone} {
		if isRefusal(sweep.StoreError(in(err))) || isRefusal(asRefusal(t.Context(), in(err))) {
			t.Errorf("%v is refused", err)
		}
	}
	if !isRefusal(sweep.StoreError(syscall.ENOENT)) {
		t.Error("a directory that is not there is no refusal")
	}

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := asRefusal(cancelled, context.Canceled); isRefusal(err) {
		t.Errorf("an interrupt is refused: %v", err)
	}
	for _, err := range []error{in(&collect.Failure{}), in(&BrokenError{}), nil} {
		if got := asRefusal(t.Context(), err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
	if r := refuse("count", 0, "is wrong"); asRefusal(t.Context(), r) != error(r) {
		t.Error("a refusal was wrapped")
	}
	if !isRefusal(asRefusal(t.Context(), io.EOF)) {
		t.Error("another error is no refusal")
	}
}
