package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// shop is a workload whose trials nobody runs.
func shop() *workload.Workload {
	job := func(env.Env, plan.Point) (workload.Job, error) { return workload.Job{}, errors.New("closed") }
	return &workload.Workload{
		Name: "shop", Doc: "A shop.",
		Factors: []plan.Factor{{Name: "stage", Doc: "stages", Kind: plan.Int, Default: "2"}},
		Check: func(p plan.Point) error {
			if p.Int("stage")%2 != 0 {
				return errors.New("stages are even")
			}
			return nil
		},
		Designs: []workload.Design{{Name: "locking", Doc: "locks", Job: job},
			{Name: "ideal", Doc: "does not", Job: job}},
	}
}

// storedRun is the directory of a run of two designs that has begun.
func storedRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	run, err := store.Create(dir, sweep.Header{Workload: "shop", World: "live", Seed: "1", Blocks: 1,
		Cases: []plan.Case{{Design: "locking", Point: point}, {Design: "ideal", Point: point}}})
	if err == nil {
		err = run.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestParseTarget: what a word is, by its form and by what is there.
func TestParseTarget(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := storedRun(t)
	t.Chdir(t.TempDir())
	if err := os.Symlink(self, "prog"); err != nil {
		t.Skip(err)
	}
	for name, text := range map[string]string{"saved/cpu.pprof": "x", "saved/trace.out": "x", "saved/other.out": "x",
		"pkg/main.go": "package main", "pkg/cpu.pprof": "x", "notes": "x"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700),
			os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for word, want := range map[string]Target{
		"http://localhost:6060": Address("http://localhost:6060"),
		run:                     StoredDesign{Dir: run},
		"saved":                 Files{"saved/cpu.pprof", "saved/trace.out"},
		"saved/cpu.pprof":       Files{"saved/cpu.pprof"},
		"pkg":                   Package{Pattern: "pkg"},
		"pkg/main.go":           Package{Pattern: "pkg/main.go"},
		"./nowhere":             Package{Pattern: "./nowhere"},
		"example.com/x":         Package{Pattern: "example.com/x"},
		"./...":                 Package{Pattern: "./..."},
		"./pkg/...":             Package{Pattern: "./pkg/..."},
		"prog":                  Command{"./prog"},
		self:                    Command{self},
		"notes":                 Files{"notes"},
	} {
		if got, err := ParseTarget(t.Context(), word); err != nil ||
			fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
			t.Errorf("%s is %#v, %v; want %#v", word, got, err, want)
		}
	}
	if got, err := ParseTarget(t.Context(), "me:secret@host.pprof"); got != nil || err == nil ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, %v", got, err)
	}
}
