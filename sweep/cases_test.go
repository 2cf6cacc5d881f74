package sweep

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// TestListedCases: cases of a list are distinct, and paths in them are absolute, as those of levels are.
func TestListedCases(t *testing.T) {
	job := func(env.Env, plan.Point) (workload.Job, error) { return workload.Job{}, nil }
	w := &workload.Workload{Name: "mill", Factors: []plan.Factor{
		{Name: "file", Kind: plan.Text, Path: true},
		{Name: "stones", Kind: plan.Int, Default: "2"},
	}, Designs: []workload.Design{{Name: "a", Job: job, Uses: []string{"file", "stones"}}}}
	at := func(settings ...plan.Setting) plan.Case {
		one := plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)}
		return plan.Case{Design: "a", Point: plan.NewPoint(append(settings, one)...)}
	}
	file := plan.Setting{Factor: "file", Level: plan.TextLevel("corn")}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}

	got, err := Selection{CaseList: []plan.Case{at(), at(file),
		at(plan.Setting{Factor: "stones", Level: plan.IntLevel(2)})}}.Cases(w)
	want := "cpus=1 file=" + filepath.Join(dir, "corn") + " stones=2"
	if err != nil || len(got) != 2 || got[0].Point.String() != "cpus=1 stones=2" || got[1].Point.String() != want {
		t.Errorf("%v, %v", got, err)
	}

	if _, err := (Selection{CaseList: []plan.Case{}}).Cases(w); !errors.As(err, new(*plan.Refusal)) {
		t.Errorf("an empty list: %v", err)
	}
}

// TestAllCPUs: by default a design is measured on CPUs that exist, also with a larger GOMAXPROCS.
func TestAllCPUs(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.NumCPU() + 3))
	if got := AllCPUs(); got != runtime.NumCPU() {
		t.Errorf("%d CPUs by default, want %d", got, runtime.NumCPU())
	}
	runtime.GOMAXPROCS(1)
	if got := AllCPUs(); got != 1 {
		t.Errorf("%d CPUs by default of a process that may use one", got)
	}
}

// TestCompletePointLimited checks that workloads that load other machines cannot be explained.
func TestCompletePointLimited(t *testing.T) {
	s, _ := openSweep(t, at(1, 1))
	s.Workload.Limited = true
	if _, err := CompletePoint(s.Workload, at(1, 1)); err == nil ||
		!strings.Contains(err.Error(), "servers of this machine only") {
		t.Error(err)
	}
}

// TestSampleOfRemote checks that sampling is refused where every request is timed.
func TestSampleOfRemote(t *testing.T) {
	s, _ := openSweep(t, at(1, 1))
	for _, remote := range []bool{false, true} {
		s.Workload.Designs[0].Remote = remote
		c := plan.Case{Design: s.Workload.Designs[0].Name, Point: at(1, 1)}
		err := Live{Sample: 2}.CheckCases(s.Workload, []plan.Case{c})
		if (err != nil) != remote || remote && !strings.Contains(err.Error(), "sample") {
			t.Errorf("remote %t: %v", remote, err)
		}
	}
}
