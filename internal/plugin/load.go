package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/interrupt"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/workload"
)

// askLimit is the time that the program has to print its manifest, which takes it 0.1 s. A shell that completes a name
// waits less.
const askLimit, completionLimit = 5 * time.Second, time.Second

// Attach lets the workloads find the designs of the program, and returns them. The program is started when a design is
// named that this program does not have, at most once. Workloads that have no [Known] designs there never start it. An
// interrupt ends the program.
func Attach(all []*workload.Workload) []*workload.Workload {
	return attach(all, Known(), limitFor(os.Args))
}

// limitFor is the time that the program has, if this one has arguments.
func limitFor(args []string) time.Duration {
	if len(args) > 1 && strings.HasPrefix(args[1], "__complete") { // the request of a completion script
		return completionLimit
	}
	return askLimit
}

// attach is Attach, with the designs of the program and the time that it has.
func attach(all []*workload.Workload, known []KnownDesign, limit time.Duration) []*workload.Workload {
	load := sync.OnceValues(func() (map[string][]workload.Design, error) { return load(all, limit) })
	for _, w := range all {
		listed := slices.ContainsFunc(known, func(d KnownDesign) bool { return d.Workload == w.Name })
		if !listed && !slices.ContainsFunc(w.Designs, workload.Design.Absent) {
			continue
		}
		more := func(of *workload.Workload) ([]workload.Design, error) {
			more, err := load()
			switch {
			case errors.Is(err, ErrAbsent):
				return nil, howToGet(of)
			case err != nil:
				return nil, err
			}
			return found(of, more[of.Name]), nil
		}
		w.More = func() ([]workload.Design, error) { return more(w) }
		if make := w.Make; make != nil {
			w.Make = func(g workload.Given) (*workload.Workload, error) {
				made, err := make(g)
				if err == nil {
					made.More = func() ([]workload.Design, error) { return more(made) }
				}
				return made, err
			}
		}
	}
	return all
}

// found returns the designs that a program adds to a workload. A workload that declares its designs itself, because
// they depend on its options, gets those that are absent, with the program.
func found(w *workload.Workload, added []workload.Design) []workload.Design {
	var list []workload.Design
	for _, d := range w.Designs {
		if d.Absent() && len(added) > 0 {
			d.Program = added[0].Program
			list = append(list, d)
		}
	}
	if list == nil {
		return added
	}
	return list
}

// howToGet is the error of a program that is not installed, for a workload: it needs the program if it declares designs
// that run there; otherwise the program may add the design that was named.
func howToGet(of *workload.Workload) error {
	reason := "it may have the design"
	if slices.ContainsFunc(of.Designs, workload.Design.Absent) {
		reason = of.Name + " needs it"
	}
	return fmt.Errorf("%w; %s. To build it, type %s, or set %s to its path", ErrAbsent, reason, Build, Variable)
}

// load finds and asks the program, and returns its designs by workload.
func load(all []*workload.Workload, limit time.Duration) (map[string][]workload.Design, error) {
	path, err := Find()
	if errors.Is(err, ErrAbsent) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", Name, err)
	}
	ctx, release := signal.NotifyContext(context.Background(), interrupt.Signals()...)
	defer release()
	more, err := ask(ctx, path, all, limit)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", path, err)
	}
	return more, nil
}

// ask starts the program at a path and returns its designs by workload.
func ask(ctx context.Context, path string, all []*workload.Workload, limit time.Duration) (
	map[string][]workload.Design, error) {
	sum, err := input.Sum(ctx, path, input.Program)
	if err != nil {
		return nil, err
	}
	m, err := request(ctx, path, limit)
	if err != nil {
		return nil, err
	}
	if m.Protocol != Protocol {
		return nil, fmt.Errorf("it is of version %s with protocol %d, and this program of version %s with protocol "+
			"%d; build both from the same version: %s", m.Version, m.Protocol, Version(), Protocol, Build)
	}
	if differ(m.Version, Version()) {
		return nil, mismatch(m, "")
	}
	if diff := here().differences(m.Build); diff != "" {
		return nil, fmt.Errorf("it was built differently: %s; build both in the same way: %s", diff, Build)
	}
	if m.Sources != sourcesSum(all) {
		return nil, mismatch(m, ", whose workloads have another source")
	}
	return join(m, all, workload.Program{File: path, SHA256: sum, Version: m.Version})
}

// mismatch is the error of a program that was built from another version.
func mismatch(m Manifest, what string) error {
	return fmt.Errorf("it is of version %s and this program of version %s%s; build both from the same version: %s",
		m.Version, Version(), what, Build)
}

// request starts the program and reads its manifest.
func request(ctx context.Context, path string, limit time.Duration) (Manifest, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &flood{Limited: proc.Limited{Most: input.Manifest.Bytes()}, end: cancel}
	complaints := &proc.Limited{Most: 4 << 10}
	c := proc.Command{Path: path, Args: []string{path}, Stdout: out, Stderr: complaints, TimeLimit: limit,
		Ask: proc.EndGroup, Grace: time.Second}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, Sentinel+"=") {
			c.Env = append(c.Env, kv)
		}
	}
	c.Env = append(c.Env, Sentinel+"="+strconv.Itoa(Protocol)+" "+Version())
	e, err := c.Run(ctx)
	switch {
	case out.Dropped:
		return Manifest{}, fmt.Errorf("its manifest has more than %d MB; build it again: %s", out.Most>>20, Build)
	case ctx.Err() != nil:
		return Manifest{}, ctx.Err()
	case err != nil:
		return Manifest{}, fmt.Errorf("%w; build it again: %s", err, Build)
	case e.Asked:
		return Manifest{}, fmt.Errorf("it printed no manifest within %v; build it again: %s", limit, Build)
	case errors.Is(e.Err, exec.ErrWaitDelay):
		return Manifest{}, fmt.Errorf("it ended, but a child of it holds its output open; build it again: %s", Build)
	case e.Err != nil:
		said := strings.TrimSpace(complaints.String())
		if line, _, more := strings.Cut(said, "\n"); more {
			said = line + " ..."
		}
		if said != "" {
			said = " (" + said + ")"
		}
		return Manifest{}, fmt.Errorf("%w%s; build it again: %s", e.Err, said, Build)
	}
	if strings.TrimSpace(out.String()) == "" {
		return Manifest{}, fmt.Errorf("it is not %s, because it printed no manifest; check %s, or build it again: %s",
			Name, Variable, Build)
	}
	m, err := Parse(out.Bytes())
	if err != nil {
		return m, fmt.Errorf("%w; check %s, or build it again: %s", err, Variable, Build)
	}
	return m, nil
}

// flood calls end when more than its limit is written.
type flood struct {
	proc.Limited
	end func()
}

// Write keeps p up to the limit; it never fails.
func (f *flood) Write(p []byte) (int, error) {
	n, err := f.Limited.Write(p)
	if f.Dropped {
		f.end()
	}
	return n, err
}

// join returns the designs of a manifest by workload. Workloads that this program does not have are an error.
func join(m Manifest, all []*workload.Workload, p workload.Program) (map[string][]workload.Design, error) {
	more := map[string][]workload.Design{}
	for _, x := range m.Workloads {
		i := slices.IndexFunc(all, func(w *workload.Workload) bool { return w.Name == x.Name })
		if i < 0 || more[x.Name] != nil {
			return nil, mismatch(m, fmt.Sprintf(", and it lists the workload %.100q, which this program does not have",
				x.Name))
		}
		with := *all[i]
		with.More = nil
		absent := slices.ContainsFunc(with.Designs, workload.Design.Absent)
		for _, d := range x.Designs {
			d, err := d.design(p)
			if err != nil {
				return nil, err
			}
			more[x.Name] = append(more[x.Name], d)
		}
		if absent { // it declares its designs itself
			continue
		}
		with.Designs = slices.Concat(with.Designs, more[x.Name])
		if err := with.Validate(); err != nil {
			return nil, mismatch(m, ", and its designs are refused: "+err.Error())
		}
	}
	return more, nil
}
