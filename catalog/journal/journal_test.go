package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/trial"
)

func TestMain(m *testing.M) {
	if design := os.Getenv("JOURNAL_KILL"); design != "" {
		fmt.Println(appendUntilKilled(design, os.Getenv("JOURNAL_DIR")))
		os.Exit(1)
	}
	trial.Main(Workload())
	seeded.Fix()
	os.Exit(m.Run())
}

// TestDesigns runs trials of every design. They leave no file.
func TestDesigns(t *testing.T) {
	w := Workload()
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Designs {
		for _, settings := range []string{"appends=300", "appends=1 callers=3", "appends=60 callers=1 gets=3",
			"appends=600 callers=100 queue=1", "appends=20 entry=0", "appends=12 entry=1048576 callers=2",
			"appends=50 entry=5"} {
			dir := t.TempDir()
			o := workloadtest.Live(t, w, d, workloadtest.Point(t, w, settings, "dir="+dir))
			x := o.Trial
			if d.Name == "mapped" && runtime.GOOS == "windows" {
				if x.Good() || !strings.Contains(x.Error+o.Failure, "use another design") {
					t.Errorf("mapped at %s: %s %s %s, want a refusal", settings, x.Status, x.Error, o.Failure)
				}
				continue
			}
			if !x.Good() || d.Name != "encode" && !(x.Metrics.Get(syncSeconds) > 0 && x.Metrics.Get(writeSeconds) > 0) {
				t.Errorf("%s at %s: %s %s %v\n%s", d.Name, settings, x.Status, x.Error, x.Metrics, o.Failure)
			}
			if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
				t.Errorf("%s at %s left %v: %v", d.Name, settings, left, err)
			}
		}
	}
}

// TestAbandonedLog checks that a trial removes the log that a killed trial left, and not that of another that runs.
func TestAbandonedLog(t *testing.T) {
	dir := t.TempDir()
	p := workloadtest.Point(t, Workload(), "dir="+dir)
	log, remove, err := newDir(p)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	if err := os.CopyFS(filepath.Join(dir, "brewput-journal-1-log-77"), os.DirFS(filepath.Dir(log))); err != nil {
		t.Fatal(err)
	}
	_, removeNext, err := newDir(p)
	if err == nil {
		err = removeNext()
	}
	if err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*", "*")); !slices.Contains(left, log) || len(left) != 2 {
		t.Errorf("%v are there, want %s: %v", left, log, err)
	}
}

// TestMemory checks that the log in memory keeps nothing after it was closed, as it declares.
func TestMemory(t *testing.T) {
	inWorld(t, func(e env.Env) error {
		for range 2 {
			l, err := openMemory(e, "", plan.Point{})
			if err != nil {
				return err
			}
			if n, err := recovered(l); n != 0 || err != nil {
				return fmt.Errorf("it has %d entries: %w", n, err)
			}
			if err := errors.Join(fill(l, 9), l.Flush()); err != nil {
				return err
			}
			if n, err := recovered(l); n != 9 || err != nil {
				return fmt.Errorf("it has %d entries: %w", n, err)
			}
			if err := l.Close(); err != nil {
				return err
			}
		}
		return nil
	})
}

// faulty is a log in memory with a fault.
type faulty struct {
	Log
	index func(uint64) uint64
	data  func([]byte) []byte
	fail  error
}

func (f faulty) Append(data []byte) (uint64, error) {
	if f.fail != nil {
		return 0, f.fail
	}
	index, err := f.Log.Append(data)
	return f.index(index), err
}

func (f faulty) Get(index uint64) ([]byte, error) {
	data, err := f.Log.Get(index)
	return f.data(data), err
}

// TestCheck checks that the check finds indexes that are wrong, entries that were changed, and logs that are not as
// they declare, and that no trial leaves its directory.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	good := faulty{index: func(i uint64) uint64 { return i }, data: func(b []byte) []byte { return b }}
	for want, spoil := range map[string]func(f *faulty){
		"got the index 0":                func(f *faulty) { f.index = func(i uint64) uint64 { return i - 1 } },
		"index 1 was given twice":        func(f *faulty) { f.index = func(i uint64) uint64 { return (i + 1) / 2 } },
		"after 2":                        func(f *faulty) { f.index = func(i uint64) uint64 { return 3 - i } },
		"is not entry 1 of caller 1":     func(f *faulty) { f.data = func(b []byte) []byte { return append(b, 0) } },
		"after it was opened again: ent": func(*faulty) {},
		"no space":                       func(f *faulty) { f.fail = errors.New("no space") },
	} {
		inWorld(t, func(e env.Env) error {
			p := workloadtest.Point(t, Workload(), "callers=1 appends=2 dir="+dir)
			j, err := newJob(e, p, SurvivesKill, func(e env.Env, dir string, p plan.Point) (Log, error) {
				f := good
				f.Log, _ = openMemory(e, dir, p)
				spoil(&f)
				return f, nil
			})
			if err != nil {
				return err
			}
			if err = j.Run(e); err == nil {
				_, err = j.Check()
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				return fmt.Errorf("want %q, got %v", want, err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
				return fmt.Errorf("%s: left %v", want, left)
			}
			return nil
		})
	}
}

// TestDesign checks that a design of another module declares its durability, also in its doc.
func TestDesign(t *testing.T) {
	d := Design("mine", "a list", SurvivesKill, openMemory, "queue")
	w := Workload()
	w.Designs = append(w.Designs, d)
	if err := w.Validate(); err != nil || d.Doc != "survives kill: a list" || d.Guarantee != "survives kill" {
		t.Error(err, d.Doc, d.Guarantee)
	}
}

// TestSize checks that an entry that is too large is refused, and that the log goes on.
func TestSize(t *testing.T) {
	for name, open := range onFiles() {
		inWorld(t, func(e env.Env) error {
			l, err := open(e, newRecorder())
			if err != nil {
				return err
			}
			if _, err := l.Append(make([]byte, MaxEntry+1)); err == nil {
				return fmt.Errorf("%s takes an entry of %d bytes", name, MaxEntry+1)
			}
			return errors.Join(fill(l, 3), l.Close())
		})
	}
}

// TestRefusals checks that a directory that does not exist is refused.
func TestRefusals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, missing := os.Stat(file + "/no")
	for dir, want := range map[string]string{file: "not a directory", file + "/no": missing.Error()} {
		err := check(workloadtest.Point(t, Workload(), "dir="+dir))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// TestNoDirSync checks the error where directories cannot be synced, as in /proc, and that others stay as they are.
func TestNoDirSync(t *testing.T) {
	if runtime.GOOS == "linux" {
		err := SyncDirs("/proc")
		if !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "set dir to") {
			t.Errorf("/proc: %v", err)
		}
	}
	if err := SyncDirs(t.TempDir(), filepath.Join(t.TempDir(), "absent")); err == nil || !os.IsNotExist(err) {
		t.Error(err)
	}
}
