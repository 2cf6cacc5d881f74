package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Typical are the costs of no machine in particular: what microbenchmarks found on a virtual machine with 2
// CPUs (AMD EPYC, Linux, Go 1.26), rounded. The back-off before a run-next is stolen is asked for as 3 us and
// stretched by the timer slack. A round of spinning for a lock is 30 PAUSE instructions of 25 ns there; other
// processors take from 10 to 50 ns for one.
func Typical() Costs {
	return Costs{
		Wake: Ns(15_000), Spin: Ns(1_000), SpinFor: 20_000, Steal: Ns(90_000), Switch: Ns(120), Spawn: Ns(300),
		Chan: Ns(20), Lock: Ns(5), LockSpin: Ns(750), Timer: Ns(200), PollGrain: 1_000_000, Syscall: Ns(300),
	}
}

// setting is a cost that has a name, or a time that goes with one.
type setting struct {
	name  string
	cost  *Cost
	span  *int64 // ns; where it is no cost
	share bool   // of a time, in millionths
}

// settings are all that can be set, in the order in which they are told.
func (c *Costs) settings() []setting {
	return []setting{
		{name: "wake", cost: &c.Wake}, {name: "deep", cost: &c.Deep}, {name: "deep-after", span: &c.DeepAfter}, {name: "rouse", cost: &c.Rouse},
		{name: "spin", cost: &c.Spin}, {name: "spin-for", span: &c.SpinFor}, {name: "steal", cost: &c.Steal}, {name: "burn", cost: &c.Burn, share: true},
		{name: "switch", cost: &c.Switch}, {name: "spawn", cost: &c.Spawn}, {name: "chan", cost: &c.Chan}, {name: "lock", cost: &c.Lock},
		{name: "lock-spin", cost: &c.LockSpin}, {name: "timer", cost: &c.Timer}, {name: "poll-grain", span: &c.PollGrain}, {name: "syscall", cost: &c.Syscall},
	}
}

// maxCost is the greatest cost: beyond it, a single one would be the whole run. maxQuantiles is the most of one cost.
const (
	maxCost      = time.Second
	maxQuantiles = 1000
	whole        = 1_000_000 // the share that is all of a time
	percent      = whole / 100
	maxShare     = 100 * whole
)

// ParseCosts reads "wake=60us,chan=200ns": every cost that is not named is none. "none" is no cost at all. A cost that
// is drawn has its quantiles, as in wake=5us/8us/60us: see [Quantiles]. Those of burn are shares, as in burn=95%/99.5%/120%. Where spin takes time, CPUs that found no
// work go on looking; where lock does, goroutines spin for a lock; and where timer does, a thread that sleeps until a
// timer is due sleeps whole milliseconds; each for as long as with [Typical] costs unless spin-for, lock-spin or
// poll-grain say otherwise.
func ParseCosts(text string) (Costs, error) {
	var c Costs
	if text == "none" {
		return c, nil
	}
	settings := c.settings()
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			return Costs{}, fmt.Errorf("%q is not a cost; write name=time, as in wake=60us, or none", part)
		}
		i := slices.IndexFunc(settings, func(s setting) bool { return s.name == name })
		if i < 0 {
			var known []string
			for _, s := range settings {
				known = append(known, s.name)
			}
			return Costs{}, fmt.Errorf("there is no cost %q; there are %s", name, strings.Join(known, ", "))
		}
		if seen[name] {
			return Costs{}, fmt.Errorf("the cost %s is there twice", name)
		}
		seen[name] = true
		if err := settings[i].parse(value); err != nil {
			return Costs{}, err
		}
	}
	if !c.Deep.none() && c.DeepAfter == 0 {
		return Costs{}, fmt.Errorf("the cost deep is never taken without deep-after: say after how long a CPU sleeps deeply, as in deep-after=1ms")
	}
	c.imply(seen)
	return c, nil
}

func (s setting) parse(text string) error {
	var times []int64
	for part := range strings.SplitSeq(text, "/") {
		d, err := s.value(part)
		switch {
		case err != nil:
			return fmt.Errorf("cost %s: %w", s.name, err)
		case len(times) > 0 && d < times[len(times)-1]:
			return fmt.Errorf("cost %s: %s comes after a greater one; write quantiles in rising order, as in 5us/8us/60us", s.name, part)
		case len(times) == maxQuantiles:
			return fmt.Errorf("cost %s: more than %d quantiles", s.name, maxQuantiles)
		}
		times = append(times, d)
	}
	switch {
	case s.cost != nil:
		*s.cost = Quantiles(times...)
	case len(times) > 1:
		return fmt.Errorf("%s is one time, and is not drawn", s.name)
	default:
		*s.span = times[0]
	}
	return nil
}

// value reads a time, or a share.
func (s setting) value(text string) (int64, error) {
	if s.share {
		number, is := strings.CutSuffix(text, "%")
		n, ok := parsePercent(number)
		switch {
		case !is || !ok:
			return 0, fmt.Errorf("%q is not a share; write it as in 98.5%%, with at most four digits after the point", text)
		case n < percent || n > maxShare:
			return 0, fmt.Errorf("%s is out of range; give 1%% to %d%%", text, maxShare/percent)
		}
		return n, nil
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a time; write it with its unit, as in 60us", text)
	case d < 0 || d > maxCost:
		return 0, fmt.Errorf("%v is out of range; give 0s to %v", d, maxCost)
	}
	return int64(d), nil
}

// parsePercent is a number of per cents in millionths of all.
func parsePercent(text string) (n int64, ok bool) {
	digits, rest, _ := strings.Cut(text, ".")
	if len(rest) > 4 || digits == "" {
		return 0, false
	}
	u, err := strconv.ParseUint(digits+rest+"0000"[len(rest):], 10, 40)
	return int64(u), err == nil
}

// imply sets what follows from the costs that were given, unless it was given too.
func (c *Costs) imply(given map[string]bool) {
	if !c.Spin.none() && !given["spin-for"] {
		c.SpinFor = Typical().SpinFor // without it nobody would be found spinning
	}
	if !c.Lock.none() && !given["lock-spin"] {
		c.LockSpin = Typical().LockSpin
	}
	if !c.Timer.none() && !given["poll-grain"] {
		c.PollGrain = Typical().PollGrain
	}
}

// String is what ParseCosts reads: what is not 0 and does not follow from the rest, or "none".
func (c Costs) String() string {
	implied := Costs{Spin: c.Spin, Lock: c.Lock, Timer: c.Timer}
	implied.imply(nil)
	var parts []string
	beside := implied.settings()
	for i, s := range c.settings() {
		var text string
		switch follows := beside[i]; s.name {
		case "spin-for", "lock-spin", "poll-grain":
			if text = s.String(); text == follows.String() {
				continue
			}
		default:
			if text = s.String(); text == none {
				continue
			}
		}
		parts = append(parts, s.name+"="+text)
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ",")
}

// none is the text of no time.
const none = "0s"

// String is the value as parse reads it.
func (s setting) String() string {
	if s.span != nil {
		return time.Duration(*s.span).String()
	}
	if s.cost.quantiles == nil {
		return s.text(s.cost.fixed)
	}
	texts := make([]string, len(s.cost.quantiles))
	for i, q := range s.cost.quantiles {
		texts[i] = s.text(q)
	}
	return strings.Join(texts, "/")
}

// text is a value as value reads it.
func (s setting) text(n int64) string {
	if !s.share || n == 0 && s.cost.none() {
		return time.Duration(n).String()
	}
	text := fmt.Sprintf("%d.%04d", n/percent, n%percent)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}
