package lab

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestCompareRefusals: what cannot be compared is a refusal, and options are named as callers write them.
func TestCompareRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.WriteFile("a", []byte("BenchmarkA 1 5 ns/op\n"), 0o666),
		os.WriteFile("b", []byte("BenchmarkB 1 5 ns/op\n"), 0o666), os.Mkdir("dir", 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ older, newer, want string }{
		{"", "b", "a run has an empty name"},
		{"a", "a", "a and a are the same file: a run compared with itself says nothing; give two runs"},
		{"dir", "dir", "dir and dir are the same directory"},
		{"dir", "none", "none is not a run directory"},
		{"a", "b", "no benchmark at the same point"},
	} {
		res, err := Compare(t.Context(), []string{c.older}, []string{c.newer}, CompareOptions{})
		var r *Refusal
		if res != nil || !errors.As(err, &r) || !strings.Contains(r.Error(), c.want) {
			t.Errorf("%q %q: %v", c.older, c.newer, err)
		}
	}
	_, err := Compare(t.Context(), nil, []string{"b"}, CompareOptions{})
	if !errors.As(err, new(*Refusal)) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compare(ctx, []string{"a"}, []string{"b"}, CompareOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
