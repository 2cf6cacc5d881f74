package workloadtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
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

// failureOf returns how a test fails.
func failureOf(test func(T)) string {
	f := &failure{}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(f) {
				panic(r)
			}
		}()
		test(f)
	}()
	return f.text
}

func TestPoint(t *testing.T) {
	w := &workload.Workload{Name: "cups", Factors: []plan.Factor{
		{Name: "cups", Kind: plan.Int, Default: "3", Min: 1, Max: 9},
		{Name: "milk", Kind: plan.Text, Default: "none", Words: []string{"none", "foam"}},
	}}
	if got := settingsOf([]string{"cups=4 milk=foam", "dir=/tmp/a b"}); len(got) != 3 || got[2] != "dir=/tmp/a b" {
		t.Errorf("%q", got)
	}
	p := Point(t, w, "cups=4 milk=foam")
	if p.Int("cpus") != 2 || p.Int("cups") != 4 || p.Text("milk") != "foam" {
		t.Error(p)
	}
	if p := Point(t, w, "cpus=1", "milk=foam"); p.Int("cpus") != 1 || p.Int("cups") != 3 {
		t.Error(p)
	}
	for settings, want := range map[string]string{"sugar=1": "workload cups has no factor sugar", "cups=10": "10",
		"milk=oat": "oat", "cups=1,2": "several levels"} {
		if got := failureOf(func(t T) { Point(t, w, settings) }); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", settings, got, want)
		}
	}
}

// TestAnswer checks which error each part of a trial leads to.
func TestAnswer(t *testing.T) {
	job, ran, wrong, left := errors.New("job"), errors.New("run"), errors.New("check"), errors.New("left")
	for _, c := range []struct{ job, run, check, world, want error }{{}, {job: job, want: job}, {run: ran, want: ran},
		{check: wrong, want: wrong}, {world: left}} {
		d := workload.Design{Name: "cup", Job: func(env.Env, plan.Point) (workload.Job, error) {
			return workload.Job{
				Run:   func(env.Env) error { return c.run },
				Check: func() (workload.Answer, error) { return workload.Answer{"cups": 1}, c.check },
			}, c.job
		}}
		world := func(_ string, body func(env.Env)) error { body(env.Env{}); return c.world }
		failed := failureOf(func(t T) {
			if answer, err := Answer(t, world, d, plan.Point{}); err != c.want || err == nil && answer["cups"] != 1 {
				t.Fatal("answer", answer, err)
			}
		})
		if (failed != "") != (c.world != nil) || strings.Contains(failed, "answer") {
			t.Errorf("%+v: %s", c, failed)
		}
	}
}
