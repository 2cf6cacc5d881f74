package doctor

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// ideal is a machine on which every check is good.
func ideal() Readings {
	return Readings{
		Program: "brewput",
		CPUs:    8, Online: Read(8), Procs: 8, ProcsFrom: "cpus", Cores: Read(Cores{}), Hypervisor: Read(false),
		Load1: Read(0.1), Window: 14 * time.Second, Others: Read(0.01), Steal: Read(0.0),
		Throttled: Read(uint64(0)), Heat: Read(uint64(0)), Swapped: Read(uint64(0)),
		Quota: Read(Quota{}), Governors: Read([]string{"performance"}), Boost: Read(Boost{}),
		SMT:         Read(SMT{Threads: 1, Usable: 1, One: "0,1,2,3,4,5,6,7"}),
		ClockSource: Read("tsc"), ClockSources: []string{"tsc", "hpet"}, ClockRead: Read(40 * time.Nanosecond),
		TimerSlack: Read(50 * time.Microsecond), Sleep: Read(Lateness{100, 600 * time.Microsecond, time.Millisecond}),
		Timer: Read(Lateness{100, 20 * time.Microsecond, 60 * time.Microsecond}), MemoryTotal: Read(uint64(16e9)),
		MemoryAvailable: Read(uint64(9e9)),
		Battery:         Read(Battery{}), Costs: Read(Costs{Measured: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}),
		Race: Read(false), Cover: Read(false), GOGC: "100", GOMEMLIMIT: "off",
	}
}

// still is a noise floor of 0.4%.
func still() []Noise {
	return []Noise{{CPUs: 1, Blocks: 10, HalfWidth: 0.002}, {CPUs: 8, Blocks: 10, HalfWidth: 0.004}}
}

func find(t *testing.T, checks []Check, name string) Check {
	t.Helper()
	i := slices.IndexFunc(checks, func(c Check) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("there is no check %q", name)
	}
	return checks[i]
}

// alongside are the checks that depend on the reading of another check.
var alongside = map[string][]string{"load": {"others"}, "virtual": {"smt"}, "smt": {"virtual"}}

// TestStatus changes one reading of the ideal machine and compares the status of its check. words must occur in
// its evidence, claim or fix. All other checks must stay good.
func TestStatus(t *testing.T) {
	for _, x := range []struct {
		name, check string
		change      func(*Readings)
		status      Status
		words       []string
	}{
		{"quiet", "load", func(r *Readings) { r.Load1 = Read(2.0) }, Good,
			[]string{"2.00 over the last minute, on 8 CPUs"}},
		{"some load", "load", func(r *Readings) { r.Load1 = Read(2.01) }, Caution, []string{"wait a minute", "ps -eo"}},
		{"full", "load", func(r *Readings) { r.Load1, r.Others = Read(8.01), Read(0.06) }, Bad, []string{"ps -eo"}},
		{"full of who waits for a disk", "load", func(r *Readings) { r.Load1 = Read(30.0); r.Others = Read(0.05) },
			Caution, []string{"waited for a disk", "ps -eo"}},
		{"full, others unknown", "load", func(r *Readings) { r.Load1, r.Others = Read(8.01), Reading[float64]{} }, Bad,
			nil},
		{"load is of the machine", "load", func(r *Readings) { r.CPUs, r.Procs, r.Load1 = 2, 2, Read(2.0) }, Good, nil},
		{"load unknown", "load", func(r *Readings) { r.Load1 = Reading[float64]{} }, Unknown,
			[]string{"could not be read"}},
		{"no load here", "load", func(r *Readings) { r.Load1 = Absent[float64]() }, Unavailable, nil},

		{"not calibrated", "costs", func(
			r *Readings) {
			r.Costs = Read(Costs{Missing: "this machine is not calibrated"})
		}, Caution,
			[]string{"this machine is not calibrated", "brewput calibrate"}},
		{"calibrated", "costs", func(*Readings) {}, Good, []string{"calibrated on 2026-11-21"}},
		{"costs unknown", "costs", func(r *Readings) { r.Costs = Reading[Costs]{} }, Unknown, nil},

		{"others", "others", func(r *Readings) { r.Others = Read(0.051) }, Caution,
			[]string{"0.05 CPUs used by other processes over 14s", "ps -eo"}},
		{"others much", "others", func(r *Readings) { r.Others = Read(0.26) }, Bad, nil},
		{"steal", "steal", func(r *Readings) { r.Steal = Read(0.011) }, Caution,
			[]string{"0.011 CPUs over 14s", "not shared"}},
		{"much steal", "steal", func(r *Readings) { r.Steal = Read(0.11) }, Bad, nil},
		{"no steal here", "steal", func(r *Readings) { r.Steal = Absent[float64]() }, Unavailable, nil},
		{"throttled", "throttled", func(r *Readings) { r.Throttled = Read(uint64(1)) }, Bad,
			[]string{"1 period over 14s"}},
		{"no quota counter", "throttled", func(r *Readings) { r.Throttled = Reading[uint64]{} }, Unknown, nil},
		{"hot", "heat", func(r *Readings) { r.Heat = Read(uint64(3)) }, Bad, []string{"3 times"}},

		{"no quota", "quota", func(*Readings) {}, Good, []string{"whole path"}},
		{"quota enough", "quota", func(r *Readings) { r.Quota = Read(Quota{8, "/f", "max"}) }, Good, nil},
		{"quota", "quota", func(r *Readings) { r.Quota = Read(Quota{2.5, "/sys/fs/cgroup/a/cpu.max", "max"}) }, Bad,
			[]string{"2.5 CPUs by /sys/fs/cgroup/a/cpu.max", "at most 2 CPUs",
				"echo max | sudo tee /sys/fs/cgroup/a/cpu.max"}},
		{"quota that GOMAXPROCS keeps to", "quota",
			func(r *Readings) { r.Quota, r.Procs, r.ProcsFrom = Read(Quota{2, "/f", "max"}), 2, "cgroup" }, Caution,
			nil},
		{"less than one CPU", "quota", func(r *Readings) {
			r.Quota, r.Procs, r.ProcsFrom = Read(Quota{0.5, "/f", "-1"}),
				1, "cgroup"
		}, Bad, []string{"echo -1 | sudo tee /f"}},
		{"quota unknown", "quota", func(r *Readings) { r.Quota = Reading[Quota]{} }, Unknown, nil},

		{"pinned", "cpus", func(r *Readings) { r.CPUs, r.Procs, r.ProcsFrom = 2, 2, "affinity" }, Good,
			[]string{"2 usable of 8; GOMAXPROCS 2 (affinity)"}},
		{"too many procs", "cpus", func(r *Readings) { r.Procs, r.ProcsFrom = 9, "env" }, Bad,
			[]string{"unset GOMAXPROCS"}},
		{"few procs", "cpus", func(r *Readings) { r.Procs, r.ProcsFrom = 7, "env" }, Caution,
			[]string{"unset GOMAXPROCS"}},
		{"few procs by quota", "cpus", func(r *Readings) { r.Procs, r.ProcsFrom = 3, "cgroup" }, Good, nil},
		{"one CPU", "cpus", func(r *Readings) { r.CPUs, r.Procs, r.Online = 1, 1, Read(1) }, Caution, nil},

		{"powersave", "governor", func(r *Readings) { r.Governors = Read([]string{"performance", "powersave"}) },
			Caution,
			[]string{"performance, powersave", "scaling_governor"}},
		{"no governor", "governor", func(r *Readings) { r.Governors = Absent[[]string]() }, Unavailable, nil},
		{"boost", "boost", func(r *Readings) { r.Boost = Read(Boost{true, "/sys/x/no_turbo", "1"}) }, Caution,
			[]string{"echo 1 | sudo tee /sys/x/no_turbo"}},
		{"smt", "smt", func(r *Readings) { r.SMT = Read(SMT{2, 2, "0,2,4"}) }, Caution,
			[]string{"2 threads per core online", "taskset -c 0,2,4 brewput run"}},
		{"smt, pinned to one each", "smt", func(r *Readings) { r.SMT = Read(SMT{2, 1, "0,2,4"}) }, Good,
			[]string{"one of them usable"}},
		{"hybrid", "cores", func(r *Readings) { r.Cores = Read(Cores{4, 8, "0-3"}) }, Caution,
			[]string{"4 fast, 8 slow", "taskset -c 0-3 brewput run"}},
		{"hybrid without taskset", "cores", func(r *Readings) { r.Cores = Read(Cores{4, 8, ""}) }, Caution,
			[]string{"more blocks"}},
		{"smt that a host made up", "smt", func(r *Readings) { r.Hypervisor = Read(true) }, Unknown,
			[]string{"as the host reports it"}},
		{"smt that a host shows", "smt", func(r *Readings) { r.Hypervisor, r.SMT = Read(true), Read(SMT{2, 2, "0,2"}) },
			Caution, []string{"as the host reports it", "taskset -c 0,2"}},
		{"virtual", "virtual", func(r *Readings) { r.Hypervisor = Read(true) }, Caution, []string{"bare metal"}},
		{"virtual or not", "virtual", func(r *Readings) { r.Hypervisor = Reading[bool]{} }, Unknown, nil},

		{"kvm's clock", "clock", func(r *Readings) { r.ClockSource = Read("kvm-clock") }, Good, nil},
		{"hpet", "clock", func(r *Readings) { r.ClockSource = Read("hpet") }, Caution,
			[]string{"echo tsc | sudo tee /sys/devices/system/clocksource"}},
		{"hpet alone", "clock", func(r *Readings) { r.ClockSource, r.ClockSources = Read("hpet"), []string{"hpet"} },
			Caution, []string{"boot"}},
		{"slow clock", "clock-read", func(r *Readings) { r.ClockRead = Read(250 * time.Nanosecond) }, Caution,
			[]string{"250ns", "25µs", "one in 10"}},
		{"very slow clock", "clock-read", func(r *Readings) { r.ClockRead = Read(2 * time.Microsecond) }, Bad, nil},
		{"late sleep", "sleep", func(r *Readings) { r.Sleep = Read(Lateness{100, 20 * time.Millisecond, time.Second}) },
			Caution, []string{"20ms", "1s late (p90)"}},
		{"late timer", "timer", func(r *Readings) {
			r.Timer = Read(Lateness{100, 150 * time.Microsecond,
				time.Second})
		}, Caution, []string{"idle-set -D 10; or sudo -b sh"}},
		{"slack", "timer", func(r *Readings) { r.TimerSlack = Read(time.Second) }, Caution, []string{"timerslack_ns"}},
		{"no timer", "timer", func(r *Readings) { r.Timer = Absent[Lateness]() }, Unavailable, nil},

		{"little memory", "memory", func(r *Readings) { r.MemoryAvailable = Read(uint64(1e9)) }, Caution,
			[]string{"1.0 GB of 16.0 GB"}},
		{"little memory below a limit", "memory",
			func(r *Readings) { r.MemoryAvailable, r.MemoryFile = Read(uint64(1e9)), "/f" }, Caution,
			[]string{"1.0 GB of 16.0 GB free by /f"}},
		{"swaps", "memory", func(r *Readings) { r.Swapped = Read(uint64(7)) }, Bad, []string{"7 pages swapped"}},
		{"swap unknown", "memory", func(r *Readings) { r.Swapped = Reading[uint64]{} }, Good, nil},
		{"memory unknown", "memory", func(r *Readings) { r.MemoryAvailable = Reading[uint64]{} }, Unknown, nil},
		{"on battery", "battery", func(r *Readings) { r.Battery = Read(Battery{true, true}) }, Caution,
			[]string{"plug it in"}},
		{"plugged in", "battery", func(r *Readings) { r.Battery = Read(Battery{true, false}) }, Good,
			[]string{"plugged in"}},

		{"race", "build", func(r *Readings) { r.Race = Read(true) }, Bad, []string{"-race"}},
		{"cover", "build", func(r *Readings) { r.Cover = Read(true) }, Bad, []string{"-cover"}},
		{"debug", "build", func(r *Readings) { r.BuildFlags = []string{"-tags=x", "-gcflags=all=-N -l"} }, Bad,
			[]string{"-gcflags=all=-N -l"}},
		{"msan", "build", func(r *Readings) { r.BuildFlags = []string{"-msan=true"} }, Bad, nil},
		{"harmless flags", "build", func(r *Readings) {
			r.BuildFlags = []string{"-gcflags=-m", "-ldflags=-N", "-asan=false", "CGO_ENABLED=0"}
		}, Good, nil},
		{"not recorded", "build", func(r *Readings) { r.Race = Reading[bool]{} }, Unknown, nil},
		{"GODEBUG", "godebug", func(r *Readings) { r.GODEBUG = "gctrace=1" }, Caution,
			[]string{"gctrace=1", "unset GODEBUG"}},
		{"GOGC", "gc", func(r *Readings) { r.GOGC = "off" }, Caution, []string{"GOGC=off", "unset GOGC"}},
		{"limit", "gc", func(r *Readings) { r.GOMEMLIMIT = "1000" }, Caution, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := ideal()
			x.change(&r)
			checks, rep := Judge(r, still())
			c := find(t, checks, x.check)
			if c.Status != x.status {
				t.Errorf("%s is %s, want %s: %+v", x.check, c.Status, x.status, c)
			}
			for _, w := range x.words {
				if !strings.Contains(c.Evidence+"\n"+c.Claim+"\n"+c.Fix, w) {
					t.Errorf("%s does not say %q: %+v", x.check, w, c)
				}
			}
			if want := x.status == Bad; slices.Contains(rep.Bad, x.check) != want || (rep.Verdict == NotFit) != want {
				t.Errorf("%s is %s and the verdict %s because of %q", x.check, x.status, rep.Verdict, rep.Bad)
			}
			if slices.Contains(rep.Caution, x.check) != (x.status == Caution) {
				t.Errorf("%s is %s; cautions %q", x.check, x.status, rep.Caution)
			}
			for _, other := range checks {
				if also := slices.Contains(alongside[x.check], other.Name); other.Name != x.check &&
					other.Status != Good && !also {
					t.Errorf("%s changes %s to %s as well", x.name, other.Name, other.Status)
				}
			}
		})
	}
}

// TestTimerOfGuest: in a virtual machine, cpupower may do nothing.
func TestTimerOfGuest(t *testing.T) {
	r := Readings{Timer: Read(Lateness{100, 150 * time.Microsecond, time.Second}), Hypervisor: Read(true)}
	if fix := r.timer().Fix; !strings.Contains(fix, "/dev/cpu_dma_latency; or sudo cpupower") {
		t.Error(fix)
	}
}

// TestNothingKnown checks that a machine without readings has no good check and no invented value.
func TestNothingKnown(t *testing.T) {
	checks, rep := Judge(Readings{GOGC: "100", GOMEMLIMIT: "off", CPUs: 2, Procs: 2}, nil)
	for _, c := range checks {
		if c.Claim == "" {
			t.Errorf("%s claims nothing", c.Name)
		}
		switch c.Name {
		case "cpus", "godebug", "gc": // the runtime knows these on every system
			continue
		}
		if c.Status != Unknown || c.Value != nil {
			t.Errorf("%s of nothing is %s, %v", c.Name, c.Status, c.Value)
		}
		if c.Fix != "" {
			t.Errorf("%s of nothing has the fix %q", c.Name, c.Fix)
		}
	}
	if rep.Verdict != Open || rep.NoiseFloor.Known() || rep.LeastDifference.Known() {
		t.Errorf("%+v", rep)
	}
}

// TestEveryCheckHelps checks that every check that is not good has a fix, and that a good one has none.
func TestEveryCheckHelps(t *testing.T) {
	worst := Readings{
		Program: "brewput", CPUs: 4, Procs: 9, Load1: Read(9.0), Others: Read(3.0), Steal: Read(2.0),
		Throttled: Read(uint64(9)), Heat: Read(uint64(9)), Swapped: Read(uint64(9)),
		Quota:     Read(Quota{0.5, "/f", "max"}),
		Governors: Read([]string{"ondemand"}), Boost: Read(Boost{On: true}), SMT: Read(SMT{2, 2, ""}),
		Cores: Read(Cores{1, 1, "0"}), Hypervisor: Read(true),
		ClockSource: Read("jiffies"), ClockRead: Read(time.Second), TimerSlack: Read(time.Second),
		Sleep: Read(Lateness{1, time.Second, time.Second}),
		Timer: Read(Lateness{1, time.Second, time.Second}), MemoryTotal: Read(uint64(100)),
		MemoryAvailable: Read(uint64(1)), Battery: Read(Battery{true, true}),
		Costs: Read(Costs{Missing: "this machine is not calibrated"}), Race: Read(true), GODEBUG: "x=1", GOGC: "1",
		GOMEMLIMIT: "1",
	}
	for _, r := range []Readings{worst, ideal()} {
		checks, _ := Judge(r, []Noise{{CPUs: 1, Blocks: 10,
			HalfWidth: map[bool]result.Value{true: 0.3, false: 0.001}[r.Procs == 9]}})
		seen := map[string]bool{}
		for _, c := range checks {
			good := r.Procs != 9
			if (c.Status == Good) != good || (c.Fix == "") != good || c.Claim == "" || c.Evidence == "" ||
				c.Value == nil || c.Kind != "check" || c.SchemaVersion != 1 {
				t.Errorf("%+v", c)
			}
			if seen[c.Name] {
				t.Errorf("two checks are called %s", c.Name)
			}
			seen[c.Name] = true
			if parts := c.Fixes(); strings.Join(parts, "; or ") != c.Fix {
				t.Errorf("%s: the fixes %q are not %q", c.Name, parts, c.Fix)
			}
		}
		if len(checks) != 23 {
			t.Errorf("%d checks", len(checks))
		}
	}
}

func TestNoise(t *testing.T) {
	at := func(widths ...result.Value) (all []Noise) {
		for i, w := range widths {
			n := Noise{CPUs: i + 1, Blocks: 10, HalfWidth: w}
			if !w.Known() {
				n.Missing = "the time was over"
			}
			all = append(all, n)
		}
		return all
	}
	differs := at(0.002)
	differs[0].Differs = true
	if c, _ := judgeNoise(differs); !strings.Contains(c.Claim, "in 1 of 20 examinations") {
		t.Errorf("one comparison: %s", c.Claim)
	}
	if c, _ := judgeNoise(append(differs, differs...)); !strings.Contains(c.Claim, "in 1 of 10 examinations") {
		t.Errorf("two comparisons: %s", c.Claim)
	}
	for _, x := range []struct {
		name    string
		noise   []Noise
		status  Status
		verdict string
		floor   result.Value
		claim   string // of the verdict
	}{
		{"still", at(0.001, 0.01), Good, Fit, 0.01, "Fit for measuring differences above 2% (twice the " +
			"noise floor of 1%)."},
		{"a rounded floor", at(0.00974), Good, Fit, 0.00974, "Fit for measuring differences above 1.94% (twice the " +
			"noise floor of 0.97%)."},
		{"a tiny floor", at(0.0006), Good, Fit, 0.0006, "Fit for measuring differences above 0.12% (twice the " +
			"noise floor of 0.06%)."},
		{"a larger floor", at(0.0124), Caution, FitFrom, 0.0124, "Fit only for differences above 2.4% (twice the " +
			"noise floor of 1.2%)."},
		{"the wider one", at(0.011, 0.002), Caution, FitFrom, 0.011, "Fit only for differences above 2.2% (twice the " +
			"noise floor of 1.1%). Take care: noise."},
		{"very noisy", at(0.11), Bad, NotFit, 0.11, "Not fit for measuring: noise (±11% at 1 CPU, in 10 A/A blocks)."},
		{"one is missing", at(0.001, result.Unavailable), Unknown, Open, result.Unavailable,
			"No check is bad, but it is unknown"},
		{"not asked for", nil, "", Open, result.Unavailable, "brewput doctor measures its noise floor."},
		{"a difference where there is none", differs, Caution, Fit, 0.002,
			"Fit for measuring differences above 0.4% (twice the noise floor of 0.2%). Take care: noise."},
	} {
		checks, rep := Judge(ideal(), x.noise)
		if x.status != "" {
			if c := find(t, checks, "noise"); c.Status != x.status {
				t.Errorf("%s: %+v", x.name, c)
			}
		}
		if rep.Verdict != x.verdict || rep.NoiseFloor != x.floor && (x.floor.Known() || rep.NoiseFloor.Known()) ||
			!strings.Contains(rep.Claim, x.claim) {
			t.Errorf("%s: %+v, want %s, %v, %q", x.name, rep, x.verdict, x.floor, x.claim)
		}
		if rep.NoiseFloor.Known() && rep.LeastDifference != 2*rep.NoiseFloor {
			t.Errorf("%s: least %v of the floor %v", x.name, rep.LeastDifference, rep.NoiseFloor)
		}
	}
}

// TestBadOutweighs checks that a machine with a bad check is not fit, whatever its noise floor.
func TestBadOutweighs(t *testing.T) {
	r := ideal()
	r.Race, r.Hypervisor = Read(true), Read(true)
	_, rep := Judge(r, still())
	if rep.Verdict != NotFit || rep.Claim != "Not fit for measuring: build (built with -race). Take care: virtual." {
		t.Errorf("%+v", rep)
	}
}

// TestUsualMargin checks that a fit machine can give every verdict of a run.
func TestUsualMargin(t *testing.T) {
	if m := compare.DefaultCriteria("", nil).Margin; m != usualMargin {
		t.Errorf("the margin here is %v, that of verdicts %v", usualMargin, m)
	}
}

// TestContract checks the names in the JSON objects, and null for unknown values.
func TestContract(t *testing.T) {
	r := ideal()
	r.Load1 = Reading[float64]{}
	checks, rep := Judge(r, nil)
	for want, v := range map[string]any{
		`{"kind":"check","schema_version":1,"check":"load","status":"unknown","value":null,"unit":"","evidence":"could not be read","claim":"it is unknown whether the machine was busy in the last minute; the noise floor shows the effect","fix":""}`:                find(t, checks, "load"),
		`{"kind":"check","schema_version":1,"check":"clock-read","status":"good","value":40,"unit":"ns","evidence":"40ns per read","claim":"timing costs less than 1% of an operation of 10 µs or more","fix":""}`:                                                      find(t, checks, "clock-read"),
		`{"kind":"doctor","schema_version":1,"verdict":"unknown","noise_floor":null,"least_difference":null,"bad":[],"caution":[],"claim":"No check is bad, but it is unknown how small a difference this machine can show: brewput doctor measures its noise floor."}`: rep,
	} {
		b, err := json.Marshal(v)
		if err != nil || string(b) != want {
			t.Errorf("got  %s %v\nwant %s", b, err, want)
		}
	}
}

// TestLateSleep checks that a large delay has no exponent.
func TestLateSleep(t *testing.T) {
	for d, want := range map[time.Duration]string{1100 * time.Microsecond: "1.1 ms", 99 * time.Millisecond: "99 ms",
		150 * time.Millisecond: "150 ms"} {
		c := Readings{Sleep: Read(Lateness{Median: d, P90: d})}.sleep()
		if c.Claim != "in all designs, Sleep, After and Wait take about "+want+" longer than asked" {
			t.Errorf("%v: %s", d, c.Claim)
		}
	}
}

func TestWords(t *testing.T) {
	for want, got := range map[string]string{
		"0s": span(0), "40ns": span(40), "1.2µs": span(1234), "12µs": span(12345), "-5ns": span(-5),
		"1.5ms": span(1_530_000), "14s": span(13_900 * time.Millisecond),
		"1 CPU": result.Count(1, "CPU"), "0 CPUs": result.Count(0, "CPU"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
