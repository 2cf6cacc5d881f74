package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// lottery is a job whose workers take sections of real code from a shared stock. Its main goroutine runs some
// for no request. The answer needs all of them.
func lottery() *workload.Workload {
	build := func(e env.Env, p plan.Point) (workload.Job, error) {
		next, done, sum := env.NewAtomic[int](e, "next"), e.Group(), env.NewAtomic[int](e, "sum")
		return workload.Job{Items: 40, Run: func(e env.Env) error {
			e.Work(func() { sum.Add(int(grind(1000) & 1)) })
			for range p.Int("workers") {
				done.Go(e, "worker", func(e env.Env) {
					for piece := next.Add(1); piece <= 40; piece = next.Add(1) {
						e.For(uint64(piece))
						w := e.Begin()
						_ = grind(100 * piece)
						w.End()
						e.Work(func() { _ = grind(50) })
						e.WorkFor(time.Microsecond, func() {})
					}
				})
			}
			done.Wait()
			return nil
		}}, nil
	}
	return &workload.Workload{Name: "lottery",
		Designs: []workload.Design{{Name: "stock", Uses: []string{"workers"}, Job: build}}}
}

//go:noinline
func grind(n int) uint64 {
	x := uint64(n)
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

func lotterySpec(cpus int, seed uint64, r *Recording) Spec {
	return Spec{Workload: "lottery", Design: "stock", Seed: seed, Recording: r, Limit: time.Minute,
		Point: plan.NewPoint(
			plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)},
			plan.Setting{Factor: "workers", Level: plan.IntLevel(cpus)})}
}

func draw(t *testing.T, spec Spec) (result.Trial, string) {
	t.Helper()
	w := lottery()
	o := Simulate(spec, w, w.Designs[0], sim.Typical())
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return o.Trial, string(text)
}

// file writes a recording and reads it again.
func file(t *testing.T, r *Recording) (*Recording, string) {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	again, err := ReadRecording(&b, lottery())
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return again, text
}

// TestReplay checks that a replay equals the recorded trial byte for byte, and that a recording serves other
// numbers of CPUs.
func TestReplay(t *testing.T) {
	r := NewRecording("lottery", true)
	var recorded []string
	for seed := range uint64(2) {
		x, text := draw(t, lotterySpec(1, seed, r))
		if x.Status != result.OK || x.RealCode != result.RealRecorded || x.Metrics["real_sections"] != 81 ||
			!(x.Metrics["real_code_seconds"] > 0) {
			t.Fatalf("%s", text)
		}
		if again, same := draw(t, lotterySpec(1, seed, r)); same != text {
			t.Errorf("while it is recorded it costs something else: %+v", again)
		}
		recorded = append(recorded, text)
	}
	if r.Sections() != 162 || r.Trials() != 2 {
		t.Errorf("%d sections of %d trials", r.Sections(), r.Trials())
	}
	replay, text := file(t, r)
	for range 2 {
		for seed := range uint64(2) {
			if _, got := draw(t, lotterySpec(1, seed, replay)); got != recorded[seed] {
				t.Errorf("recorded %s\nreplayed %s", recorded[seed], got)
			}
		}
	}
	one, _ := draw(t, lotterySpec(1, 0, replay))
	two, got := draw(t, lotterySpec(2, 0, replay))
	if two.Status != result.OK || two.Metrics["real_code_seconds"] != one.Metrics["real_code_seconds"] ||
		!(two.WallSeconds < one.WallSeconds) {
		t.Errorf("on 2 CPUs %s", got)
	}
	if !strings.Contains(fmt.Sprint(two.Warnings), "memory bandwidth is not modelled") ||
		strings.Contains(fmt.Sprint(two.Warnings), "which varies between runs") {
		t.Errorf("%q", two.Warnings)
	}
	if _, same := file(t, replay); same != text {
		t.Error("written again the file is another one")
	}
	if x, _ := draw(t, lotterySpec(1, 5, replay)); x.Status != result.Failed ||
		!strings.Contains(x.Error, "no costs of stock (cpus=1 workers=1) with seed 5, only of stock (cpus=1 "+
			"workers=1) with seed 0; ") {
		t.Errorf("%+v", x)
	}
}

// TestNearestRecording checks that a trial uses its own costs first, then those with the fewest CPUs. Other
// factors must agree.
func TestNearestRecording(t *testing.T) {
	r := &Recording{sealed: true}
	at := func(cpus, size int) plan.Point {
		return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)},
			plan.Setting{Factor: "workers", Level: plan.IntLevel(2 * cpus)},
			plan.Setting{Factor: "size", Level: plan.IntLevel(size)})
	}
	for _, p := range []plan.Point{at(4, 1), at(2, 1), at(2, 2), at(8, 1)} {
		r.trials = append(r.trials, &trialCosts{design: "d", point: p, seed: 1})
	}
	for _, c := range []struct{ asked, want plan.Point }{{at(4, 1), at(4, 1)}, {at(3, 1), at(2, 1)},
		{at(8, 2), at(2, 2)}, {at(2, 3), plan.Point{}}} {
		s, err := r.find(Spec{Design: "d", Seed: 1, Point: c.asked})
		if (err == nil) != (len(c.want.Settings()) > 0) || err == nil && s.point.String() != c.want.String() {
			t.Errorf("%v: %+v, %v", c.asked, s, err)
		}
	}
	if _, err := r.find(Spec{Design: "e", Seed: 1, Point: at(4, 1)}); err == nil ||
		!strings.Contains(err.Error(), "; 1 more;") {
		t.Error(err)
	}
}

// TestMeasured checks the warning about costs that are measured and not kept. Beside other trials nothing is
// measured.
func TestMeasured(t *testing.T) {
	x, _ := draw(t, lotterySpec(1, 1, nil))
	if x.RealCode != result.RealMeasured || !strings.Contains(fmt.Sprint(x.Warnings), "which varies between runs") ||
		!strings.Contains(fmt.Sprint(x.Warnings), "less than 50us") {
		t.Errorf("%+v", x)
	}
	spec := lotterySpec(1, 1, nil)
	spec.Concurrent = true
	w := lottery()
	if o := Simulate(spec, w, w.Designs[0], sim.Costs{}); !o.MustRunAlone || o.Trial.RealCode != "" {
		t.Errorf("%+v", o)
	}
	r := NewRecording("lottery", true)
	if draw(t, lotterySpec(1, 1, r)); r.Sections() == 0 {
		t.Fatal("nothing is recorded")
	}
	replay, _ := file(t, r)
	spec.Recording = replay
	if o := Simulate(spec, w, w.Designs[0], sim.Costs{}); o.MustRunAlone || o.Trial.Status != result.OK {
		t.Errorf("%+v", o)
	}
}

// TestRecordingEnds checks the error of a replay that needs more sections than were recorded, and of a
// recording that becomes too large.
func TestRecordingEnds(t *testing.T) {
	r := NewRecording("lottery", true)
	draw(t, lotterySpec(1, 1, r))
	replay, _ := file(t, r)
	replay.trials[0].costs[sectionKey{17, "worker"}] = nil
	if x, _ := draw(t, lotterySpec(3, 1, replay)); x.Status != result.Failed ||
		!strings.Contains(x.Error, "has 0 sections of real code of request 17 in goroutine worker, but "+
			"the run needs one more") {
		t.Errorf("%+v", x)
	}
	r.n = maxSections - 3
	if x, _ := draw(t, lotterySpec(1, 2, r)); x.Status != result.Failed ||
		!strings.Contains(x.Error, "more than 2097152 sections") {
		t.Errorf("%+v", x)
	}
}

// TestRealCodeIsNeverExact checks that measured costs that happen to be equal do not make a trial exact.
func TestRealCodeIsNeverExact(t *testing.T) {
	for _, real := range []bool{false, true} {
		op := func(e env.Env, _ uint64) { e.WorkFor(time.Millisecond, func() {}) }
		if real {
			op = func(e env.Env, _ uint64) { e.Work(func() {}) }
		}
		d := workload.Design{Name: "d", Stream: func(env.Env, plan.Point) (
			workload.Stream, error) {
			return workload.Stream{Op: op}, nil
		}}
		spec := lotterySpec(1, 1, &Recording{sealed: true})
		spec.Design, spec.Warmup, spec.Duration = "d", 20*time.Millisecond, 20*time.Millisecond
		costs := map[sectionKey][]time.Duration{}
		for request := range uint64(100) {
			costs[sectionKey{request, "worker"}] = []time.Duration{time.Millisecond}
		}
		spec.Recording.trials = []*trialCosts{{design: "d", point: spec.Point, seed: 1, costs: costs}}
		x := Simulate(spec, &workload.Workload{Name: "test"}, d, sim.Costs{}).Trial
		if x.Status != result.OK || !(x.Metrics[result.Throughput] > 900) || (x.Period == nil) != real {
			t.Errorf("real %v: %+v", real, x)
		}
		// The cost of real code covers the window, like CPU time, and not the warm-up.
		if code, cpu := x.Metrics["real_code_seconds"], x.Metrics[result.CPUSeconds]; real &&
			(x.Metrics["real_sections"] != 20 || code != 0.02 || cpu != 0.02) {
			t.Errorf("%v sections of %vs in %vs of CPU time", x.Metrics["real_sections"], code, cpu)
		}
	}
}

// split is a job in which each worker does its share of the work in one section.
func split(e env.Env, p plan.Point) (workload.Job, error) {
	done, workers := e.Group(), p.Int("workers")
	return workload.Job{Items: 40, Run: func(e env.Env) error {
		for range workers {
			done.Go(e, "worker", func(e env.Env) {
				e.Work(func() { _ = grind(4000 / workers) })
			})
		}
		done.Wait()
		return nil
	}}, nil
}

// TestReplayLosesNoWork checks that a job with fewer, larger sections is not replayed with those of more
// workers, some of which would be left. Its own replays are complete, and so are those of a recording to which
// other schedules have added.
func TestReplayLosesNoWork(t *testing.T) {
	w := &workload.Workload{Name: "lottery",
		Designs: []workload.Design{{Name: "stock", Uses: []string{"workers"}, Job: split}}}
	run := func(cpus int, r *Recording) result.Trial {
		return Simulate(lotterySpec(cpus, 1, r), w, w.Designs[0], sim.Typical()).Trial
	}
	r := NewRecording("lottery", true)
	if x := run(4, r); x.Status != result.OK || x.Metrics["real_sections"] != 4 {
		t.Fatalf("%+v", x)
	}
	replay, _ := file(t, r)
	if x := run(4, replay); x.Status != result.OK {
		t.Errorf("%+v", x)
	}
	const want = "the recording of stock (cpus=4 workers=4) has 4 sections of real code, but the job " +
		"ended after 2 of them"
	if x := run(2, replay); x.Status != result.Failed || !strings.Contains(x.Error, want) || x.WallSeconds != 0 {
		t.Errorf("half of the work is gone: %+v", x)
	}
	r.trials[0].costs[sectionKey{env.NoRequest, "worker#9"}] = []time.Duration{time.Millisecond}
	r.n++
	replay, text := file(t, r)
	if !strings.Contains(text, `"sections":5,"job_sections":4`) {
		t.Error(text)
	}
	if x := run(4, replay); x.Status != result.OK {
		t.Errorf("what another schedule added counts: %+v", x)
	}
	if x := run(2, replay); x.Status != result.Failed || !strings.Contains(x.Error, want) {
		t.Errorf("%+v", x)
	}
}

const goodCosts = `{"kind":"costs","schema_version":1,"workload":"lottery","clock":"thread-cpu","trials":2}
{"kind":"section_costs","design":"stock","point":{"cpus":1,"workers":1},"seed":"7","sections":3}
{"goroutine":"worker","request":4,"ns":[5,6]}
{"goroutine":"load","ns":[900]}
{"kind":"section_costs","design":"empty","point":{"cpus":1},"seed":"7","sections":0}
`

func TestReadRecording(t *testing.T) {
	r, err := ReadRecording(strings.NewReader(goodCosts), lottery())
	if err != nil || r.Sections() != 3 || r.Trials() != 2 || r.Workload != "lottery" {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"kind":"costs"`, `"kind":"cost"`, "line 1: this is not a file of costs; record one"},
		{goodCosts, "", "line 0: the file ends here with 0 of 0 trials"},
		{`"schema_version":1`, `"schema_version":2`, "line 1: the file has version 2"},
		{`"thread-cpu"`, `"sun"`, `line 1: there is no clock "sun"`},
		{`"trials":2`, `"trials":3`, "line 5: the file ends here with 2 of 3 trials: it was truncated"},
		{`"sections":3`, `"sections":4`, "line 5: 1 sections of stock"},
		{`"sections":3`, `"sections":2`, "line 4: 1 sections that belong to no trial"},
		{`"sections":3`, `"sections":-3`, "line 2: -3 sections are out of range"},
		{`"sections":3`, `"sections":9000000`, "line 2: 9000000 sections are out of range"},
		{`"seed":"7","sections":3`, `"seed":"x","sections":3`, "line 2: it was truncated"},
		{`{"cpus":1,"workers":1}`, `{"workers":1}`, "line 2: the point (workers=1) has no number of cpus"},
		{`{"cpus":1,"workers":1}`, `{"cpus":1,"milk":1}`, `has no factor "milk"`},
		{`"design":"empty","point":{"cpus":1}`, `"design":"stock","point":{"cpus":1,"workers":1}`,
			"line 5: stock (cpus=1 workers=1) with seed 7 is there twice"},
		{`[900]`, `[-900]`, "line 4: a cost of -900 ns"},
		{`[900]`, `[3600000000001]`, "line 4: a cost of 3600000000001 ns"},
		{`"sections":3}`, `"sections":3,"job_sections":4}`, "line 2: 4 of 3 sections"},
		{`"sections":3}`, `"sections":3,"job_sections":-1}`, "line 2: -1 of 3 sections"},
		{`[900]`, `[]`, "line 4: 0 sections"},
		{`{"goroutine":"load","ns":[900]}`, `{"kind":"tea"}`, `line 4: a line of kind "tea"`},
		{`{"goroutine":"load","ns":[900]}`, `not JSON`, "line 4: this is not a file of costs"},
		{`"load"`, `"` + strings.Repeat("x", maxLine) + `"`, "line 4 is longer than 1048576 bytes"},
	} {
		text := strings.Replace(goodCosts, c.old, c.new, 1)
		if _, err := ReadRecording(strings.NewReader(text), lottery()); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %q", c.new[:min(len(c.new), 40)], c.old[:min(len(c.old), 40)], err, c.want)
		}
	}
	if _, err := ReadRecording(os.NewFile(^uintptr(0), "closed"), lottery()); err == nil {
		t.Error("a file that cannot be read is empty")
	}
}

// TestLongTrials checks that no trial reaches the end of virtual time.
func TestLongTrials(t *testing.T) {
	for _, c := range []struct {
		before time.Duration
		good   bool
	}{{maxTrial - 11, true}, {maxTrial - 10, false}} {
		p := parser{last: &trialCosts{costs: map[sectionKey][]time.Duration{}}, left: 2, sum: c.before}
		if err := p.section([]byte(`{"goroutine":"load","ns":[5,6]}`)); (err == nil) != c.good ||
			err != nil && !strings.Contains(err.Error(), "more than") {
			t.Errorf("%v before: %v", c.before, err)
		}
	}
	r := NewRecording("lottery", true)
	s := &trialCosts{design: "d", costs: map[sectionKey][]time.Duration{}}
	if _, err := r.cost(s, sectionKey{}, 0, maxSection+1); err == nil || r.n > 0 {
		t.Error("a section is kept that no file may have")
	}
}

// FuzzReadRecording checks that no text causes a panic, and that an accepted recording is the same after it was
// written and read.
func FuzzReadRecording(f *testing.F) {
	f.Add(goodCosts)
	f.Add(strings.ReplaceAll(goodCosts, "7", "18446744073709551615"))
	f.Add(`{"kind":"costs","schema_version":1,"trials":0}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ReadRecording(strings.NewReader(text), lottery())
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := r.Write(&first); err != nil {
			t.Fatal(err)
		}
		written := first.String()
		again, err := ReadRecording(&first, lottery())
		if err != nil {
			t.Fatalf("%v in what was written of %q:\n%s", err, text, written)
		}
		if err := again.Write(&second); err != nil || second.String() != written {
			t.Errorf("written\n%s\nand again\n%s", written, second.String())
		}
	})
}
