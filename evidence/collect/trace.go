package collect

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/gotrace"
	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/internal/input"
)

// trace takes an execution trace. A time or size limit may end it before the program ends.
func (k *collector) trace(ctx context.Context, cpus int) error {
	if k.isTooLate("trace", k.medianWall(cpus)) {
		return nil
	}

	k.opts.progress("running it with an execution trace")
	e, a, dir, err := k.run(ctx, hook.Trace, cpus, min(k.window, maxTraceTime))
	if err != nil || a == nil {
		return err
	}

	if k.Evidence.Trace, err = traceAt(ctx, filepath.Join(dir, "trace.out")); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		k.note("the trace cannot be used: %v", err)
		return nil
	}
	if _, err := k.keepFile(ctx, dir, "trace.out", "trace", 0); err != nil {
		return err
	}

	switch {
	case a.stopped > 0:
		k.Evidence.Trace.Truncated = true
		k.note("the trace holds the first %v of the run, when it had %d MB", a.stopped.Round(1e6),
			k.opts.TraceBytes>>20)
	case e.cut && !k.endless:
		k.Evidence.Trace.Truncated = true
		k.note("the trace holds the first %v of the run", a.wall.Round(1e6))
	case !e.cut:
		k.overhead("trace", e.wall)
	}

	return nil
}

// traceAt reads the trace in a file.
func traceAt(ctx context.Context, path string) (*evidence.Trace, error) {
	f, err := input.Open(ctx, path, input.Trace)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readTrace(ctx, f, path)
}

// readTrace reads a trace; name is the file for errors. Its memory does not grow with the trace.
func readTrace(ctx context.Context, in io.Reader, name string) (*evidence.Trace, error) {
	t, err := gotrace.Read(bufio.NewReaderSize(in, 1<<20), 0)
	if ctx.Err() != nil { // a trace cut by an interrupt is no result
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return t, nil
}
