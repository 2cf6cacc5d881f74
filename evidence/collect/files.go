package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/gopprof"
	"github.com/brewput/brewput/internal/input"
)

// Files reads saved profiles and traces, whose kind it detects by their content. Several CPU profiles are combined; of
// other kinds there may be one each.
func Files(ctx context.Context, paths []string) (*Collected, error) {
	c := &Collected{Evidence: &evidence.Evidence{}}
	var g programGuess
	for _, path := range paths {
		if err := c.read(ctx, path, path, &g); err != nil {
			return nil, err
		}
	}
	if text := g.renamed(); text != "" {
		c.note("%s", text)
	}

	c.Program = g.program()
	c.Program.Name = strings.Join(paths, " ")
	return c, nil
}

// read adds one file. name is for errors: the path, or the URL that sent it.
func (c *Collected) read(ctx context.Context, path, name string, g *programGuess) error {
	f, err := input.Open(ctx, path, input.Trace) // the limit of a profile is smaller
	if err != nil {
		return err
	}

	defer f.Close()
	kind, p, err := detectKind(ctx, f, name)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(c.Files, func(f File) bool { return f.Kind == kind }); i >= 0 && kind != "cpu" {
		return fmt.Errorf("%s and %s are both of the kind %s: give one of each kind", g.paths[i], name, kind)
	}
	if kind == "trace" {
		if c.Evidence.Trace, err = readTrace(ctx, f, name); err != nil {
			return err
		}
		if c.Evidence.Trace.Truncated {
			c.note("the trace is truncated or damaged: explain uses the readable part, %v",
				c.Evidence.Trace.Duration.Round(1e6))
		}
		g.trace(name, c.Evidence.Trace)
	} else if err = c.add(name, evidence.ProfileKind(kind), p, g); err != nil {
		return err
	}

	c.Files = append(c.Files, File{kind, path})
	return g.conflict()
}

// add adds a profile, with its name for errors; several CPU profiles become one.
func (c *Collected) add(name string, kind evidence.ProfileKind, read *gopprof.Profile, g *programGuess) error {
	p := toEvidence(read, kind)
	if !isSymbolized(p) {
		return fmt.Errorf("%s has no function names, only addresses: give one that package "+
			"runtime/pprof wrote", name)
	}

	g.profile(name, p, read.Binary)
	if i := slices.IndexFunc(c.Profiles, func(q evidence.Profile) bool { return q.Kind == kind }); i >= 0 {
		c.Profiles[i].Samples = append(c.Profiles[i].Samples, p.Samples...)
		c.Profiles[i].Duration += p.Duration
		return nil
	}

	c.Profiles = append(c.Profiles, *p)
	return nil
}

// isSymbolized reports whether a profile names its functions. One without samples does.
func isSymbolized(p *evidence.Profile) bool {
	frames := 0
	for _, s := range p.Samples {
		for _, f := range s.Stack {
			if f.Function != "" {
				return true
			}
			frames++
		}
	}
	return len(p.Samples) == 0 && frames == 0
}

// textForms are the first words of profiles in text form.
var textForms = []string{"heap profile:", "--- mutex:", "--- contention:", "goroutine profile:",
	"threadcreate profile:"}

// detectKind detects the kind of a file by its content, and parses it if it is a profile.
func detectKind(ctx context.Context, f *input.File, path string) (kind string, p *gopprof.Profile, err error) {
	head := make([]byte, 64)
	n, err := f.ReadAt(head, 0)
	head = head[:n]
	switch {
	case err != nil && err != io.EOF:
		return "", nil, fmt.Errorf("%s: %w", path, err)
	case n == 0:
		return "", nil, fmt.Errorf("%s is empty, because its program did not stop it: a CPU profile or a trace "+
			"is complete only after it is stopped", path)
	case bytes.HasPrefix(head, []byte("go 1.")) && bytes.Contains(head[:min(n, 16)], []byte(" trace")):
		return "trace", nil, nil
	case slices.ContainsFunc(textForms, func(t string) bool { return bytes.HasPrefix(head, []byte(t)) }):
		return "", nil, fmt.Errorf("%s is a text profile, which lacks data: fetch it without debug=1",
			path)
	}
	p, err = parsed(ctx, f, path)
	switch {
	case ctx.Err() != nil:
		return "", nil, ctx.Err()
	case errors.Is(err, input.ErrRefused):
		return "", nil, err
	case err != nil:
		return "", nil, fmt.Errorf("%s is neither a trace of Go nor a profile in the format of pprof: %w", path, err)
	}

	kind = profileKind(p, filepath.Base(path))
	if kind == "" {
		return "", nil, fmt.Errorf("%s is a profile of %s, which explain does not know: it reads cpu, heap, mutex, "+
			"block and goroutine profiles of Go programs", path, typeNames(p))
	}

	return kind, p, nil
}

// typeNames returns the value types of a profile for a message.
func typeNames(p *gopprof.Profile) string {
	var names []string
	for _, t := range p.Types {
		names = append(names, t.Type+"/"+t.Unit)
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, " and ")
}

// profileKind returns the kind of a profile by its value types, and by its stacks if two kinds have the same types. It
// returns "" for any other profile.
func profileKind(p *gopprof.Profile, name string) string {
	hasTypes := func(words ...string) bool {
		var have []string
		for _, t := range p.Types {
			have = append(have, t.Type)
		}
		return slices.Equal(have, words)
	}

	switch {
	case hasTypes("samples", "cpu"):
		return "cpu"
	case hasTypes("alloc_objects", "alloc_space", "inuse_objects", "inuse_space"):
		return "heap"
	case hasTypes("goroutine"):
		return "goroutine"
	case !hasTypes("contentions", "delay"):
		return ""
	}

	for _, s := range p.Samples {
		for _, f := range s.Stack {
			// The stacks of a mutex profile are those of the goroutine that unlocks.
			if strings.HasPrefix(f.Function, "sync.") || strings.HasPrefix(f.Function, "internal/sync.") ||
				strings.HasPrefix(f.Function, "runtime.") {
				if strings.Contains(f.Function, "Unlock") || strings.Contains(f.Function, ".unlock") ||
					f.Function == "runtime._LostContendedRuntimeLock" {
					return "mutex"
				}
				continue
			}
			break
		}
	}
	if len(p.Samples) == 0 && strings.Contains(name, "mutex") {
		return "mutex"
	}

	return "block"
}
