package sim

import (
	"fmt"
	"slices"
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
	name string
	cost *Cost
	span *int64 // ns; where it is no cost
}

// settings are all that can be set, in the order in which they are told.
func (c *Costs) settings() []setting {
	return []setting{
		{"wake", &c.Wake, nil}, {"deep", &c.Deep, nil}, {"deep-after", nil, &c.DeepAfter}, {"rouse", &c.Rouse, nil}, {"spin", &c.Spin, nil}, {"spin-for", nil, &c.SpinFor},
		{"steal", &c.Steal, nil}, {"switch", &c.Switch, nil}, {"spawn", &c.Spawn, nil}, {"chan", &c.Chan, nil}, {"lock", &c.Lock, nil},
		{"lock-spin", &c.LockSpin, nil}, {"timer", &c.Timer, nil}, {"poll-grain", nil, &c.PollGrain}, {"syscall", &c.Syscall, nil},
	}
}

// maxCost is the greatest cost: beyond it, a single one would be the whole run. maxQuantiles is the most of one cost.
const (
	maxCost      = time.Second
	maxQuantiles = 1000
)

// ParseCosts reads "wake=60us,chan=200ns": every cost that is not named is none. "none" is no cost at all. A cost that
// is drawn has its quantiles, as in wake=5us/8us/60us: see [Quantiles]. Where spin takes time, CPUs that found no
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
		d, err := time.ParseDuration(part)
		switch {
		case err != nil:
			return fmt.Errorf("cost %s: %q is not a time; write it with its unit, as in 60us", s.name, part)
		case d < 0 || d > maxCost:
			return fmt.Errorf("cost %s: %v is out of range; give 0s to %v", s.name, d, maxCost)
		case len(times) > 0 && int64(d) < times[len(times)-1]:
			return fmt.Errorf("cost %s: %v comes after a greater one; write quantiles in rising order, as in 5us/8us/60us", s.name, d)
		case len(times) == maxQuantiles:
			return fmt.Errorf("cost %s: more than %d quantiles", s.name, maxQuantiles)
		}
		times = append(times, int64(d))
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
		return time.Duration(s.cost.fixed).String()
	}
	texts := make([]string, len(s.cost.quantiles))
	for i, q := range s.cost.quantiles {
		texts[i] = time.Duration(q).String()
	}
	return strings.Join(texts, "/")
}
