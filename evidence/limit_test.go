package evidence

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/hook"
)

// limited is a collector whose runs leave an empty CPU profile.
func limited(t *testing.T, o Options) *collector {
	t.Helper()
	k := newCollector(&subject{}, &Collected{Dir: t.TempDir(), Evidence: new(explain.Evidence)}, t.TempDir(), o)
	k.do = func(_ context.Context, r hook.Request, _ int) (ended, error) {
		var profile bytes.Buffer
		err := pprof.StartCPUProfile(&profile)
		pprof.StopCPUProfile()
		return ended{}, errors.Join(err, os.WriteFile(filepath.Join(r.Dir, "cpu.pprof"), profile.Bytes(), 0o600), os.WriteFile(filepath.Join(r.Dir, hook.End), []byte("wall 1\nend 0\n"), 0o600))
	}
	return k
}

// TestRepetitionsEnd: the CPU profile of short runs is repeated only until the time limit.
func TestRepetitionsEnd(t *testing.T) {
	k := limited(t, Options{Limit: time.Hour, Duration: time.Second, Say: func(string) {}})
	runs, do := 0, k.do
	k.do = func(ctx context.Context, r hook.Request, cpus int) (ended, error) {
		if runs++; runs == 3 {
			k.deadline = time.Now() // it is over now
		}
		return do(ctx, r, cpus)
	}
	if err := k.cpuProfile(t.Context(), 1); err != nil || runs != 3 || !slices.Contains(k.skipped, "repetitions of the CPU profile") {
		t.Errorf("%d runs, left out %v, %v", runs, k.skipped, err)
	}
}

// TestCompiledEnds: what the compiler says comes before the time limit, or not at all.
func TestCompiledEnds(t *testing.T) {
	k := limited(t, Options{Limit: time.Hour})
	k.recipe, k.deadline = &recipe{dir: t.TempDir()}, time.Now().Add(-time.Second)
	k.compiled(t.Context())
	if k.Escapes != nil || !slices.Contains(k.skipped, "escape analysis") {
		t.Errorf("%v, left out %v", k.Escapes, k.skipped)
	}
}
