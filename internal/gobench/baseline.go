package gobench

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/input"
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
	partial := filepath.Join(runs, "baselines", ".partial")
	if err := os.WriteFile(partial, []byte(run+"\n"), 0o666); err != nil {
		return "", err
	}
	return relative(here, file), os.Rename(partial, file)
}

// Baseline returns the run directory of a baseline. It refuses a name that does not exist, and a run of another
// machine. option is the option that gives the name.
func Baseline(ctx context.Context, option, name string) (run string, err error) {
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
	if err != nil {
		return "", err
	}
	if run = strings.TrimSpace(string(text)); !filepath.IsAbs(run) {
		run = filepath.Join(runs, run)
	}
	run = relative(here, run)
	r, err := sweep.Open(run)
	switch {
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
	return run, nil
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
