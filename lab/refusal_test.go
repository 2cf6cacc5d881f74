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
)

func TestRefusal(t *testing.T) {
	flag := func(field string) string { return "--" + field }
	for _, test := range []struct {
		refusal     *Refusal
		plain, flag string
	}{
		{refuse("count", 0, "at least one block is needed"),
			"count 0: at least one block is needed", "--count 0: at least one block is needed"},
		{refuse("duration", "-1s", "is not a positive time"), "duration -1s is not a positive time",
			"--duration -1s is not a positive time"},
		{refuse("budget", "1s", "not one block fits: %d trials take %v", 4,
			"9s").suggest("give more time or a shorter {duration}"),
			"budget 1s: not one block fits: 4 trials take 9s; give more time or a shorter duration",
			"--budget 1s: not one block fits: 4 trials take 9s; give more time or a shorter --duration"},
		{refuse("", nil, "{count} and {budget} both end a run").suggest("give one of them"),
			"count and budget both end a run; give one of them", "--count and --budget both end a " +
				"run; give one of them"},
		{refuse("designs", "{x}", "there is no design %q", "{count} %d"),
			`designs {x}: there is no design "{count} %d"`, `--designs {x}: there is no design "{count} %d"`},
		{&Refusal{Field: "base", Reason: "is needed"}, "base is needed", "--base is needed"},
		{refuse("", nil, "an open { brace"), "an open { brace", "an open { brace"},
	} {
		if got := test.refusal.Error(); got != test.plain {
			t.Errorf("Error: got %q, want %q", got, test.plain)
		}
		if got := test.refusal.Text(flag); got != test.flag {
			t.Errorf("Text: got %q, want %q", got, test.flag)
		}
	}
}

func TestRefusalCause(t *testing.T) {
	err := error(refuse("allow", "list.txt", "cannot be read: %w", io.ErrUnexpectedEOF))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v does not wrap its cause", err)
	}
}

// TestFailuresAreNoRefusals: a disk that fails, a directory that was removed, an interrupt and a program or benchmark
// that fails are no fault of the options.
func TestFailuresAreNoRefusals(t *testing.T) {
	isRefusal := func(err error) bool { return errors.As(err, new(*Refusal)) }
	in := func(err error) error { return fmt.Errorf("cannot lock the run: %w", err) }
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS, store.ErrGone} {
		if isRefusal(storeError(in(err))) {
			t.Errorf("%v is refused", err)
		}
	}
	if !isRefusal(storeError(syscall.ENOENT)) {
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
