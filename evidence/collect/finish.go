package collect

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/input"
)

// keepFile moves a file of a run to the collection. Files from the second on have a number in their name.
func (k *collector) keepFile(ctx context.Context, dir, name, kind string, number int) (string, error) {
	path := filepath.Join(k.Dir, numbered(name, number))
	if err := moveFile(ctx, filepath.Join(dir, name), path); err != nil {
		return "", err
	}

	k.Files = append(k.Files, File{kind, path})
	return path, nil
}

// numbered returns the name of a file of a run: "cpu.pprof", "cpu-2.pprof".
func numbered(name string, number int) string {
	if number == 0 {
		return name
	}
	base, ext, _ := strings.Cut(name, ".")
	return base + "-" + strconv.Itoa(number+1) + "." + ext
}

// paths returns the paths of all files that a collection may write.
func (c *Collected) paths() []string {
	names := []string{"trace.out", "heap.pprof", "mutex.pprof", "block.pprof", "goroutine.pprof"}
	for n := range maxRepeats {
		names = append(names, numbered("cpu.pprof", n))
	}
	for i := range names {
		names[i] = filepath.Join(c.Dir, names[i])
	}
	return names
}

// removeOld removes the files of an earlier collection in the same directory. Otherwise [SavedIn] would return them
// with the new ones, and [Files] combine them.
func (c *Collected) removeOld() {
	for _, path := range c.paths() {
		if slices.ContainsFunc(c.Files, func(f File) bool { return f.Path == path }) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			c.note("a file of an earlier run is still there: %v", err)
		}
	}
}

// noteOld notes the files of earlier collections, which stay if there are no new ones, because the program itself may
// write such files.
func (k *collector) noteOld() {
	var old []string
	for _, path := range k.paths() {
		if info, err := os.Stat(path); err == nil && info.ModTime().Before(k.began) {
			old = append(old, filepath.Base(path))
		}
	}
	if len(old) > 0 {
		k.note("this run stored no profile, and these files in %s are older: %s", k.Dir, strings.Join(old, ", "))
	}
}

// moveFile moves a file, even to another file system.
func moveFile(ctx context.Context, from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}

	in, err := input.Open(ctx, from, input.Copied)
	if err != nil {
		return err
	}

	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}

	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Remove(from))
}

// answerFirst reports what is known from the first run, a CPU profile and a trace.
func (k *collector) answerFirst(_ context.Context, top int) error {
	if k.opts.First == nil || len(k.Evidence.Profiles) == 0 {
		return nil
	}
	e := *k.Evidence
	e.Runs = k.undisturbed(top)
	switch {
	case len(e.Runs) > 0:
	case k.first != nil:
		e.Runs = []evidence.Run{k.evidenceRun(top, []plainRun{*k.first})}
	default: // benchmarks, or a trial whose hook failed
		e.Runs = []evidence.Run{k.evidenceRun(top, k.cpu.runs[:1])}
	}
	k.opts.First(&Collected{Evidence: &e, Dir: k.Dir})
	return nil
}

// finish adds the runs and the notes to the evidence.
func (k *collector) finish(top int) {
	k.Evidence.Runs = append(k.Evidence.Runs, k.undisturbed(top)...)
	if k.runHooked == nil {
		k.note("%s ran without a hook, because %s: only its times and system calls are known; one line in main "+
			"writes a profile: %s",
			k.about.Name, k.hookProblem, profileSnippet)
	}

	for _, n := range k.notes {
		k.note("%s", n)
	}
	if len(k.skipped) > 0 {
		k.note("did not fit into the time limit of %v: %s", k.runLimit(), strings.Join(k.skipped, ", "))
	}
	if r := k.Evidence.Runs; len(r) > 0 {
		k.noteDisturbances(r[0])
	}
}

// undisturbed returns the medians of the runs without a profiler, those on the most CPUs first.
func (k *collector) undisturbed(top int) (all []evidence.Run) {
	for _, cpus := range append([]int{top}, k.cpuLevels[:len(k.cpuLevels)-1]...) {
		if list := k.runs[cpus]; len(list) > 0 {
			all = append(all, k.evidenceRun(cpus, list))
		}
	}
	return all
}

// evidenceRun returns the medians of runs at a number of CPUs, with their number of operations.
func (k *collector) evidenceRun(cpus int, list []plainRun) evidence.Run {
	run := medians(cpus, list)
	run.Operations = list[0].operations
	if k.bench != nil {
		run.Operations = k.bench.operations
	}
	return run
}

// profileSnippet is Go code that writes a CPU profile, for programs that cannot be built with a hook.
const profileSnippet = `f, _ := os.Create("cpu.pprof"); pprof.StartCPUProfile(f); defer pprof.StopCPUProfile()`
