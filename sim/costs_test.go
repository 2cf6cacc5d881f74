package sim

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseCosts(t *testing.T) {
	for text, want := range map[string]string{
		"none": "none", "wake=60us": "wake=60µs", "chan=200ns, wake=1ms": "wake=1ms,chan=200ns", "lock=0s": "none",
		"spin=0s,wake=60us": "wake=60µs", "spin=1us,lock=5ns": "spin=1µs,lock=5ns",
		"spin=1us,spin-for=20us,lock-spin=750ns,lock=5ns": "spin=1µs,lock=5ns",
		"spin=1us,spin-for=3us":                           "spin=1µs,spin-for=3µs",
		"lock=5ns,lock-spin=0s":                           "lock=5ns,lock-spin=0s",
		"steal=3us/60us/90us":                             "steal=3µs/60µs/90µs",
		"deep=90us,deep-after=1ms":                        "deep=90µs,deep-after=1ms",
		"burn=110%":                                       "burn=110%",
		"burn=99.5%/100%/101.0625%,chan=1ns":              "burn=99.5%/100%/101.0625%,chan=1ns",
		"burn=1.0%/10000%":                                "burn=1%/10000%",
		"outlier=100%/200%":                               "outlier=100%/200%",
		"outlier=100%/200%,outlier-every=400":             "outlier=100%/200%",
		"outlier=300%,outlier-every=7":                    "outlier=300%,outlier-every=7",
		"outlier=300%,outlier-every=0":                    "outlier=300%,outlier-every=0",
	} {
		c, err := ParseCosts(text)
		if err != nil || c.String() != want {
			t.Errorf("%q: %v, %v", text, c, err)
		}
		survives(t, c)
	}
	if c := Typical(); c.String() == "none" {
		t.Error("typical costs are none")
	}
	survives(t, Typical())
	for _, c := range []Costs{
		{Wake: Quantiles(1, 2)}, {Wake: Quantiles(1, 1)}, {WakeDeep: Ns(1), DeepIdleAfter: 1}, {DeepIdleAfter: 5},
		{SpinFor: 1}, {LockSpin: Ns(1)}, {Lock: Ns(1)}, {PollGrain: 1}, {Timer: Ns(1)}, {Timer: Ns(1), PollGrain: 7},
		{Lock: Ns(1), LockSpin: Quantiles(0, 3)}, {Spin: Quantiles(0, 0, 9)}, {Burn: Ns(whole)},
		{Burn: Quantiles(percent, whole+1, maxShare)}, {Spin: Ns(1), SpinFor: 5},
	} {
		survives(t, c)
	}
	if c, err := ParseCosts("deep=90us"); err == nil {
		t.Errorf("deep without a time after which it is taken: %v", c)
	}
	aliases, err := ParseCosts("wake-deep=90us,deep-idle-after=1ms,waker=4us")
	if got := aliases.String(); err != nil || got != "deep=90µs,deep-after=1ms,rouse=4µs" {
		t.Errorf("names of fields as names of costs: %s, %v", got, err)
	}
	for text, want := range map[string]string{
		"": "is not a cost", "wake": `"wake" is not a cost`, "wale=1us": `no cost "wale"; there are wake`,
		"wake=60":   `"60" is not a time`,
		"wake=-1us": "out of range", "wake=2s": "out of range", "wake=1us,wake=2us": "twice",
		"wake=2us/1us": "rising order", "wake=1us/": `"" is not a time`, "spin-for=1us/2us": "is one time",
		"burn=1ms": `"1ms" is not a share`, "burn=110": "is not a share", "burn=.5%": "is not a share",
		"burn=99.12345%": "at most four digits",
		"outlier=1ms":    "is not a share", "outlier-every=400": "give its share too",
		"outlier=2%,outlier-every=1/2": "is one number", "outlier=2%,outlier-every=x": "is not a number of burns",
		"outlier=2%,outlier-every=1000000001": "out of range",
		"outlier=2%,outlier-every=-1":         "is not a number of burns",
		"burn=-5%":                            "is not a share",
		"burn=+5%":                            "is not a share", "burn=0.5%": "out of range",
		"burn=1%": "give 50% to 1000%", "burn=49.9999%": "out of range", "burn=1000.1%": "out of range",
		"burn=1%/2%/100%": "out of range", "burn=1%/10%@99%/100%": "mean of at least 50%",
		"outlier=1%,outlier-every=1": "out of range", "outlier=200%,outlier-every=07": "not a number",
		"burn=10000.1%": "out of range", "burn=101%/100%": "rising order",
		"burn=99999999999999999999%":            "is not a share",
		"wake=1s" + strings.Repeat("/1s", 1000): "more than 1000",
	} {
		if _, err := ParseCosts(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestWaker: a goroutine that wakes a sleeping CPU pays for it before it continues. Nothing is charged if that CPU is
// still looking for work. c is found at 70 us by CPU 1, which looks until 80. When d is ready at 220 us CPU 1 sleeps,
// and a burns from 240 on.
func TestWaker(t *testing.T) {
	costs := Costs{Wake: Ns(50_000), Waker: Ns(20_000), Spin: Ns(1000), SpinFor: 20_000}
	s := newScene(t, 2, costs)
	b, c, d := s.program("b", burn(10, "done")), s.program("c", burn(10, "done")), s.program("d", burn(10, "done"))
	s.run(s.program("a", spawn(b), burn(50, "done"), spawn(c), burn(150, "done"), spawn(d), burn(100, "done")),
		"b done 60", "a done 70", "c done 81", "a done 220", "d done 280", "a done 340")

	// If the goroutine ends first, the next one on that CPU pays, once.
	s = newScene(t, 2, costs)
	b = s.program("b", burn(10, "done"), burn(10, "again"))
	s.run(s.program("a", spawn(b)), "b done 30", "b again 40")

	// At the end of its time slice, too, CPU 0 wakes the other, and pays before it goes on with a.
	s = newScene(t, 2, costs)
	s.run(s.program("a", burn(15_000, "done")), "a done 15020")
}

// once is the program of a goroutine that is resumed once.
type once func()

func (f once) Resume()      { f() }
func (f once) Name() string { return "once" }

// TestScatter: burns take the shares that the cost says, in the mean too; what work has taken is taken as it is; and
// where CPUs are unlimited nothing scatters.
func TestScatter(t *testing.T) {
	took := func(cpus int, ns int64, c Costs, op func(*Kernel, *G, int64) (*G, bool)) (at int64) {
		k := New(Config{CPUs: cpus, Seed: 1, Costs: c})
		g := &G{}
		g.Bind(once(func() {
			next, again := op(k, g, ns)
			for ; again; next, again = op(k, g, ns) { // its time slice is over
			}
			if next == g {
				at = k.Now()
				k.Exit(g)
			}
		}))
		k.Start(g)
		k.Run()
		return at
	}
	do := func(token int64) func(*Kernel, *G, int64) (*G, bool) {
		return func(k *Kernel, g *G, ns int64) (next *G, again bool) {
			out := k.Do(g, Op{Code: Burn, Token: token, N: ns})
			if out == Done {
				return g, false
			}
			return k.Next(), out == Again
		}
	}
	third := Costs{Burn: Ns(1_333_333)}
	for _, x := range []struct {
		cpus     int
		ns, want int64
		c        Costs
		op       func(*Kernel, *G, int64) (*G, bool)
	}{
		{1, 3_000_000, 3_999_999, third, (*Kernel).Burn}, {1, 2, 3, third, (*Kernel).Burn},
		{1, 1, 1, third, (*Kernel).Burn}, {1, 1, 1, Costs{Burn: Ns(percent)}, (*Kernel).Burn},
		{1, 3_000_000, 3_000_000, third, do(Exact)}, {1, 3_000_000, 3_999_999, third, do(0)},
		{1, 30_000_000, 30_000_000, third, do(Exact)},
		{Unlimited, 3_000_000, 3_000_000, third, (*Kernel).Burn},
		{1, 1_000_000, 1_000_000, Costs{}, (*Kernel).Burn}, {1, -5, 0, third, (*Kernel).Burn},
	} {
		if got := took(x.cpus, x.ns, x.c, x.op); got != x.want {
			t.Errorf("%d ns on %d CPUs with %v took %d, want %d", x.ns, x.cpus, x.c, got, x.want)
		}
	}
	if got := New(Config{CPUs: 1, Costs: Costs{Burn: Ns(maxShare)}}).scattered(never / 2); got != never {
		t.Errorf("a hundred times half of all time is %d", got)
	}
	if got := took(1, 1000, Costs{Outlier: Ns(2 * whole), OutlierEvery: 1}, (*Kernel).Burn); got != 2000 {
		t.Errorf("an outlier of twice 1000 ns takes %d", got)
	}
	const n = 100_000
	drawn, sum, least, most := Costs{Burn: Quantiles(900_000, 1_000_000, 1_100_000)}, int64(0), int64(never), int64(0)
	k := New(Config{CPUs: 1, Seed: 1, Costs: drawn})
	for range n {
		ns := k.scattered(1000)
		sum, least, most = sum+ns, min(least, ns), max(most, ns)
	}
	if off := sum - n*1000; max(off, -off) > n/2 || least > 901 || least < 900 || most < 1098 || most > 1100 {
		t.Errorf("%d burns of 1000 take %d, from %d to %d; want 1000 in the mean, from 900 to 1100", n, sum, least,
			most)
	}
}

// TestOutliers: with typical costs one burn in 400 is an outlier, and burns take what they say on average.
func TestOutliers(t *testing.T) {
	const n, ns = 400_000, 1_000_000
	k := New(Config{CPUs: 1, Seed: 1, Costs: Typical()})
	sum, far, most := int64(0), 0, int64(0)
	for range n {
		d := k.scattered(ns)
		sum, most = sum+d, max(most, d)
		if d < 993_750 || d > 2*ns {
			t.Fatalf("a burn takes %d", d)
		}
		if d > 1_003_750 {
			far++
		}
	}
	if off := sum/n - ns; max(off, -off) > ns/2000 || far < 900 || far > 1100 || most < 1_990_000 {
		t.Errorf("%d of %d burns are outliers, up to %d; the mean is off by %d ns", far, n, most, off)
	}
	if c := Typical().Steady(); c.scatter() || c.Steal.none() {
		t.Errorf("steady costs are %v", c)
	}
	if c := Typical().Scaled("outlier", 1, 2); !reflect.DeepEqual(c.Outlier, Quantiles(whole, whole*3/2)) ||
		c.OutlierEvery != 400 {
		t.Errorf("half of the outliers: %v", c)
	}
}

// TestStretch: the burn that is asked for lasts longer, once, and without it a kernel that asks decides as one that
// does not.
func TestStretch(t *testing.T) {
	run := func(stretch func(int64) int64) (took int64, sum uint64) {
		k, p := New(Config{CPUs: 1, Seed: 1, Costs: Typical().Steady(), Stretch: stretch}), NewProgram("burns")
		again := p.Here()
		p.Set(R1, 1000)
		p.Burn(R1)
		p.Yield()
		p.Loop(R0, again)
		k.Start(k.Goroutine(p, 5))
		k.Run()
		return k.Now(), k.Checksum()
	}
	base, sum := run(nil)
	n := 0
	at := func(which int) func(int64) int64 {
		n = 0
		return func(ns int64) int64 {
			if n++; n == which && ns == 1000 {
				return 700
			}
			return 0
		}
	}
	if took, same := run(at(0)); took != base || same != sum || n != 5 {
		t.Errorf("asked %d times it took %d, checksum %x; else %d, %x", n, took, same, base, sum)
	}
	if took, other := run(at(3)); took != base+700 || other == sum {
		t.Errorf("stretched by 700 ns it took %d, else %d", took, base)
	}
}

func FuzzParseCosts(f *testing.F) {
	f.Add("wake=60us,chan=1ns")
	f.Add("spin=0s,wake=60us")
	f.Add("lock=5ns,spin=1us")
	f.Add("burn=99.5%/100%/101.0625%")
	f.Add("burn=99.5%/100%@99%/101.0625%@99.9%/180%,wake=1us@0%/2us@33.3333%/3us@100%")
	f.Add("outlier=100%/200%,outlier-every=7")
	f.Add("steal=1us/60us/9ms,deep=1ms,deep-after=1us,lock-spin=0s,spin-for=1ns")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCosts(text)
		if err != nil {
			return
		}
		survives(t, c)
	})
}

// survives is that costs are the same after they were written and read.
func survives(t *testing.T, c Costs) {
	t.Helper()
	if again, err := ParseCosts(c.String()); err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%+v is written as %v and read as %+v (%v)", c, c, again, err)
	}
}

func TestScaledCosts(t *testing.T) {
	c := Costs{Wake: Ns(15), WakeDeep: Quantiles(10, 31), DeepIdleAfter: 5, Chan: Quantiles(2, 8, 20), SpinFor: 100}
	if got := strings.Join(c.Names(), " "); got != "wake deep chan" {
		t.Errorf("the costs are %s", got)
	}
	was := Costs{Wake: Ns(15), WakeDeep: Quantiles(10, 31), DeepIdleAfter: 5, Chan: Quantiles(2, 8, 20), SpinFor: 100}
	for name, want := range map[string]Costs{
		"wake": {Wake: Ns(7), WakeDeep: was.WakeDeep, DeepIdleAfter: 5, Chan: was.Chan, SpinFor: 100},
		"deep": {Wake: was.Wake, WakeDeep: Quantiles(5, 15), DeepIdleAfter: 5, Chan: was.Chan, SpinFor: 100},
		"chan": {Wake: was.Wake, WakeDeep: was.WakeDeep, DeepIdleAfter: 5, Chan: Quantiles(1, 4, 10), SpinFor: 100},
		"lock": was,
	} {
		if got := c.Scaled(name, 1, 2); !reflect.DeepEqual(got, want) {
			t.Errorf("half of %s: %+v", name, got)
		}
	}
	if !reflect.DeepEqual(c, was) {
		t.Errorf("the costs themselves have become %+v", c)
	}
	c = Costs{Burn: Quantiles(900_000, 1_000_000, 1_300_000)}
	if got := c.Scaled("burn", 1, 2); !reflect.DeepEqual(got, Costs{Burn: Quantiles(950_000, 1_000_000, 1_150_000)}) {
		t.Errorf("half of the scatter of burns: %v", got)
	}
	if got := c.Scaled("burn", 20, 1); !reflect.DeepEqual(got, Costs{Burn: Quantiles(10_000, 1_000_000, 7_000_000)}) {
		t.Errorf("twenty times the scatter of burns: %v", got)
	}
	if got := (Costs{Wake: Ns(2)}).Scaled("burn", 1, 2); !reflect.DeepEqual(got, Costs{Wake: Ns(2)}) {
		t.Errorf("half of no scatter: %v", got)
	}
	if got := Typical().Scaled("steal", 2, 1).Steal; !reflect.DeepEqual(got, Ns(180_000)) {
		t.Errorf("twice the steal is %+v", got)
	}
}
