package identity

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	trial.Main(Workload())
	seeded.Fix()
	os.Exit(m.Run())
}

// TestDesigns checks every design, live and in virtual time: identities increase, and none is issued twice.
func TestDesigns(t *testing.T) {
	w := Workload()
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Designs {
		for _, settings := range []string{"calls=5000", "calls=1 callers=3", "calls=2000 callers=1 overhead=0s",
			"calls=3000 callers=40 mailbox=0", "calls=200 reply=10us lease=1 mailbox=1 delay=10us"} {
			p := workloadtest.Point(t, w, settings)
			o := workloadtest.Live(t, w, d, p)
			for world, x := range map[string]result.Trial{"live": o.Trial,
				"virtual": workloadtest.Virtual(w, d, p, 1, sim.Costs{})} {
				m := x.Metrics
				if !x.Good() || d.Expect != workload.Bound &&
					(m.Get("rejected") != 0 || d.Name != "leased" && m.Get("skipped") != 0) {
					t.Errorf("%s in %s at %s: %s %s\n%s", d.Name, world, settings, x.Status, x.Error, o.Failure)
				}
			}
		}
	}
}

// TestDesignsOnAnyPoint runs random points in virtual time, where the seed changes the scheduling decisions.
func TestDesignsOnAnyPoint(t *testing.T) {
	w := Workload()
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string, from, to int) string {
			return fmt.Sprintf("%s=%d", name, rapid.IntRange(from, to).Draw(t, name))
		}
		d := rapid.SampledFrom(w.Designs).Draw(t, "design")
		p := workloadtest.Point(t, w, n("calls", 1, 400), n("callers", 1, 30), n("mailbox", 0, 5),
			n("lease", 1, 9), n("cpus", 1, 4),
			"when-full="+rapid.SampledFrom([]string{"block", "reject"}).Draw(t, "full"),
			"reply="+rapid.SampledFrom([]string{"0s", "1us"}).Draw(t, "reply"),
			"overhead="+rapid.SampledFrom([]string{"0s", "1us"}).Draw(t, "overhead"),
			"delay="+rapid.SampledFrom([]string{"0s", "1us", "1ms"}).Draw(t, "delay")).Only(w.FactorsOf(d))
		costs := sim.Costs{}
		if rapid.Bool().Draw(t, "costs") {
			var err error
			if costs, err = sim.ParseCosts("chan=100ns,lock=20ns"); err != nil {
				t.Fatal(err)
			}
		}
		x := workloadtest.Virtual(w, d, p, rapid.Uint64().Draw(t, "seed"), costs)
		if !x.Good() {
			t.Fatalf("%s at %s: %s %s", d.Name, p, x.Status, x.Error)
		}
	})
}

// TestRejects checks that a full mailbox rejects calls if it is told to, and that each rejected call is counted.
func TestRejects(t *testing.T) {
	w := Workload()
	d, _ := w.Find("actor")
	p := workloadtest.Point(t, w, "when-full=reject mailbox=1 callers=20 calls=400 reply=10us")
	x := workloadtest.Virtual(w, d, p, 1, sim.Costs{})
	if rejected := x.Metrics.Get("rejected"); !x.Good() || !(rejected > 0 && rejected < 400) {
		t.Errorf("%v of 400 calls were rejected: %s %s", rejected, x.Status, x.Error)
	}
}

// TestCheck checks that the check finds identities that were issued twice, that decrease, and calls without a reply.
func TestCheck(t *testing.T) {
	for issued, want := range map[string]string{
		"1 2 / 3": "", "1 9 / 3": "", "1 2 / 2": "identity 2 was issued twice, one of them to caller 2",
		"1 / 2 1": "call 2 of caller 2 got the identity 1, after 2",
		"1 1 / 2": "call 2 of caller 1 got the identity 1, after 1",
		"0 1 / 2": "got the identity 0", "1 2 /": "2 of 3 calls", "1 2 / 9000000000000000": "too large",
		"1 2 / 17179869185": "too large", // above 2 GiB of bits
	} {
		o := &output{}
		for _, caller := range strings.Split(issued, "/") {
			var c tally
			for _, id := range strings.Fields(caller) {
				n := uint64(0)
				fmt.Sscan(id, &n)
				c.held = append(c.held, n)
			}
			o.callers = append(o.callers, c)
		}
		_, err := o.check(3)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", issued, err, want)
		}
	}
}

// TestManyCalls checks that identities are verified while a trial runs, if a caller holds too many of them.
func TestManyCalls(t *testing.T) {
	o := &output{callers: make([]tally, 2)}
	err := virtual.New(virtual.Config{CPUs: 1, Seed: 1}).Run("test", func(e env.Env) {
		o.lock = e.Mutex("")
		for i := range o.callers {
			o.callers[i].held = make([]uint64, 0, 3)
			id := uint64(i)
			o.call(func() (uint64, bool) { id += 2; return id, true }, i, 10)
		}
	})
	if err != nil || o.callers[0].issued != 9 || len(o.callers[0].held) != 1 {
		t.Fatal(err, o.callers[0])
	}
	if _, err := o.check(20); err != nil {
		t.Fatal(err)
	}
	o.callers[0].held, o.callers[0].last = []uint64{5}, 4
	if _, err := o.check(21); err == nil || !strings.Contains(err.Error(), "5 was issued twice") {
		t.Fatal(err)
	}
}

// TestMemoryOfCheck checks that leases are refused whose identities would take gigabytes in the check of a trial.
func TestMemoryOfCheck(t *testing.T) {
	w := Workload()
	for settings, want := range map[string]string{"callers=100000 lease=85899": "", "callers=100000 lease=1000": "",
		"callers=100000 lease=85900": "set lease to 85899 or less"} {
		err := w.Check(workloadtest.Point(t, w, settings))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", settings, err, want)
		}
	}
}
