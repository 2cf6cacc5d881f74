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
			return nil, fmt.Errorf("the test binary %s has changed since the run began (%w): start a new run",
				filepath.Join(dir, name), errors.Join(err, errChanged))
		}
	}
	for _, v := range b.variants() {
		if x.Binaries[v.file()] == "" { // the name depends on the version, see Variant.file
			return nil, fmt.Errorf("the run has no test binary %s, because another version of brewput began it: start "+
				"a new run", v.file())
		}
	}
	return b, nil
}

var errChanged = errors.New("it is gone or was changed")

// list finds the benchmarks of each revision, with the environment variables at their first levels.
func (b *Bench) list(ctx context.Context, note func(string)) error {
	b.Benchmarks, b.Skipped, b.Better = nil, nil, map[string]string{}
	for _, rev := range b.Revs() {
		note("looking for benchmarks in the " + rev)
		list := b.packages()
		for i := range list {
			p := &list[i]
			if slices.Contains(p.Without, rev) {
				continue
			}
			err := b.listPackage(ctx, p, rev)
			if err != nil && p.Name != "" && ctx.Err() == nil && !isRefusal(err) {
				b.leaveOut(p, rev, "it does not list its benchmarks", err.Error())
			} else if err != nil {
				return fmt.Errorf("%s: %w", rev, err)
			}
		}
	}
	return nil
}

// listPackage finds the benchmarks of a package in a revision.
func (b *Bench) listPackage(ctx context.Context, p *Package, rev string) error {
	var env []string
	for _, v := range b.Env {
		env = append(env, v.Name+"="+v.Levels[0])
	}
	v := b.variantsOf(Variant{Rev: rev, Package: p.Name})[0]
	found, err := List(ctx, b.binary(v), env, b.Pattern, b.Limit)
	if err != nil {
		return err
	}
	for _, f := range found {
		f.Name = p.qualified(f.Name)
		switch {
		case f.Skips:
			b.Skipped = append(b.Skipped, result.Skipped{Rev: rev, Name: f.Name, Reason: f.Text})
		case f.Error != "":
			b.Broken = append(b.Broken, result.Broken{Rev: rev, Name: f.Name, Error: f.Error, Text: tail(f.Text)})
		default:
			b.addRevision(rev, p.Name, f)
		}
	}
	return nil
}

// binary returns the binary of a variant.
func (b *Bench) binary(v Variant) Binary {
	return Binary{filepath.Join(b.Binaries, v.file()), b.checkouts[b.packageOf(v).in(v.Rev)].Dir, b.workshop}
}

// addRevision records that a revision has a benchmark.
func (b *Bench) addRevision(rev, pkg string, f Found) {
	maps.Copy(b.Better, f.Better)
	i := slices.IndexFunc(b.Benchmarks, func(x Benchmark) bool { return x.Name == f.Name })
	if i < 0 {
		b.Benchmarks = append(b.Benchmarks, Benchmark{Name: f.Name, Package: pkg, Metrics: f.Metrics})
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
	v, name := b.variant(spec.Design, spec.Point, spec.Block)
	j := Job{
		Binary: b.binary(v), Name: name, CPUs: spec.Point.Int("cpus"), Time: b.benchtime(), Limit: b.Limit,
		Env: b.env(spec.Point),
	}
	return j.Trial(ctx, trial.Blank(spec))
}
