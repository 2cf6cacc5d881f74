package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Target is what [Explain] explains: a [Command], a [Package], [Files], an [Address], a [StoredRun] or a [Design].
type Target interface {
	collect(ctx context.Context, o collect.Options) (*collect.Collected, error)
	reads() bool // standard input
}

// Command is a Go program with its arguments, go run, or go test -bench, as in {"./prog", "-n", "1000"}.
type Command []string

// Package is a main package, which is built and run with arguments.
type Package struct {
	Pattern string // as go run takes it
	Args    []string
}

// Files are saved profiles and traces, each recognised by its content: one of each kind, or several CPU profiles.
type Files []string

// Address is the URL of a process that serves net/http/pprof, whose profiles are fetched. The process is not changed.
type Address string

// StoredRun is a design of a stored run, which runs again at its point with most CPUs that this machine has.
type StoredRun struct {
	Dir       string
	Design    string // "" if the run has only one
	Workloads []*workload.Workload
}

// Design is a design of a workload. Factors that its point lacks have their defaults.
type Design struct {
	Workload *workload.Workload
	Name     string
	Point    plan.Point
}

// ParseTarget decides what a word is: a URL is an Address, the directory of a run a StoredRun, a directory of profiles
// without Go files Files, another directory or an import path a Package, a Go program a Command without arguments, and
// another file Files.
func ParseTarget(ctx context.Context, word string) (Target, error) {
	switch {
	case strings.Contains(word, "://"):
		return Address(word), nil
	case store.Holds(word):
		return StoredRun{Dir: word}, nil
	}
	if files := savedIn(word); len(files) > 0 {
		return files, nil
	}
	info, err := os.Stat(word)
	switch {
	case err == nil && (info.IsDir() || strings.HasSuffix(word, ".go")) || err != nil && importPath(word):
		return Package{Pattern: word}, nil
	case err != nil:
		return nil, refuse("", nil, "%s",
			input.RedactWords(fmt.Sprintf("%s is neither a package nor a file, nor an address: %v", word, err)))
	case collect.IsProgram(ctx, word):
		if !strings.ContainsRune(word, filepath.Separator) { // else PATH is searched
			word = "." + string(filepath.Separator) + word
		}
		return Command{word}, nil
	}
	return Files{word}, nil
}

// savedIn are the profiles and the trace in a directory without Go files.
func savedIn(dir string) (files Files) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".go":
			return nil
		case ".pprof":
			files = append(files, filepath.Join(dir, e.Name()))
		case ".out":
			if e.Name() == "trace.out" {
				files = append(files, filepath.Join(dir, e.Name()))
			}
		}
	}
	return files
}

// importPath reports whether a word that is no file looks like a package that the go command knows.
func importPath(word string) bool {
	return filepath.Ext(word) == "" && (strings.HasPrefix(word, "./") ||
		strings.Contains(word, ".") && strings.Contains(word, "/"))
}

func (c Command) reads() bool   { return true }
func (p Package) reads() bool   { return true }
func (f Files) reads() bool     { return false }
func (a Address) reads() bool   { return false }
func (r StoredRun) reads() bool { return false }
func (d Design) reads() bool    { return false }

func (c Command) collect(ctx context.Context, o collect.Options) (*collect.Collected, error) {
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

func (p Package) collect(ctx context.Context, o collect.Options) (*collect.Collected, error) {
	return Command(collect.PackageCommand(p.Pattern, p.Args)).collect(ctx, o)
}

func (f Files) collect(ctx context.Context, _ collect.Options) (*collect.Collected, error) {
	collected, err := collect.Files(ctx, f)
	return collected, asRefusal(ctx, err)
}

func (a Address) collect(ctx context.Context, o collect.Options) (*collect.Collected, error) {
	collected, err := collect.Endpoint(ctx, string(a), o)
	if errors.Is(err, collect.ErrAddress) {
		err = asRefusal(ctx, err)
	}
	return collected, err
}

func (d Design) collect(ctx context.Context, o collect.Options) (*collect.Collected, error) {
	choices := map[string]plan.Choice{"cpus": {Levels: []plan.Level{plan.IntLevel(runtime.GOMAXPROCS(0))}}}
	for _, s := range d.Point.Settings() {
		choices[s.Factor] = plan.Choice{Levels: []plan.Level{s.Level}}
	}
	points, err := plan.Points(d.Workload.AllFactors(), choices)
	if err == nil && len(points) > 1 {
		err = fmt.Errorf("explain looks at one point at a time, and these levels give %d: give each factor one level",
			len(points))
	}
	if err == nil && d.Workload.Check != nil {
		err = d.Workload.Check(points[0])
	}
	if err != nil {
		return nil, asRefusal(ctx, err)
	}
	return Design{d.Workload, d.Name, points[0]}.run(ctx, o)
}

// run collects the evidence at a point that is complete.
func (d Design) run(ctx context.Context, o collect.Options) (*collect.Collected, error) {
	design, ok := d.Workload.Find(d.Name)
	if !ok {
		return nil, refuse("designs", d.Name, "workload %s has no such design", d.Workload.Name)
	}
	burn, err := calibrate.ForSweep(calibrate.CacheDir(), host.Read().Fingerprint)
	if err != nil {
		return nil, err
	}
	point := d.Point.Only(d.Workload.FactorsOf(design))
	spec := trial.Spec{Workload: d.Workload.Name, Design: d.Name, Point: point, Seed: 1, Sample: 1, BurnRate: burn.Rate}
	return collect.Design(ctx, design, spec, o)
}

func (r StoredRun) collect(ctx context.Context, o collect.Options) (*collect.Collected, error) {
	journal, err := store.Open(r.Dir)
	if err != nil {
		return nil, storeError(err)
	}
	for _, note := range journal.Notes() {
		o.Progress("warning: " + note)
	}
	h, err := readHeader(r.Dir, journal)
	if err != nil {
		return nil, asRefusal(ctx, err)
	}
	i := slices.IndexFunc(r.Workloads, func(w *workload.Workload) bool { return w.Name == h.Workload })
	if i < 0 {
		return nil, refuse("", nil, "%s is a run of %s, which is no workload here", r.Dir, h.Workload).
			suggest("of benchmarks write explain -- go test -bench NAME %s", h.Workload)
	}
	w := r.Workloads[i]
	c, err := r.choose(h.Cases)
	if err != nil {
		return nil, err
	}
	point, err := w.Recast(c.Point)
	if err != nil {
		return nil, asRefusal(ctx, err)
	}
	return Design{w, c.Design, point}.run(ctx, o)
}

// choose returns the case of the run's design with most CPUs that this machine has.
func (r StoredRun) choose(cases []plan.Case) (best plan.Case, err error) {
	var names []string
	for _, c := range cases {
		if !slices.Contains(names, c.Design) {
			names = append(names, c.Design)
		}
	}
	if len(names) == 0 {
		return best, refuse("", nil, "%s holds no measurement, only predictions for CPUs that this machine lacks",
			r.Dir)
	}
	if r.Design == "" && len(names) == 1 {
		r.Design = names[0]
	}
	found := false
	for _, c := range cases {
		cpus := c.Point.Int("cpus")
		if c.Design == r.Design && cpus <= runtime.NumCPU() && (!found || cpus > best.Point.Int("cpus")) {
			best, found = c, true
		}
	}
	if !found {
		return best, refuse("", nil, "explain looks at one design of a run at a time: give one by {designs}, of %s",
			strings.Join(names, ", "))
	}
	return best, nil
}
