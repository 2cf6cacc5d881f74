//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/store/storetest"
	"github.com/brewput/brewput/tools/repository"
)

// stored is a kind of run, made twice. The first run is damaged.
type stored struct {
	name    string
	make    []string // arguments, without -o
	again   []string // verb and flag that show the complete run
	formats []string
	inRepo  bool           // made in the repository with benchmarks
	want    map[string]ran // outcome of each command on the undamaged runs
}

func storedRuns() []*stored {
	all := []string{"table", "json", "csv", "bench", "md"}
	return []*stored{
		{name: "live", make: []string{"run", "null", "--designs", "stream,job", "--cpus", "1", "--operations", "1000",
			"--count", "6", "--no-twin"}, again: []string{"run", "--resume"}, formats: all},
		{name: "twin", make: []string{"run", "coffee", "--designs", "locking,linearpipe", "--cpus", "1", "--stage",
			"50us", "--operations", "40", "--count", "6"},
			again: []string{"run", "--resume"}, formats: all},
		{name: "budget", make: []string{"run", "coffee", "--designs", "locking,linearpipe", "--cpus", "1", "--stage",
			"50us", "--operations", "40", "--no-twin", "--budget", "2s"},
			again: []string{"run", "--resume"}, formats: all},
		{name: "virtual", make: []string{"sim", "coffee", "--designs", "locking,linearpipe", "--cpus", "2", "--jitter",
			"2ms", "--duration", "500ms", "--cost", "chan=1us", "--precision", "5%"},
			again: []string{"sim", "--resume"}, formats: all},
		{name: "bench", make: []string{"bench", "--cpus", "1,2", "--duration", "2ms", "--count", "6"},
			again: []string{"bench", "--resume"}, formats: all, inRepo: true},
		{name: "gate", make: []string{"gate", "--base", "HEAD", "--max-regression", "50%", "--cpus", "1", "--duration",
			"5ms", "--count", "10"}, again: []string{"bench", "--resume"}, formats: all, inRepo: true},
	}
}

const (
	damaged = "run"   // directory of the first run
	whole   = "other" // directory of the second run
)

// commands are all commands that show a run.
func (s *stored) commands() (list [][]string) {
	for _, format := range s.formats {
		list = append(list, slices.Concat(s.again, []string{damaged, "--format", format}))
		if format != "csv" && (format != "bench" || s.inRepo) {
			list = append(list, []string{"compare", damaged, whole, "--format", format})
		}
	}
	return list
}

// openJournals makes the runs, once for each build, and keeps the output of all commands on them.
func openJournals(ctx context.Context, c *campaign) (attack, error) {
	runs := storedRuns()
	home := filepath.Join(c.work, "runs-"+c.sum[:12])
	a := &attempt{campaign: c, outcome: outcome{Area: "journal"}}
	for _, s := range runs {
		s.want = map[string]ran{}
		dir := filepath.Join(home, s.name)
		if _, err := os.Stat(dir); err != nil {
			if err := a.makeRuns(ctx, s, dir); err != nil {
				return nil, fmt.Errorf("the run %s: %w", s.name, err)
			}
		}
		if err := a.showWhole(ctx, s, dir); err != nil {
			return nil, fmt.Errorf("the run %s: %w", s.name, err)
		}
	}
	return func(ctx context.Context, a *attempt) error { return a.damage(ctx, runs, home) }, nil
}

// makeDirectory gives the attempt an empty directory.
func (a *attempt) makeDirectory() (err error) {
	if a.box, err = os.MkdirTemp(filepath.Join(a.work, "box"), a.Area); err != nil {
		return err
	}
	return errors.Join(os.Mkdir(a.cwd(), 0o777), os.Mkdir(a.tmp(), 0o777))
}

// makeRuns makes the two runs of a kind.
func (a *attempt) makeRuns(ctx context.Context, s *stored, dir string) error {
	if err := a.makeDirectory(); err != nil {
		return err
	}
	defer os.RemoveAll(a.box)
	if s.inRepo {
		if err := repository.Make(ctx, a.cwd(), benchmarks); err != nil {
			return err
		}
	}
	for _, name := range []string{damaged, whole} {
		r, err := a.watch(ctx, a.command(append(slices.Clone(s.make), "-o", "../made/"+name)...), 5*patience)
		if err != nil || r.code != 0 && r.code != 3 && r.code != 1 {
			return errors.Join(err, fmt.Errorf("%q exits with %d:\n%s", a.Command, r.code, r.stderr))
		}
	}
	return errors.Join(os.MkdirAll(filepath.Dir(dir), 0o777), os.Rename(filepath.Join(a.box, "made"), dir))
}

// showWhole keeps the output of every command on the undamaged runs. It must be the same twice.
func (a *attempt) showWhole(ctx context.Context, s *stored, dir string) error {
	if err := a.makeDirectory(); err != nil {
		return err
	}
	defer os.RemoveAll(a.box)
	if err := copyTree(dir, a.cwd()); err != nil {
		return err
	}
	for range 2 {
		for _, args := range s.commands() {
			r, err := a.run(ctx, patience, args...)
			if err != nil {
				return err
			}
			key := strings.Join(args, " ")
			if before, ok := s.want[key]; ok && (before.code != r.code || before.stdout != r.stdout ||
				before.stderr != r.stderr) {
				return fmt.Errorf("%s does not print the same twice:\n%s\n%s", key, before.stdout, r.stdout)
			}
			if r.code == 2 || r.signal != 0 || r.hung {
				return fmt.Errorf("%s exits with %d:\n%s", key, r.code, r.stderr)
			}
			s.want[key] = r
		}
	}
	return nil
}

// damage damages a run, and then shows and compares it.
func (a *attempt) damage(ctx context.Context, runs []*stored, home string) error {
	s := runs[a.rng.IntN(len(runs))]
	if a.Index%20 == twinSwap {
		s = runs[slices.IndexFunc(runs, func(s *stored) bool { return s.name == "twin" })]
	}
	if err := copyTree(filepath.Join(home, s.name), a.cwd()); err != nil {
		return err
	}
	swapped, err := a.swap(s)
	if !swapped && err == nil {
		err = a.mutate(s)
	}
	if err != nil {
		return err
	}
	before := filepath.Join(a.box, "before")
	if err := copyTree(filepath.Join(a.cwd(), damaged), before); err != nil {
		return err
	}
	var shown, compared [][]string
	for _, args := range s.commands() {
		if args[0] == "compare" {
			compared = append(compared, args)
		} else {
			shown = append(shown, args)
		}
	}
	// Showing continues a run that lost its end, so comparing comes first.
	for _, args := range [][]string{compared[a.rng.IntN(len(compared))], shown[a.rng.IntN(len(shown))]} {
		r, err := a.run(ctx, patience, args...)
		if err != nil {
			return err
		}
		a.judge(r, false)
		want := s.want[strings.Join(args, " ")]
		// Even if the page shows nothing that differs.
		if swapped && (args[0] != "compare" || a.Index%20 == headerSwap) && !noticed(r, want) {
			a.find("silent: %s accepts a part of another run", args[0])
		}
		if (r.code != want.code || r.stdout != want.stdout) && !noticed(r, want) && !unfinished(r, want) {
			a.find("silent: exit %d, and the output of %s differs", r.code, args[0])
		}
		if len(a.Found) > 0 {
			// As it was before showing continued it.
			return errors.Join(os.RemoveAll(filepath.Join(a.cwd(), damaged)),
				os.Rename(before, filepath.Join(a.cwd(), damaged)))
		}
	}
	a.findLeftovers()
	return nil
}

// mutate damages a file of a run.
func (a *attempt) mutate(s *stored) error {
	files := []string{journalFile, journalFile, journalFile, "histograms.ndjson"}
	if _, err := os.Stat(filepath.Join(a.cwd(), damaged, "twin")); err == nil {
		files = append(files, "twin/journal.ndjson", "twin/histograms.ndjson")
	}
	file := files[a.rng.IntN(len(files))]
	path := filepath.Join(a.cwd(), damaged, file)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	kind, mutated := storetest.Mutate(a.rng, text)
	a.Kind = fmt.Sprintf("%s of %s/%s", kind, s.name, file)
	return os.WriteFile(path, mutated, 0o666)
}

// unfinished reports whether a page calls a run unfinished, which is right for a run without its end.
func unfinished(r, want ran) bool {
	const words = "the run is unfinished"
	return strings.Contains(r.stdout, words) && !strings.Contains(want.stdout, words)
}

// complaints are parts of the messages about damage of a run that is shown nevertheless.
var complaints = []string{
	"checksum", "digest", "does not fit", "lost its end", "cannot be read", "before journals had checksums",
	"not part of it", "schema_version", "not valid UTF-8",
	"the histogram of", "it ends within line", "the other numbers of the run do not depend on this file", "is damaged",
	"is not a run directory",
}

// noticed reports whether a command reports the damage of a run: it refuses the run, unlike the undamaged one, or it
// prints a warning about the journal that the undamaged one does not get.
func noticed(r, want ran) bool {
	usual := strings.Split(want.stderr, "\n")
	for line := range strings.Lines(r.stderr) {
		line = strings.TrimSuffix(line, "\n")
		text, refused := strings.CutPrefix(line, "brewput: ")
		if !refused && !strings.HasPrefix(line, "warning: ") && !strings.HasPrefix(line, "note: ") ||
			slices.Contains(usual, line) {
			continue
		}
		if refused && r.code == 2 && want.code != 2 ||
			slices.ContainsFunc(complaints, func(c string) bool { return strings.Contains(text, c) }) {
			return true
		}
	}
	return false
}

// swap replaces the header of a run, or its predictions, by those of the other run, in a few attempts.
func (a *attempt) swap(s *stored) (done bool, err error) {
	run, other := filepath.Join(a.cwd(), damaged), filepath.Join(a.cwd(), whole)
	switch twin := filepath.Join(run, "twin"); {
	case a.Index%20 == headerSwap:
		a.Kind = "the other run's header of " + s.name
		return true, swapHeader(filepath.Join(run, journalFile), filepath.Join(other, journalFile))
	case a.Index%20 == twinSwap:
		a.Kind = "the other run's twin"
		return true, errors.Join(os.RemoveAll(twin), copyTree(filepath.Join(other, "twin"), twin))
	}
	return false, nil
}

// swapHeader replaces the first line of a journal by that of another.
func swapHeader(path, from string) error {
	text, err := os.ReadFile(path)
	other, errOther := os.ReadFile(from)
	if err := errors.Join(err, errOther); err != nil {
		return err
	}
	_, lines, _ := bytes.Cut(text, []byte("\n"))
	header, _, _ := bytes.Cut(other, []byte("\n"))
	return os.WriteFile(path, slices.Concat(header, []byte("\n"), lines), 0o666)
}

const journalFile = "journal.ndjson"

// Remainders by 20 of the indices of attempts that swap parts of the two runs.
const (
	headerSwap = 3
	twinSwap   = 13
)
