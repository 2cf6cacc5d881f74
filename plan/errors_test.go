package plan_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/brewput/brewput/plan"
)

// TestLevelError checks that the error names factor, level and reason, and unwraps to its cause.
func TestLevelError(t *testing.T) {
	cause := fs.ErrNotExist
	for _, c := range []struct {
		err  plan.LevelError
		want string
	}{
		{plan.LevelError{Factor: "jitter", Level: "3ms", Reason: "too wide"}, "jitter 3ms: too wide"},
		{plan.LevelError{Factor: "file", Reason: cause.Error(), Err: cause}, "file: file does not exist"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if got := errors.Unwrap(&c.err); got != c.err.Err {
			t.Errorf("%v unwraps to %v, want %v", &c.err, got, c.err.Err)
		}
	}
}

// TestParseReturnsLevelError checks that callers can name the factor of an expression that does not parse.
func TestParseReturnsLevelError(t *testing.T) {
	workers := plan.Factor{Name: "workers", Kind: plan.Int, Min: 1}
	_, err := workers.Parse("1,x", nil)
	level, ok := errors.AsType[*plan.LevelError](err)
	if !ok || level.Factor != "workers" || level.Level != `"1,x"` {
		t.Errorf("got %#v", err)
	}
}
