package evidence

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/gotrace"
	"github.com/brewput/brewput/internal/hook"
)

// trace takes an execution trace, which a limit of time and one of bytes may end before the program does.
func (k *collector) trace(ctx context.Context, cpus int) error {
	if k.late("trace", k.usual(cpus)) {
		return nil
	}
	k.o.Say("running it with an execution trace")
	e, a, dir, err := k.run(ctx, hook.Trace, cpus, min(k.window, tracedFor))
	if err != nil || a == nil {
		return err
	}
	path, err := k.keepFile(dir, "trace.out", "trace", 0)
	if err != nil {
		return err
	}
	if k.Evidence.Trace, err = readTrace(path); err != nil {
		k.note("the trace cannot be used: %v", err)
		return nil
	}
	switch {
	case a.stopped > 0:
		k.Evidence.Trace.Truncated = true
		k.note("the trace holds the first %v of the run, when it had %d MB", a.stopped.Round(1e6), k.o.Bytes>>20)
	case e.cut && !k.endless:
		k.Evidence.Trace.Truncated = true
		k.note("the trace holds the first %v of the run", a.wall.Round(1e6))
	case !e.cut:
		k.overhead("trace", e.wall-a.end)
	}
	return nil
}

// readTrace reads a trace from a file.
func readTrace(path string) (*explain.Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := gotrace.Read(bufio.NewReaderSize(f, 1<<20), 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return t, nil
}
