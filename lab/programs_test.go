package lab_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/workload"
)

// withPeer returns the workload counter, whose design fine belongs to another program, which is this one too. sum is
// the checksum of its file.
func withPeer(t *testing.T, sum string) *workload.Workload {
	t.Helper()
	w := counters()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	peer := w.Designs[1]
	peer.Worlds, peer.OnRequest = workload.LiveOnly, true
	peer.Program = &workload.Program{File: exe, SHA256: sum, Version: "v1.2.3"}
	w.Designs = w.Designs[:1]
	w.More = func() ([]workload.Design, error) { return []workload.Design{peer}, nil }
	return w
}

// TestProgram measures a design of another program, interrupted after a block, and checks that the run continues only
// with the same program, and is read without it.
func TestProgram(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sum, err := input.Sum(t.Context(), exe, input.Program)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := lab.MeasureOptions{NoPredictions: true, DesignOptions: lab.DesignOptions{
		Designs: []string{"coarse", "fine"}, Levels: map[string]string{"cpus": "1", "workers": "1"}, Count: 2,
		Duration: 5 * time.Millisecond, Warmup: -1, Output: filepath.Join(t.TempDir(), "run"),
		Notify: func(e lab.Event) {
			if p, ok := e.(lab.Progress); ok && p.Trials != nil {
				cancel()
			}
		}}}
	run, _ := lab.Measure(ctx, withPeer(t, sum), o)
	if run == nil || len(run.Trials) != 4 || !run.Interrupted {
		t.Fatalf("%+v", run)
	}

	journal, err := os.ReadFile(filepath.Join(run.Dir, "journal.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	var first struct {
		Header struct {
			Programs []struct{ File, SHA256, Version string }
		}
	}
	line, _, _ := strings.Cut(string(journal), "\n")
	if err := json.Unmarshal([]byte(line), &first); err != nil || len(first.Header.Programs) != 1 ||
		first.Header.Programs[0].SHA256 != sum || first.Header.Programs[0].Version != "v1.2.3" {
		t.Errorf("%v, %s", err, line)
	}

	resume := func(w *workload.Workload, o lab.ResumeOptions) (*lab.Run, error) {
		return lab.Resume(t.Context(), []*workload.Workload{w}, run.Dir, o)
	}
	other := strings.Repeat("0", 64)
	if _, err := resume(withPeer(t, other), lab.ResumeOptions{}); err == nil ||
		!strings.Contains(err.Error(), "start a new run") || !strings.Contains(err.Error(), sum[:12]) {
		t.Errorf("another program: %v", err)
	}
	without := withPeer(t, sum)
	without.More = nil
	if _, err := resume(without, lab.ResumeOptions{}); err == nil || !strings.Contains(err.Error(), exe) {
		t.Errorf("no program: %v", err)
	}
	if r, err := resume(without, lab.ResumeOptions{ReadOnly: true}); err != nil || len(r.Trials) != 4 {
		t.Errorf("read without the program: %+v, %v", r, err)
	}
	r, err := resume(withPeer(t, sum), lab.ResumeOptions{})
	if err != nil || len(r.Trials) != 8 {
		t.Errorf("%+v, %v", r, err)
	}
}
