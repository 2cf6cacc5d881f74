package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// stub is a target that tells of the options that it got.
type stub struct {
	got *[]string
	err error
}

func (s stub) reads() bool { return true }

func (s stub) collect(_ context.Context, o collect.Options, _ notifier) (*collect.Collected, error) {
	text, err := os.ReadFile(o.Stdin)
	*s.got = append(*s.got, fmt.Sprintf("%s %q %v %v %v", o.Dir, text, o.Duration, o.TimeLimit, o.CPUs))
	o.Progress("collecting")
	e := &evidence.Evidence{Notes: []string{"the machine is old"}}
	if filepath.Base(o.Dir) == "before" { // with a profile of more CPU time than there was
		e.Profiles = []evidence.Profile{{Kind: evidence.CPU, Types: []string{"samples/count", "cpu/nanoseconds"},
			Duration: time.Second, Samples: []evidence.Sample{{Values: []int64{1e9, 1e18}}}}}
	}
	return &collect.Collected{Evidence: e}, errors.Join(err, s.err)
}

// TestExplainBoth: both targets read the same input, have the same options, and keep their files apart.
func TestExplainBoth(t *testing.T) {
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte("milk"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var got, notes []string
	x, err := Explain(t.Context(), ExplainOptions{
		Target: stub{&got, nil}, Before: stub{&got, nil}, Stdin: in, Keep: "kept", Duration: time.Second,
		CPUs:   []int{1},
		Notify: func(e Event) { notes = append(notes, e.(Note).Text) },
	})
	if err != nil || x.Before == x.Evidence || len(x.Report.Findings) == 0 {
		t.Errorf("%+v, %v", x, err)
	}
	if want := []string{filepath.Join("kept", "before") + ` "milk" 1s 3m0s [1]`,
		filepath.Join("kept", "after") + ` "milk" 1s 3m0s [1]`}; !slices.Equal(got, want) {
		t.Errorf("collected with %q, want %q", got, want)
	}
	if len(x.Notes) != 3 || x.Notes[0] != "before: the machine is old" ||
		!strings.HasPrefix(x.Notes[1], "before: the cpu profile is left out") ||
		x.Notes[2] != "after: the machine is old" {
		t.Errorf("notes about the changes: %q", x.Notes)
	}
	if want := []string{"collecting", "collecting"}; !slices.Equal(notes, want) {
		t.Errorf("events %q, want %q", notes, want)
	}
	if _, err := Explain(t.Context(), ExplainOptions{Target: stub{&got, context.Canceled}, Stdin: in}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestExplainWarnings: what is wrong with a stored run is a Warning, which a quiet caller prints too.
func TestExplainWarnings(t *testing.T) {
	run, err := store.Open(storedRun(t))
	if err != nil {
		t.Fatal(err)
	}
	journal, err := os.OpenFile(filepath.Join(run.Dir, "journal.ndjson"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = journal.WriteString("sour milk")
	if err := errors.Join(err, journal.Close()); err != nil {
		t.Fatal(err)
	}
	var events []Event
	_, err = Explain(t.Context(), ExplainOptions{
		Target: StoredDesign{Dir: run.Dir}, Notify: func(e Event) { events = append(events, e) },
	})
	if r := (*Refusal)(nil); !errors.As(err, &r) || len(events) != 1 {
		t.Fatalf("%v, events %+v", err, events)
	}
	if w, ok := events[0].(Warning); !ok || !strings.HasPrefix(w.Text, run.Dir+" lost its end") {
		t.Errorf("%#v is not the warning", events[0])
	}
}

// TestExplainRefuses: options that cannot be carried out are refused before anything runs.
func TestExplainRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("The milk is sour.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := storedRun(t)
	w := shop()
	var got []string
	for _, c := range []struct {
		o    ExplainOptions
		want string
	}{
		{ExplainOptions{}, "--target is needed"},
		{ExplainOptions{Target: stub{&got, nil}, Duration: -time.Second}, "--duration -1s is not a positive time"},
		{ExplainOptions{Target: stub{&got, nil}, TimeLimit: -time.Second}, "--time-limit -1s is not a positive time"},
		{ExplainOptions{Target: stub{&got, nil}, CPUs: []int{1, 1000}},
			fmt.Sprintf("--cpus 1000: this machine has %d CPUs", runtime.NumCPU())},
		{ExplainOptions{Target: stub{&got, nil}, CPUs: []int{0}}, "--cpus 0: this machine has"},
		{ExplainOptions{Target: Files{text}}, "is neither a trace of Go nor a profile"},
		{ExplainOptions{Target: Command{}}, "is a command without words"},
		{ExplainOptions{Target: Command{filepath.Join(dir, "nowhere")}}, "cannot be run"},
		{ExplainOptions{Target: Address("ftp://host")}, "ftp://host"},
		{ExplainOptions{Target: Design{w, "lock", plan.Point{}}}, "--designs lock: workload shop has no such design"},
		{ExplainOptions{Target: Design{w, "locking",
			plan.NewPoint(plan.Setting{Factor: "stage", Level: plan.IntLevel(3)})}}, "stages are even"},
		{ExplainOptions{Target: Design{coffee.Workload(), "locking",
			plan.NewPoint(plan.Setting{Factor: "rate", Level: plan.FloatLevel(40)})}},
			"--rate 40 has no effect on explain, which runs designs in a closed loop"},
		{ExplainOptions{Target: StoredDesign{Dir: dir, Workloads: []*workload.Workload{w}}}, dir},
		{ExplainOptions{Target: StoredDesign{Dir: run}}, "is a run of shop, which is not a workload of this program"},
		{ExplainOptions{Target: StoredDesign{Dir: run, Workloads: []*workload.Workload{w}}},
			"select it with --designs, from locking, ideal"},
		{ExplainOptions{Target: StoredDesign{Dir: run, Design: "lock", Workloads: []*workload.Workload{w}}},
			"select it with --designs, from locking, ideal"},
	} {
		x, err := Explain(t.Context(), c.o)
		var r *Refusal
		if x != nil || !errors.As(err, &r) ||
			!strings.Contains(r.Text(func(field string) string { return "--" + field }), c.want) {
			t.Errorf("%+v: %v; want a refusal with %q", c.o.Target, err, c.want)
		}
	}
	if len(got) > 0 {
		t.Errorf("evidence was collected: %q", got)
	}
}

// TestExplainFirstAnswer: a report without a finding gives no note.
func TestExplainFirstAnswer(t *testing.T) {
	found := explain.Report{Findings: []explain.Finding{{Name: explain.GCPressure}}}
	for _, c := range []struct {
		report explain.Report
		traced bool
		want   string
	}{
		{explain.Report{}, true, ""},
		{explain.Report{}, false, ""},
		{found, true, "so far: gc-pressure"},
		{found, false, "so far, without a trace: gc-pressure"},
	} {
		if got := firstAnswer(c.report, c.traced); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
