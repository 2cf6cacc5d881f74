package gobench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// Bench is an experiment that is ready to run: its binaries and checkouts exist.
type Bench struct {
	*Experiment
	Binaries  string            // directory of the binaries
	Better    map[string]string // directions that units declare when their benchmark runs once, "higher" or "lower"
	checkouts map[string]Checkout
	workshop  string
}

// Prepare finds the package, creates the worktree of the base, compiles all builds and lists their benchmarks.
// It calls note with each step.
func Prepare(ctx context.Context, x *Experiment, w *Workshop, note func(string)) (*Bench, error) {
	b := &Bench{Experiment: x, Binaries: w.Dir, workshop: w.Dir}
	if err := b.settle(ctx, w, note); err != nil {
		return nil, err
	}
	if err := b.build(ctx, w, note); err != nil {
		return nil, err
	}
	if err := b.list(ctx, note); err != nil {
		return nil, err
	}
	b.Toolchain = b.compiler()
	return b, b.hashBinaries(ctx)
}

// Restore prepares a run that continues; dir holds its binaries.
func Restore(ctx context.Context, x *Experiment, w *Workshop, dir string, note func(string)) (*Bench, error) {
	b := &Bench{Experiment: x, Binaries: dir, workshop: w.Dir}
	was := *x
	if err := b.settle(ctx, w, note); err != nil {
		return nil, err
	}
	*x = was
	for name, sum := range x.Binaries {
		if now, err := hashFile(ctx, filepath.Join(dir, name)); err != nil || now != sum {
			return nil, fmt.Errorf("the test binary %s is not what the run began with (%w): start a new run",
				filepath.Join(dir, name), errors.Join(err, errChanged))
		}
	}
	return b, nil
}

var errChanged = errors.New("it is gone or was changed")

// settle finds the package, the repository and the checkouts of the revisions.
func (b *Bench) settle(ctx context.Context, w *Workshop, note func(string)) error {
	t, err := Resolve(ctx, b.Dir, b.Package)
	if err != nil {
		return err
	}
	b.Dir, b.Package = t.Dir, t.ImportPath
	b.checkouts = map[string]Checkout{Head: t.Head()}

	repo, err := FindRepo(ctx, t.Dir)
	switch {
	case err != nil && b.BaseRev == "":
		return ctx.Err() // a package outside a repository is allowed
	case err != nil:
		return err
	}
	if b.Commit, err = repo.Commit(ctx, "HEAD"); err != nil && b.BaseRev != "" {
		return err
	}
	b.Modified, err = repo.Modified(ctx)
	if b.BaseRev == "" {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	rev := b.BaseRev
	if b.BaseCommit != "" { // the run continues
		rev = b.BaseCommit
	}
	if b.BaseCommit, err = repo.Commit(ctx, rev); err != nil {
		return err
	}

	note("making a worktree of " + b.BaseRev)
	tree, err := w.Checkout(ctx, repo, b.BaseCommit)
	if err != nil {
		return err
	}
	b.checkouts[Base], err = t.Base(ctx, w, repo, tree)
	return err
}

// build compiles every variant.
func (b *Bench) build(ctx context.Context, w *Workshop, note func(string)) error {
	builder := &Builder{Workshop: w, Probe: true}
	list := b.variants()
	for i, v := range list {
		note(fmt.Sprintf("building %s (%d of %d)", v.file(), i+1, len(list)))
		if v.PGO != "" && v.PGO != "off" && v.PGO != "auto" {
			v.PGO = b.profile(v.PGO)
			if !exists(v.PGO) {
				return plan.Refuse("pgo", list[i].PGO, "there is no such profile")
			}
		}
		binary, err := builder.Build(ctx, b.checkouts[v.Rev], v)
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("%s cannot be built:\n%w",
				map[string]string{Head: b.Package, Base: "the base " + b.BaseRev}[v.Rev], err)
		}
		if err != nil {
			return err
		}

		if name := filepath.Join(w.Dir, list[i].file()); binary != name {
			if err := os.Rename(binary, name); err != nil {
				return err
			}
		}
	}
	b.Unprobed = builder.Unprobed
	return nil
}

// profile returns the path of a profile, relative to the package's directory or to the current one.
func (b *Bench) profile(name string) string {
	if inside := filepath.Join(b.Dir, name); !filepath.IsAbs(name) && exists(inside) {
		return inside
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// list finds the benchmarks of each revision, with the environment variables at their first levels.
func (b *Bench) list(ctx context.Context, note func(string)) error {
	var env []string
	for _, v := range b.Env {
		env = append(env, v.Name+"="+v.Levels[0])
	}
	b.Benchmarks, b.Broken, b.Skipped, b.Better = nil, nil, nil, map[string]string{}
	for _, rev := range b.Revs() {
		note("looking for benchmarks in the " + rev)
		v := b.variants()[slices.IndexFunc(b.variants(), func(v Variant) bool { return v.Rev == rev })]
		found, err := List(ctx, Binary{filepath.Join(b.Binaries, v.file()), b.checkouts[rev].Dir, b.workshop}, env,
			b.Pattern, b.Limit)
		if err != nil {
			return fmt.Errorf("%s: %w", rev, err)
		}
		for _, f := range found {
			if f.Skips {
				b.Skipped = append(b.Skipped, result.Skipped{Rev: rev, Name: f.Name, Reason: f.Text})
				continue
			}
			if f.Error != "" {
				b.Broken = append(b.Broken, result.Broken{Rev: rev, Name: f.Name, Error: f.Error, Text: tail(f.Text)})
				continue
			}
			b.addRevision(rev, f)
		}
	}
	return nil
}

// addRevision records that a revision has a benchmark.
func (b *Bench) addRevision(rev string, f Found) {
	maps.Copy(b.Better, f.Better)
	i := slices.IndexFunc(b.Benchmarks, func(x Benchmark) bool { return x.Name == f.Name })
	if i < 0 {
		b.Benchmarks = append(b.Benchmarks, Benchmark{Name: f.Name, Metrics: f.Metrics})
		i = len(b.Benchmarks) - 1
	}
	found := &b.Benchmarks[i]
	found.Revs = append(found.Revs, rev)
	found.Metrics = slices.DeleteFunc(found.Metrics, func(m string) bool { return !slices.Contains(f.Metrics, m) })
}

// hashBinaries records the hashes of the binaries.
func (b *Bench) hashBinaries(ctx context.Context) error {
	b.Experiment.Binaries = map[string]string{}
	for _, v := range b.variants() {
		sum, err := hashFile(ctx, filepath.Join(b.Binaries, v.file()))
		if err != nil {
			return err
		}
		b.Experiment.Binaries[v.file()] = sum
	}
	return nil
}

// hashFile returns the SHA-256 of a file.
func hashFile(ctx context.Context, path string) (string, error) {
	f, err := input.Open(ctx, path, input.Program)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// Keep moves the binaries to a directory, which it creates, so that a continued run uses the same binaries.
func (b *Bench) Keep(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name := range b.Experiment.Binaries {
		from, to := filepath.Join(b.Binaries, name), filepath.Join(dir, name)
		if os.Rename(from, to) == nil {
			continue
		}
		text, err := input.ReadFile(ctx, from, input.Program) // the directory is on another file system
		if err == nil {
			err = os.WriteFile(to, text, 0o777)
		}
		if err != nil {
			return err
		}
	}
	abs, err := filepath.Abs(dir)
	b.Binaries = abs
	return err
}

// Run runs one trial of the sweep.
func (b *Bench) Run(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
	v := b.variant(spec.Point, spec.Block)
	j := Job{
		Binary: Binary{filepath.Join(b.Binaries, v.file()), b.checkouts[v.Rev].Dir, b.workshop},
		Name:   spec.Design, CPUs: spec.Point.Int("cpus"), Time: b.benchtime(), Limit: b.Limit, Env: b.env(spec.Point),
	}
	return j.Trial(ctx, trial.Blank(spec))
}
