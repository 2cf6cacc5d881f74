package sweep

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
