package sim

import (
	"fmt"
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
		Chan: Ns(20), Lock: Ns(5), LockSpin: Ns(750), Timer: Ns(200), Syscall: Ns(300),
	}
}

// byName are the costs that can be set, in the order in which they are told.
func (c *Costs) byName() []struct {
	name string
	cost *Cost
} {
	return []struct {
		name string
		cost *Cost
	}{
		{"wake", &c.Wake}, {"spin", &c.Spin}, {"steal", &c.Steal}, {"switch", &c.Switch}, {"spawn", &c.Spawn},
		{"chan", &c.Chan}, {"lock", &c.Lock}, {"timer", &c.Timer}, {"syscall", &c.Syscall},
	}
}

// maxCost is the greatest cost: beyond it, a single one would be the whole run.
const maxCost = time.Second

// ParseCosts reads "wake=60us,chan=200ns": every cost that is not named is none. "none" is no cost at all. Two
// things have no name of their own, as they follow from what has: where spin takes time, CPUs that found no
// work go on looking, and where lock does, goroutines spin for a lock, each for as long as with [Typical] costs.
func ParseCosts(text string) (Costs, error) {
	var c Costs
	if text == "none" {
		return c, nil
	}
	names := c.byName()
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			return Costs{}, fmt.Errorf("%q is not a cost; write name=time, as in wake=60us, or none", part)
		}
		var cost *Cost
		var known []string
		for _, n := range names {
			known = append(known, n.name)
			if n.name == name {
				cost = n.cost
			}
		}
		if cost == nil {
			return Costs{}, fmt.Errorf("there is no cost %q; there are %s", name, strings.Join(known, ", "))
		}
		if seen[name] {
			return Costs{}, fmt.Errorf("the cost %s is there twice", name)
		}
		seen[name] = true
		d, err := time.ParseDuration(value)
		switch {
		case err != nil:
			return Costs{}, fmt.Errorf("cost %s: %q is not a time; write it with its unit, as in 60us", name, value)
		case d < 0 || d > maxCost:
			return Costs{}, fmt.Errorf("cost %s: %v is out of range; give 0s to %v", name, d, maxCost)
		}
		*cost = Ns(int64(d))
	}
	c.imply()
	return c, nil
}

// imply sets what follows from the costs with names.
func (c *Costs) imply() {
	if !c.Spin.none() {
		c.SpinFor = Typical().SpinFor // without it nobody would be found spinning
	}
	if !c.Lock.none() {
		c.LockSpin = Typical().LockSpin
	}
}

// String is what ParseCosts reads: the costs that are not 0, or "none". Costs that it cannot make, because they
// are drawn for instance, have a text that it refuses.
func (c Costs) String() string {
	var parts []string
	var named Costs
	for i, n := range c.byName() {
		if n.cost.none() {
			continue
		}
		if n.cost.quantiles != nil {
			parts = append(parts, n.name+"=drawn")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s=%v", n.name, time.Duration(n.cost.fixed)))
		*named.byName()[i].cost = *n.cost
	}
	if named.imply(); named.SpinFor != c.SpinFor || c.DeepAfter != 0 || !c.Deep.none() || c.LockSpin.quantiles != nil || c.LockSpin.fixed != named.LockSpin.fixed {
		parts = append(parts, "and others")
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ",")
}
