package gobench

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sweep"
)

// baselineName matches the names of baselines, which are names of files.
var baselineName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)

// CheckBaselineName refuses a name that a baseline cannot have. option is the option that gives it.
func CheckBaselineName(option, name string) error {
	if !baselineName.MatchString(name) {
		return plan.Refuse(option, name, "is not a valid name").
			Suggest("use letters, digits, dots and dashes, as in main")
	}
	return nil
}

// runsDirectory is the directory of runs of the module that dir belongs to, or of dir outside a module.
func runsDirectory(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		switch {
		case exists(filepath.Join(at, "go.mod")):
			return filepath.Join(at, "brewput-runs")
		case filepath.Dir(at) == at:
			return filepath.Join(dir, "brewput-runs")
		}
	}
}

// SaveBaseline names the run of benchmarks in a directory, in place of an earlier run of that name. It returns the
// path of the file with the name, which is in brewput-runs/baselines of the module of the current directory.
func SaveBaseline(name, run string) (file string, err error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	runs := runsDirectory(here)
	if os.Mkdir(runs, 0o777) == nil { // as for a run, git ignores it
		os.WriteFile(filepath.Join(runs, ".gitignore"), []byte("*\n"), 0o666)
	}
	file = filepath.Join(runs, "baselines", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return "", err
	}
	if run, err = filepath.Abs(run); err != nil {
		return "", err
	}
	run = relative(runs, run) // the module may move
	removeAbandonedSaves(filepath.Dir(file))
	return relative(here, file), store.Replace(file, func(w io.Writer) error {
		_, err := io.WriteString(w, run+"\n")
		return err
	})
}

// removeAbandonedSaves removes the temporary files of saves that were killed. A save takes far less than a day, so none
// that is still under way loses its file.
func removeAbandonedSaves(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if strings.HasPrefix(e.Name(), ".") && strings.HasSuffix(e.Name(), ".tmp") && err == nil &&
			time.Since(info.ModTime()) > 24*time.Hour {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Baseline returns the run directory of a baseline. It refuses a name that does not exist, a run of another machine,
// and, unless the measurement is resumed, a run with no benchmark of the packages that patterns match. option is the
// option that gives the name. An error of a disk is not a refusal.
func Baseline(ctx context.Context, option, name string, patterns []string, resumed bool) (run string, err error) {
	if err := CheckBaselineName(option, name); err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	runs := runsDirectory(here)
	text, err := input.ReadFile(ctx, filepath.Join(runs, "baselines", name), input.Settings)
	if errors.Is(err, fs.ErrNotExist) {
		return "", unknownBaseline(option, name, relative(here, filepath.Join(runs, "baselines")))
	}
	if err != nil && ctx.Err() == nil && !store.IsStorageFailure(err) {
		return "", plan.Refuse(option, name, "it cannot be read: %w", err).Suggest("save it again by {save} %s", name)
	}
	if err != nil {
		return "", err
	}
	if run = strings.TrimSpace(string(text)); !filepath.IsAbs(run) {
		run = filepath.Join(runs, run)
	}
	run = relative(here, run)
	r, err := sweep.Open(run)
	switch {
	case store.IsStorageFailure(err):
		return "", err
	case err != nil:
		return "", plan.Refuse(option, name, "its run cannot be read: %w", err).
			Suggest("save it again by {save} %s", name)
	case r.Header.Bench == nil:
		return "", plan.Refuse(option, name, "%s is not a run of benchmarks", run)
	}
	if err := host.Read().SameMachine(r.Header.Environment); err != nil {
		return "", plan.Refuse(option, name, "it was measured on another machine: %w", err).
			Suggest("save one here by {save} %s", name)
	}
	x, err := ExperimentOf(run, &r.Header)
	if err != nil {
		return "", plan.Refuse(option, name, "%w", err)
	}
	if resumed { // its packages were checked when it began
		return run, nil
	}
	return run, x.checkCommon(ctx, option, name, &Experiment{Patterns: patterns, Dir: here})
}

// checkCommon refuses a baseline with no benchmark function of the packages that will be measured, and packages that
// cannot be read. It does not refuse packages that do not exist, because their measurement does.
func (x *Experiment) checkCommon(ctx context.Context, option, name string, measured *Experiment) error {
	if len(measured.Patterns) == 0 {
		measured.Patterns = []string{"."}
	}
	targets, err := measured.targets(ctx)
	if err != nil {
		return ctx.Err()
	}
	declared, err := measured.declared(ctx, targets)
	if err != nil && ctx.Err() == nil {
		return plan.AsRefusal(err)
	}
	if err != nil || slices.ContainsFunc(x.Benchmarks, func(b Benchmark) bool { return declared[b.function()] }) {
		return err
	}
	return plan.Refuse(option, name, "it is of %s, and %s has none of its benchmarks", x.Package, measured.Package).
		Suggest("measure the packages of the baseline, or save another one by {save}")
}

// unknownBaseline is the refusal of a name, with the baselines that are in the directory.
func unknownBaseline(option, name, dir string) error {
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if baselineName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	r := plan.Refuse(option, name, "there is no such baseline in %s", dir)
	if len(names) == 0 {
		return r.Suggest("save one by {save} NAME")
	}
	return r.Suggest("there are %s", strings.Join(names, ", "))
}
