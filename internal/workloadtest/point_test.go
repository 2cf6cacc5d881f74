package workloadtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// failure records the first failure of a test, which ends by a panic.
type failure struct{ text string }

func (*failure) Helper() {}

func (f *failure) Fatal(args ...any) {
	f.text = fmt.Sprintln(args...)
	panic(f)
}

func TestPoint(t *testing.T) {
	w := &workload.Workload{Name: "cups", Factors: []plan.Factor{
		{Name: "cups", Kind: plan.Int, Default: "3", Min: 1, Max: 9},
		{Name: "milk", Kind: plan.Text, Default: "none", Words: []string{"none", "foam"}},
	}}
	p := Point(t, w, "cups=4 milk=foam")
	if p.Int("cpus") != 2 || p.Int("cups") != 4 || p.Text("milk") != "foam" {
		t.Error(p)
	}
	if p := Point(t, w, "cpus=1", "milk=foam"); p.Int("cpus") != 1 || p.Int("cups") != 3 {
		t.Error(p)
	}
	for settings, want := range map[string]string{"sugar=1": "workload cups has no factor sugar", "cups=10": "10",
		"milk=oat": "oat", "cups=1,2": "several levels"} {
		if got := refused(w, settings); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", settings, got, want)
		}
	}
}

// refused returns how a test with these settings fails.
func refused(w *workload.Workload, settings string) string {
	f := &failure{}
	func() {
		defer func() { _ = recover() }()
		Point(f, w, settings)
	}()
	return f.text
}
