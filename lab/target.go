package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Target is what [Explain] explains: a [Command], a [Package], [Files], an [Address], a [StoredDesign] or a [Design].
type Target interface {
	collect(ctx context.Context, o collect.Options, notify notifier) (*collect.Collected, error)
	reads() bool // reports whether it reads standard input
}

// Command is a command line: a Go program, go run or go test -bench, as in {"./prog", "-n", "1000"}.
type Command []string

// Package is a main package and the arguments to run it with. A pattern such as ./... is its only main package, or else
// the benchmarks of the only package that has some.
type Package struct {
	Pattern string // as for go run, or for go list
	Args    []string
}

// Files are saved profiles and traces, recognised by their content: one of each kind, or several CPU profiles.
type Files []string

// Address is the URL of a process that serves net/http/pprof. Explain only fetches its profiles.
type Address string

// StoredDesign is a design of a stored run. Explain runs it again, at its point with the most CPUs that this machine
// has.
type StoredDesign struct {
	Dir       string
	Design    string // may be "" if the run has only one
	Workloads []*workload.Workload
}

// Design is a design of a workload at a point. Factors that the point lacks have their defaults.
type Design struct {
	Workload *workload.Workload
	Name     string
	Point    plan.Point
}

// ParseTarget returns the target that a word means: a URL is an Address, a run directory a StoredDesign (set its
// Workloads), a directory of profiles without Go files Files, another directory or an import path a Package, a Go
// program a Command, and any other file Files. An error is a [*Refusal].
func ParseTarget(ctx context.Context, word string) (Target, error) {
	switch {
	case strings.Contains(word, "://"):
		return Address(word), nil
	case store.HoldsRun(word):
		return StoredDesign{Dir: word}, nil
	}
	if files := collect.SavedIn(word); len(files) > 0 {
		return Files(files), nil
	}
	info, err := os.Stat(word)
	switch {
	case err == nil && (info.IsDir() || strings.HasSuffix(word, ".go")) || err != nil && collect.IsImportPath(word):
		return Package{Pattern: word}, nil
	case err != nil:
		return nil, refuse("", nil, "%s",
			input.RedactWords(fmt.Sprintf("%s is neither a package nor a file, nor an address: %v", word, err)))
	case collect.IsProgram(ctx, word):
		if !strings.ContainsRune(word, filepath.Separator) { // otherwise PATH would be searched
			word = "." + string(filepath.Separator) + word
		}
		return Command{word}, nil
	}
	return Files{word}, nil
}

func (c Command) reads() bool      { return true }
func (p Package) reads() bool      { return true }
func (f Files) reads() bool        { return false }
func (a Address) reads() bool      { return false }
func (s StoredDesign) reads() bool { return false }
func (d Design) reads() bool       { return false }

func (c Command) collect(ctx context.Context, o collect.Options, _ notifier) (*collect.Collected, error) {
	if len(c) == 0 {
		return nil, refuse("target", nil, "is a command without words")
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	collected, err := collect.Command(ctx, dir, c, o)
	return collected, asRefusal(ctx, err)
}

func (p Package) collect(ctx context.Context, o collect.Options, notify notifier) (*collect.Collected, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	command, err := collect.PackageCommand(ctx, dir, p.Pattern, p.Args)
	if err != nil {
		return nil, asRefusal(ctx, err)
	}
	return Command(command).collect(ctx, o, notify)
}

func (f Files) collect(ctx context.Context, _ collect.Options, _ notifier) (*collect.Collected, error) {
	collected, err := collect.Files(ctx, f)
	return collected, asRefusal(ctx, err)
}

func (a Address) collect(ctx context.Context, o collect.Options, _ notifier) (*collect.Collected, error) {
	collected, err := collect.Endpoint(ctx, string(a), o)
	if errors.Is(err, collect.ErrAddress) {
		err = asRefusal(ctx, err)
	}
	return collected, err
}

func (d Design) collect(ctx context.Context, o collect.Options, _ notifier) (*collect.Collected, error) {
	if d.Workload == nil {
		return nil, refuse("workload", nil, "is needed")
	}
	point, err := sweep.CompletePoint(d.Workload, d.Point)
	if err != nil {
		return nil, err
	}
	return Design{d.Workload, d.Name, point}.run(ctx, o)
}

// run collects the evidence at a complete point.
func (d Design) run(ctx context.Context, o collect.Options) (*collect.Collected, error) {
	design, ok := d.Workload.Find(d.Name)
	if !ok {
		return nil, refuse("designs", d.Name, "workload %s has no such design", d.Workload.Name)
	}
	point := d.Point.Only(d.Workload.FactorsOf(design))
	if load := workload.LoadFactors(point); len(load) > 0 {
		level, _ := point.Get(load[0])
		return nil, refuse(load[0], level, "has no effect on explain, which runs designs in a closed loop").
			Suggest("explain the design without a load")
	}
	burn, err := calibrate.ForSweep(calibrate.CacheDir(), host.Read().Fingerprint)
	if err != nil {
		return nil, err
	}
	return collect.Design(ctx, d.Workload, trial.Spec{Workload: d.Workload.Name, Given: d.Workload.Given,
		Design: d.Name, Point: point, Seed: 1, Sample: 1, BurnRate: burn.Rate}, o)
}

func (s StoredDesign) collect(ctx context.Context, o collect.Options, notify notifier) (*collect.Collected, error) {
	run, err := sweep.Open(s.Dir)
	if run != nil {
		for _, note := range run.Notes {
			notify.send(Warning{note})
		}
	}
	if err != nil {
		return nil, err
	}
	h := &run.Header
	i := slices.IndexFunc(s.Workloads, func(w *workload.Workload) bool { return w.Name == h.Workload })
	if i < 0 {
		return nil, refuse("", nil, "%s is a run of %s, which is not a workload of this program", s.Dir, h.Workload).
			Suggest("to explain benchmarks, give the command go test -bench NAME %s", h.Workload)
	}
	w := s.Workloads[i]
	c, err := run.MostCPUs(s.Design)
	if err != nil {
		return nil, err
	}
	point, err := w.Recast(c.Point)
	if err != nil {
		return nil, asRefusal(ctx, err)
	}
	return Design{w, c.Design, point}.run(ctx, o)
}
