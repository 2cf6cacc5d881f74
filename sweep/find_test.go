package sweep

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// TestFindRun: the latest run is the one that began last by its journal, whatever the names and times of directories
// say. A damaged one is named only if there is no other.
func TestFindRun(t *testing.T) {
	t.Chdir(t.TempDir())
	refused := func(text string) {
		t.Helper()
		dir, err := FindRun("")
		if r := (*plan.Refusal)(nil); !errors.As(err, &r) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %q, %v; want a refusal with %q", dir, err, text)
		}
	}
	refused("no run in brewput-runs")
	damaged := filepath.Join(store.RunsDir, "damaged")
	if err := os.MkdirAll(damaged, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(damaged, "journal.ndjson"), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	refused(filepath.Join(damaged, "journal.ndjson"))

	noon := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	for name, began := range map[string]time.Time{"a-last": noon.Add(time.Hour), "z-first": noon,
		"m": noon.Add(time.Minute)} {
		run, err := store.Create(filepath.Join(store.RunsDir, name), Header{Workload: "w", Started: began})
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for given, want := range map[string]string{"": "a-last", "m": "m",
		filepath.Join(store.RunsDir, "z-first"): "z-first"} {
		if dir, err := FindRun(given); err != nil || dir != filepath.Join(store.RunsDir, want) {
			t.Errorf("%q: got %q, %v; want %s", given, dir, err, want)
		}
	}
	if dir, err := FindRun("nowhere"); err != nil || dir != "nowhere" {
		t.Errorf("got %q, %v", dir, err)
	}
}

func TestIsDesign(t *testing.T) {
	t.Chdir(t.TempDir())
	all := []*workload.Workload{{Name: "coffee", Designs: []workload.Design{{Name: "locking"}}}}
	if err := os.MkdirAll(filepath.Join("coffee", "locking"), 0o777); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"coffee/locking": true, "coffee/lokcing": true, "coffee": false,
		"tea/locking": false, "./coffee/locking": false, "brewput-runs/coffee": false} {
		if IsDesign(all, text) != want {
			t.Errorf("%s: got %t", text, !want)
		}
	}
}

// TestMostCPUs: a stored run is explained at its point with most CPUs that this machine has.
func TestMostCPUs(t *testing.T) {
	at := func(design string, cpus int) plan.Case {
		return plan.Case{Design: design, Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)})}
	}
	runOfCases := func(design string, cases ...plan.Case) (plan.Case, error) {
		return (&StoredRun{Run: compare.Run{Name: "twin"}, Header: Header{Cases: cases}}).MostCPUs(design)
	}
	all := runtime.NumCPU()
	c, err := runOfCases("", at("a", all), at("a", all+1), at("a", 0))
	if err != nil || c.Point.Int("cpus") != all {
		t.Errorf("%v, %v; want %d CPUs", c, err, all)
	}
	if c, err = runOfCases("b", at("a", all), at("b", 1)); err != nil || c.Design != "b" {
		t.Errorf("%v, %v; want design b", c, err)
	}
	// A header that was changed may have a level of another kind.
	word := at("a", 1)
	word.Point = word.Point.With("cpus", plan.TextLevel("many"))
	if c, err = runOfCases("", word, at("a", 1)); err != nil || c.Point.String() != "cpus=1" {
		t.Errorf("%v, %v; want 1 CPU", c, err)
	}
	// The one design is known, and its CPUs are the problem.
	if _, err = runOfCases("", at("a", all+1)); err == nil || !strings.Contains(err.Error(), "more CPUs than") {
		t.Errorf("got %v", err)
	}
	r := &StoredRun{Run: compare.Run{Name: "twin"}, Header: Header{Workload: "http", Cases: []plan.Case{at("a", 1)},
		Given: workload.Given{"url": {"http://a"}}}}
	if _, err := r.MostCPUs(""); err == nil || !strings.Contains(err.Error(), "explain http and these options") {
		t.Errorf("a run with options: %v", err)
	}
	if _, err := runOfCases(""); err == nil ||
		!strings.Contains(err.Error(), "twin holds no measurement") {
		t.Errorf("got %v", err)
	}
}
