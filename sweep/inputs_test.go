package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// withFiles returns a sweep of a workload with files in a new directory, as a run stores it.
func withFiles(t *testing.T, names ...string) *Sweep {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range names {
		overwrite(t, name, name)
	}
	s := testSweep(&memory{}, succeed)
	s.Workload.Files = func() []string { return append(names, "missing", names[0], ".") }
	var err error
	s.Header.Inputs, err = WorkloadInputs(t.Context(), s.Workload)
	if err != nil || len(s.Header.Inputs) != len(names) {
		t.Fatal(s.Header.Inputs, err)
	}
	return s
}

// overwrite writes a file with the same time of modification as before, so that only its content or size differs.
func overwrite(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
}

// TestInputsOfResumedRun: a run goes on only with the files with which it began.
func TestInputsOfResumedRun(t *testing.T) {
	s := withFiles(t, "body", "server")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if f := s.Header.Inputs[0]; f.Path != filepath.Join(here, "body") || len(f.SHA256) != 64 {
		t.Errorf("%+v", f)
	}
	resumed := func(says string) {
		t.Helper()
		s.inputs = nil // as in another process
		if err := s.ReloadInputs(t.Context()); (err == nil) != (says == "") || err != nil &&
			!strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	resumed("")
	overwrite(t, "server", "other!")
	resumed("/server has changed since the run began, so further trials would measure something else; restore it and")
	overwrite(t, "server", "server")
	resumed("")
	t.Chdir(t.TempDir())
	elsewhere := "/body, which its options do not name here; continue it in the directory in which it began, or start"
	resumed(elsewhere)
	overwrite(t, "body", "body")
	overwrite(t, "server", "server")
	resumed(elsewhere)
	t.Chdir(here)
	s.Workload.Files = func() []string { return []string{"server", "body"} }
	resumed("")
	if err := os.Remove("body"); err != nil {
		t.Fatal(err)
	}
	resumed("a file with which the run began cannot be used: stat " + here + "/body: no such file")
	overwrite(t, "body", "body")
	s.Workload.Files = nil
	resumed(elsewhere)
	s.Header.Inputs = nil
	resumed("")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s = withFiles(t, "body")
	if _, err := WorkloadInputs(ctx, s.Workload); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.unchangedInputs(ctx); err != context.Canceled {
		t.Error(err)
	}
}

// TestInputChangesDuringRun: no trial is stored if a file has changed before its end, also the last one of the run. The
// same content may be written again. A complete run can be read again whatever became of its files.
func TestInputChangesDuringRun(t *testing.T) {
	const changed = "/server has changed since the run began"
	const unusable = "a file with which the run began cannot be used: "
	for _, x := range []struct {
		change, says string
		at           int // of 12 trials
	}{
		{"", "", 6}, {"same", "", 6}, {"other", changed, 6}, {"length", changed, 6}, {"remove", unusable, 6},
		{"other", changed, 12}, {"other", changed, 1},
	} {
		s := withFiles(t, "body", "server")
		ran := 0
		s.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
			if ran++; ran != x.at {
				return succeed(ctx, spec)
			}
			switch x.change {
			case "same":
				if err := os.WriteFile("server", []byte("server"), 0o666); err != nil {
					t.Fatal(err)
				}
			case "other":
				if err := os.WriteFile("server", []byte("sErver"), 0o666); err != nil {
					t.Fatal(err)
				}
			case "length":
				overwrite(t, "server", "servers")
			case "remove":
				if err := os.Remove("server"); err != nil {
					t.Fatal(err)
				}
			}
			return succeed(ctx, spec)
		}
		trials, err := s.Execute(t.Context())
		if x.says == "" && (err != nil || len(trials) != 12) || x.says != "" && (err == nil ||
			!strings.Contains(err.Error(), x.says) || len(s.Store.(*memory).trials) != x.at-1) {
			t.Errorf("%+v: %d trials, %v", x, len(trials), err)
		}
		if x.change != "" {
			continue
		}
		overwrite(t, "server", "another")
		s.Restore(trials, map[int]int{0: 4, 1: 4, 2: 4}, true)
		if again, err := s.Execute(t.Context()); err != nil || len(again) != 12 {
			t.Errorf("a complete run: %d trials, %v", len(again), err)
		}
	}
}

// TestDifferencesInputs: files of the workload are compared by their checksums, wherever they are.
func TestDifferencesInputs(t *testing.T) {
	of := func(path, sum string) *Header {
		return measured(func(h *Header) { h.Inputs = []InputFile{{Path: path, SHA256: strings.Repeat(sum, 32)}} })
	}
	differences, _, err := of("/new/server", "ab").Differences(of("/old/server", "cd"))
	if want := (result.Difference{Name: "content of server", A: "abababababab", B: "cdcdcdcdcdcd"}); err != nil ||
		len(differences) != 1 || differences[0] != want {
		t.Errorf("%v, %v", differences, err)
	}
	two := func(a, b string) *Header {
		return measured(func(h *Header) { h.Inputs = []InputFile{{"/a/server", a}, {"/b/server", b}} })
	}
	differences, _, err = two("ab", "cd").Differences(two("ab", "ef"))
	if want := (result.Difference{Name: "content of server", A: "cd", B: "ef"}); err != nil || len(differences) != 1 ||
		differences[0] != want {
		t.Errorf("of two: %v, %v", differences, err)
	}
	if differences, _, err := two("ab", "cd").Differences(two("ab", "cd")); err != nil || len(differences) != 0 {
		t.Errorf("of the same two: %v, %v", differences, err)
	}
	for _, b := range []*Header{of("/old/server", "ab"), of("/old/other", "cd"), measured(nil)} {
		if differences, _, err := of("/new/server", "ab").Differences(b); err != nil || len(differences) != 0 {
			t.Errorf("%v, %v", differences, err)
		}
	}
}
