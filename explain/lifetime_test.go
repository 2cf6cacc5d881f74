package explain

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// preparedCase is a pipeline that lives in the second half of a second: a reader, a stage that is busy for 480 ms, and
// one that adds up. Before, main prepares the input; with alone it is also the reader.
func preparedCase(alone bool) *testCase {
	c := newCase()
	c.demand(2, 500, 150, 348)
	main := c.class("main.main", 1, 1, 560*time.Millisecond, 500*time.Millisecond)
	read := main
	if !alone {
		c.evidence.Trace.Classes[main].Running = 500 * time.Millisecond
		read = c.class("main.read", 1, 1, 60*time.Millisecond, 0)
		c.evidence.Trace.Classes[read].Members[0].Born = 500 * time.Millisecond
	}
	stage := c.class("main.transform", 1, 1, 480*time.Millisecond, 0)
	total := c.class("main.total", 1, 1, 50*time.Millisecond, 0)
	for _, i := range []int{stage, total} {
		c.evidence.Trace.Classes[i].Members[0].Born = 500 * time.Millisecond
	}
	c.wait(evidence.OpSend, read, 900, 400*time.Millisecond, stage, "runtime.chansend1", "main.read:4")
	c.wait(evidence.OpReceive, total, 900, 400*time.Millisecond, stage, "runtime.chanrecv2", "main.total:6")
	c.wait(evidence.OpReceive, stage, 17, 10*time.Millisecond, read, "runtime.chanrecv2", "main.transform:5")
	c.evidence.Runs[0].User = 1090 * time.Millisecond
	return c
}

// TestStageAfterPreparation: whether main or a goroutine of its own feeds the pipeline, the stage gains the same.
func TestStageAfterPreparation(t *testing.T) {
	for _, alone := range []bool{false, true} {
		f := preparedCase(alone).first()
		if f.Name != StageLimited || f.Gain == nil || f.Gain.Estimate < 0.35 || f.Gain.Estimate > 0.4 ||
			!strings.Contains(strings.Join(f.Evidence, "\n"), "is busy 12%") {
			t.Errorf("main reads: %v: %s, gain %+v, %q", alone, f.Name, f.Gain, f.Evidence)
		}
	}
}

// TestStageOutside: the stage before computes for 600 ms, of which 540 may be while the stage waits outside the
// program. Then a second goroutine of this stage saves little. If most of the 600 ms are preparation, it saves more.
func TestStageOutside(t *testing.T) {
	for _, outside := range []time.Duration{540, 260} {
		c := newCase()
		c.demand(100, 820, 80)
		read := c.class("main.read", 1, 1, 600*time.Millisecond, 600*time.Millisecond)
		store := c.class("main.store", 1, 1, (560-outside)*time.Millisecond, 0)
		c.evidence.Trace.Classes[store].Members[0].Born = 400 * time.Millisecond
		c.evidence.Trace.Classes[store].Members[0].External = outside * time.Millisecond
		c.wait(evidence.OpSend, read, 400, 350*time.Millisecond, store, "runtime.chansend1", "main.read:4")
		c.wait(evidence.OpReceive, store, 20, 10*time.Millisecond, read, "runtime.chanrecv2", "main.store:5")
		if f := c.first(); (f.Name == StageLimited) != (outside == 260) {
			t.Errorf("%d of 600 ms outside: %s, gain %+v", outside, f.Name, f.Gain)
		}
	}
}

// TestStageBesideShorterStage: a reader that is as busy as the limiting stage, but only for 400 of 1000 ms, does not
// hide it.
func TestStageBesideShorterStage(t *testing.T) {
	for _, used := range []time.Duration{380, 390} { // the second is busier in its life than the limiting stage
		c := newCase()
		c.demand(2, 500, 498)
		c.class("main.main", 1, 1, time.Millisecond, 0)
		read := c.class("main.read", 1, 1, used*time.Millisecond, 0)
		c.evidence.Trace.Classes[read].Members[0].Ended = 400 * time.Millisecond
		stage := c.class("main.transform", 1, 1, 960*time.Millisecond, 0)
		total := c.class("main.total", 1, 1, 100*time.Millisecond, 0)
		c.wait(evidence.OpSend, read, 900, 15*time.Millisecond, stage, "runtime.chansend1", "main.read:4")
		c.wait(evidence.OpReceive, total, 900, 800*time.Millisecond, stage, "runtime.chanrecv2", "main.total:6")
		c.wait(evidence.OpReceive, stage, 17, 10*time.Millisecond, read, "runtime.chanrecv2", "main.transform:5")
		c.evidence.Runs[0].User = 1440 * time.Millisecond
		if f := c.first(); f.Name != StageLimited || !strings.Contains(f.Claim, "transform") {
			t.Errorf("the reader computes for %d ms: %s: %s", used, f.Name, f.Claim)
		}
	}
}

// TestLockstepBesideShorterStage: a helper that is busy in its short life changes neither the gain of two stages that
// wait for each other in turns, nor hides them.
func TestLockstepBesideShorterStage(t *testing.T) {
	build := func(helper time.Duration) *testCase {
		c := pipeline(600, 550)
		c.evidence.Trace.Resources = []evidence.Resource{{Kind: evidence.ResourceChannel, Count: 1000, Busy: second,
			Starved: 700 * time.Millisecond, Full: 300 * time.Millisecond, Empty: 300 * time.Millisecond,
			FullCount: 500, EmptyCount: 500, Sites: [][]evidence.Frame{frames("main.f:5")}}}
		if helper > 0 {
			h := c.class("main.helper", 1, 1, helper*time.Millisecond, 0)
			c.evidence.Trace.Classes[h].Members[0].Ended = 400 * time.Millisecond
			c.wait(evidence.OpReceive, h, 20, time.Millisecond, 1, "runtime.chanrecv2", "main.helper:6")
		}
		return c
	}
	want := build(0).first()
	for _, helper := range []time.Duration{365, 390} {
		f := build(helper).first()
		if f.Name != UnbufferedLockstep || f.Gain == nil || f.Gain.Estimate != want.Gain.Estimate {
			t.Errorf("helper of %d ms: %s, gain %+v; without it %s, %+v", helper, f.Name, f.Gain, want.Name, want.Gain)
		}
	}
}

// TestChangesOfBothReports: a finding that the evidence of both sides alone would show, but that its own report rules
// out by more evidence, is no change.
func TestChangesOfBothReports(t *testing.T) {
	build := func(onOne time.Duration) *testCase {
		c := wideCase()
		c.evidence.Profiles = nil
		c.evidence.Runs[0].User = 1980 * time.Millisecond
		c.evidence.Runs = append(c.evidence.Runs, evidence.Run{CPUs: 1, MachineCPUs: 2, Count: 3, Wall: onOne,
			User: onOne})
		return c
	}
	before, after := build(1980*time.Millisecond), build(second)
	after.cpu(110, "main.f:5", "main.worker:3")
	after.cpu(90, "runtime.lock2", "sync.(*Mutex).Lock", "main.f:6", "main.worker:3")
	for _, pair := range [][2]*testCase{{before, after}, {after, before}} {
		for _, c := range Changes(&pair[0].evidence, &pair[1].evidence) {
			name, ok := strings.CutPrefix(c.Name, "finding ")
			if in := slices.Contains(pair[0].names(), name); ok && in == slices.Contains(pair[1].names(), name) {
				t.Errorf("%+v; reports: %v and %v", c, pair[0].names(), pair[1].names())
			}
		}
	}
}

// TestLockstepAfterPreparation: whether main or a goroutine of its own feeds two stages in lockstep, only the time of
// the pipeline can be saved.
func TestLockstepAfterPreparation(t *testing.T) {
	build := func(mainFeeds bool) *testCase {
		c := newCase()
		c.demand(200, 700, 100)
		main := c.class("main.main", 1, 1, 560*time.Millisecond, 500*time.Millisecond)
		feed := main
		if !mainFeeds {
			c.evidence.Trace.Classes[main].Running = 500 * time.Millisecond
			feed = c.class("main.feed", 1, 1, 60*time.Millisecond, 0)
		}
		total := c.class("main.total", 1, 1, 350*time.Millisecond, 0)
		for _, i := range []int{feed, total} {
			if x := &c.evidence.Trace.Classes[i]; i != main {
				x.First, x.Members[0].Born = 500*time.Millisecond, 500*time.Millisecond
			}
		}
		c.wait(evidence.OpSend, feed, 900, 300*time.Millisecond, total, "runtime.chansend1", "main.feed:4")
		c.wait(evidence.OpReceive, total, 900, 150*time.Millisecond, feed, "runtime.chanrecv2", "main.total:6")
		c.evidence.Trace.Resources = []evidence.Resource{{Kind: evidence.ResourceChannel, Count: 1000, Busy: second,
			Starved: 300 * time.Millisecond, Full: 300 * time.Millisecond, Empty: 150 * time.Millisecond,
			FullCount: 500, EmptyCount: 500, Sites: [][]evidence.Frame{frames("main.f:5")}}}
		return c
	}
	for _, mainFeeds := range []bool{false, true} {
		f := build(mainFeeds).first()
		if f.Name != UnbufferedLockstep || f.Gain == nil || f.Gain.Estimate > 0.151 ||
			f.Gain.Estimate < 0.1 {
			t.Errorf("main feeds: %v: %s, gain %+v; 350 of 500 ms remain", mainFeeds, f.Name, f.Gain)
		}
	}
}

// TestLeastTime: preparation adds to what a stage waits for outside the program only if it happens before or after it.
func TestLeastTime(t *testing.T) {
	c := newCase()
	c.demand(2, 500, 498)
	c.class("main.main", 1, 1, 500*time.Millisecond, 500*time.Millisecond)
	call := c.class("main.call", 1, 1, 50*time.Millisecond, 0)
	a := newAnalysis(&c.evidence)
	for _, x := range []struct {
		life, external float64
		want           float64
	}{{0.5, 0, 0.55}, {0.5, 0.7, 0.9}, {1, 0.7, 0.75}, {1, 0.2, 0.55}} {
		s := stage{&c.evidence.Trace.Classes[call], x.life, 0.05/x.life + x.external, x.external, true}
		if got := a.leastTime(s, []stage{s}); math.Abs(got-x.want) > 1e-9 {
			t.Errorf("life %v, external %v: %v, not %v", x.life, x.external, got, x.want)
		}
	}

	// What a waiting consumer does alone, once its producer began, is no preparation for the producer.
	feed := stage{&evidence.Class{First: 500 * time.Millisecond}, 0.5, 0.2, 0, true}
	total := stage{class: &evidence.Class{Alone: 200 * time.Millisecond}, life: 1}
	if got := a.leastTime(feed, []stage{feed, total}); math.Abs(got-0.6) > 1e-9 {
		t.Errorf("beside a consumer that began first: %v", got)
	}

	// Two earlier stages cannot both have prepared in the time before this one.
	none := newCase()
	none.demand(1000)
	early := stage{class: &evidence.Class{Alone: 300 * time.Millisecond}, life: 1}
	s := stage{&evidence.Class{First: 300 * time.Millisecond}, 0.7, 0.5, 0, true}
	if got := newAnalysis(&none.evidence).leastTime(s, []stage{early, early, s}); math.Abs(got-0.65) > 1e-9 {
		t.Errorf("after two earlier stages: %v", got)
	}

	// A later stage prepares nothing, and a short one no more than its time alone.
	late := stage{class: &evidence.Class{First: 600 * time.Millisecond, Alone: 300 * time.Millisecond}, life: 0.4}
	brief := stage{class: &evidence.Class{Alone: 100 * time.Millisecond}, life: 1}
	if got := newAnalysis(&none.evidence).leastTime(s, []stage{brief, late, s}); math.Abs(got-0.45) > 1e-9 {
		t.Errorf("after a brief and before a late stage: %v", got)
	}
}

// TestKeptByMain: what the main function holds until it returns is no longer in the heap profile, but was live before.
func TestKeptByMain(t *testing.T) {
	for live, kept := range map[float64]bool{0: false, 40000: false, 70000: true, 1e6: false} {
		c := makes(60, 90000, "runtime.mallocgc", "main.f:3", "main.worker:9")
		c.evidence.Runs[0].Metrics = map[string]float64{"/gc/heap/live:bytes": live}
		if live > 1e5 { // a table that the package makes before main
			h := &c.evidence.Profiles[1]
			h.Samples = append(h.Samples, evidence.Sample{Values: []int64{1, 1e6},
				Stack: frames("main.init", "runtime.doInit1")})
		}
		a := newAnalysis(&c.evidence)
		at := evidence.Frame{Function: "main.f", File: "/src/prog/main.go", Line: 3}
		if a.keeps(a.allocatedAt("alloc_space/bytes", at), a.allocatedAt("inuse_space/bytes", at)) != kept {
			t.Errorf("%v of 90000 bytes live, all others allocated 10000: %v", live, !kept)
		}
	}
}
