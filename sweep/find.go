package sweep

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// IsDesign reports whether a text such as coffee/locking names a design of one of the workloads, or might do so by
// mistake: its first part is a workload, and no file or directory has its name.
func IsDesign(all []*workload.Workload, text string) bool {
	name, design, _ := strings.Cut(text, "/")
	i := slices.IndexFunc(all, func(w *workload.Workload) bool { return w.Name == name })
	if i < 0 {
		return false
	}
	if _, ok := all[i].Find(design); ok {
		return true
	}
	_, err := os.Lstat(text)
	return errors.Is(err, fs.ErrNotExist)
}

// FindRun returns the directory of a stored run: dir, or the directory of that name in brewput-runs. An empty dir
// stands for the run in brewput-runs that began last. Errors are a [*plan.Refusal] unless a disk failed.
func FindRun(dir string) (string, error) {
	if dir == "" {
		return latestRun()
	}
	if _, err := os.Lstat(dir); err == nil {
		return dir, nil
	}
	if inside := filepath.Join(store.RunsDir, dir); filepath.IsLocal(dir) && store.HoldsRun(inside) {
		return inside, nil
	}
	return dir, nil // it is refused when it is opened
}

// latestRun returns the run in brewput-runs that began last. Damaged runs are left out unless there is no other.
func latestRun() (latest string, err error) {
	entries, err := os.ReadDir(store.RunsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", plan.Refuse("", nil, "%s cannot be read: %w", store.RunsDir, err)
	}
	var began time.Time
	var damaged error
	for _, e := range entries {
		dir := filepath.Join(store.RunsDir, e.Name())
		if !store.HoldsRun(dir) {
			continue
		}
		raw, err := store.ReadHeader(dir)
		var h Header
		if err == nil {
			h, err = ReadHeader(dir, raw)
		}
		switch {
		case err != nil:
			damaged = err
		case latest == "" || h.Started.After(began):
			latest, began = dir, h.Started
		}
	}
	switch {
	case latest != "":
		return latest, nil
	case damaged != nil:
		return "", StoreError(damaged)
	}
	return "", plan.Refuse("", nil, "there is no run in %s here: measure something first, or give the directory of a "+
		"run", store.RunsDir)
}

// MostCPUs returns the case of a design with the most CPUs, up to those of this machine. The design may be "" if the
// run has only one. Runs of workloads with options have none. Errors are a [*plan.Refusal].
func (r *StoredRun) MostCPUs(design string) (best plan.Case, err error) {
	if name := r.Header.Workload; len(r.Header.Given) > 0 {
		return best, plan.Refuse("", nil, "%s is a run of %s, which has the options of its server", r.Name, name).
			Suggest("explain it with explain %s and these options", name)
	}
	var names []string
	for _, c := range r.Header.Cases {
		if !slices.Contains(names, c.Design) {
			names = append(names, c.Design)
		}
	}
	if len(names) == 0 {
		return best, plan.Refuse("", nil, "%s holds no measurement, only predictions for CPUs that this machine lacks",
			r.Name)
	}
	if design == "" && len(names) == 1 {
		design = names[0]
	}

	most, found := 0.0, false
	for _, c := range r.Header.Cases {
		level, _ := c.Point.Get("cpus")
		cpus, isNumber := level.Number()
		if c.Design == design && isNumber && cpus <= float64(runtime.NumCPU()) && (!found || cpus > most) {
			best, most, found = c, cpus, true
		}
	}
	if !found && slices.Contains(names, design) {
		return best, plan.Refuse("", nil, "%s holds %s on more CPUs than this machine has, %d: explain it where it "+
			"was measured, or on fewer", r.Name, design, runtime.NumCPU())
	}
	if !found {
		return best, plan.Refuse("", nil, "explain takes one design of a run: select it with {designs}, from "+
			"%s", strings.Join(names, ", "))
	}
	return best, nil
}
