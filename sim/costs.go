package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Typical returns the costs of no particular machine: measurements by microbenchmarks on a virtual machine with 2
// CPUs (AMD EPYC, Linux, Go 1.26), rounded. The runtime asks for 3 us of back-off before it steals run-next; the
// timer slack of Linux makes that longer. A round of spinning for a lock is 30 PAUSE instructions, of 25 ns there;
// other processors take 10 to 50 ns for one.
//
// Burn times vary as [Config] describes, and their mean is the nominal time: 399 of 400 burns take 99.375% to
// 100.375%, at random, and the other one 100% to 200%.
func Typical() Costs {
	return Costs{
		Burn: Quantiles(993_750, 1_003_750), Outlier: Quantiles(whole, 2*whole), OutlierEvery: outlierEvery,
		Wake: Ns(15_000), Spin: Ns(1_000), SpinFor: 20_000, Steal: Ns(90_000), Switch: Ns(120), Spawn: Ns(300),
		Chan: Ns(20), Lock: Ns(5), LockSpin: Ns(750), Timer: Ns(200), PollGrain: 1_000_000, Syscall: Ns(300),
	}
}

// Steady returns c without the variation of burns: all take their nominal time.
func (c Costs) Steady() Costs {
	c.Burn, c.Outlier, c.OutlierEvery = Cost{}, Cost{}, 0
	return c
}

// setting is a field of Costs with its name in the text form. One of cost, span and count is set.
type setting struct {
	name  string
	cost  *Cost
	span  *int64 // a time in ns
	share bool   // the cost is a fraction of a time, in millionths
	count *int64 // a number
}

// settings returns all settings in the order of the text form.
func (c *Costs) settings() []setting {
	return []setting{
		{name: "wake", cost: &c.Wake}, {name: "deep", cost: &c.WakeDeep}, {name: "deep-after", span: &c.DeepIdleAfter},
		{name: "rouse", cost: &c.Waker},
		{name: "spin", cost: &c.Spin}, {name: "spin-for", span: &c.SpinFor}, {name: "steal", cost: &c.Steal},
		{name: "burn", cost: &c.Burn, share: true},
		{name: "outlier", cost: &c.Outlier, share: true}, {name: "outlier-every", count: &c.OutlierEvery},
		{name: "switch", cost: &c.Switch}, {name: "spawn", cost: &c.Spawn}, {name: "chan", cost: &c.Chan},
		{name: "lock", cost: &c.Lock},
		{name: "lock-spin", cost: &c.LockSpin}, {name: "timer", cost: &c.Timer},
		{name: "poll-grain", span: &c.PollGrain}, {name: "syscall", cost: &c.Syscall},
	}
}

// maxCost is the greatest cost: beyond it a single one would take the whole run. maxQuantiles is the largest number
// of quantiles of a cost.
const (
	maxCost      = time.Second
	maxQuantiles = 1000
	whole        = 1_000_000 // all of a time, in millionths
	percent      = whole / 100
	maxShare     = 100 * whole

	// A burn that takes a hundredth of its time would give a hundred times the throughput. A single drawn burn may be
	// short, or long because other processes delay it.
	leastBurn = whole / 2  // on average
	mostBurn  = 10 * whole // of a fixed cost

	// outlierEvery is the default of Costs.OutlierEvery, and maxEvery its maximum.
	outlierEvery = 400
	maxEvery     = 1_000_000_000
)

// ParseCosts parses a text such as "wake=60us,chan=200ns". A cost that is not named is 0, and "none" means no costs
// at all. Times are from 0s to 1s.
//
// A cost that is drawn is given by its quantiles, as in wake=5us/8us/60us: see [Quantiles]. A quantile may have a
// probability, as in wake=5us/8us@90%/20us@99%/60us. Quantiles without one are evenly spaced between their
// neighbours: see [Knots]. The quantiles of burn and outlier are percentages of the nominal time, as in
// burn=95%/99.5%/120%. One burn in outlier-every is an outlier: one in 400 unless it is given.
//
// Some costs imply others as in [Typical], unless these are given: spin implies spin-for, so that CPUs go on looking
// for work; lock implies lock-spin, so that goroutines spin for a lock; timer implies poll-grain, so that the network
// poller sleeps whole milliseconds.
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
		name = canonical(name)
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
	if !c.WakeDeep.none() && c.DeepIdleAfter == 0 {
		return Costs{}, fmt.Errorf("the cost deep is never taken without deep-after: say after how long a CPU sleeps " +
			"deeply, as in deep-after=1ms")
	}
	if c.Outlier.none() && c.OutlierEvery > 0 {
		return Costs{}, fmt.Errorf("outlier-every says how often there is an outlier, not how long it is: give its " +
			"share too, as in outlier=100%%/200%%")
	}
	for _, s := range settings {
		if s.share && !s.cost.plausible() {
			return Costs{}, fmt.Errorf("cost %s: %s is out of range: give %d%% to %d%%; of quantiles, 1%% to %d%% "+
				"with a mean of at least %d%%",
				s.name, s, leastBurn/percent, mostBurn/percent, maxShare/percent, leastBurn/percent)
		}
	}
	c.imply(seen)
	return c, nil
}

// canonical returns the stored name of a cost. The names of the fields WakeDeep, DeepIdleAfter and Waker are accepted
// too.
func canonical(name string) string {
	switch name {
	case "wake-deep":
		return "deep"
	case "deep-idle-after":
		return "deep-after"
	case "waker":
		return "rouse"
	}
	return name
}

// parse sets the cost to the value in the text.
func (s setting) parse(text string) error {
	var times, at []int64
	for part := range strings.SplitSeq(text, "/") {
		value, where, err := probability(part, at)
		if err != nil {
			return fmt.Errorf("cost %s: %w", s.name, err)
		}
		d, err := s.value(value)
		switch {
		case err != nil:
			return fmt.Errorf("cost %s: %w", s.name, err)
		case len(times) > 0 && d < times[len(times)-1]:
			return fmt.Errorf("cost %s: %s comes after a greater one; write quantiles in rising order, "+
				"as in 5us/8us/60us", s.name, part)
		case len(times) == maxQuantiles:
			return fmt.Errorf("cost %s: more than %d quantiles", s.name, maxQuantiles)
		}
		times, at = append(times, d), append(at, where)
	}
	switch {
	case s.cost != nil:
		cost, err := spaced(times, at)
		if err != nil {
			return fmt.Errorf("cost %s: %w", s.name, err)
		}
		*s.cost = cost
	case len(times) > 1 && s.count != nil:
		return fmt.Errorf("%s is one number, and is not drawn", s.name)
	case s.count != nil:
		*s.count = times[0]
	case len(times) > 1:
		return fmt.Errorf("%s is one time, and is not drawn", s.name)
	default:
		*s.span = times[0]
	}
	return nil
}

// value parses a time, a percentage, or a number.
func (s setting) value(text string) (int64, error) {
	if s.count != nil {
		n, err := strconv.ParseUint(text, 10, 63)
		switch {
		case err != nil || len(text) > 1 && text[0] == '0':
			return 0, fmt.Errorf("%q is not a number of burns; write it as in 400", text)
		case n > maxEvery:
			return 0, fmt.Errorf("%s is out of range; give 1 to %d, or 0 for none", text, maxEvery)
		}
		return int64(n), nil
	}
	if s.share {
		number, is := strings.CutSuffix(text, "%")
		n, ok := parsePercent(number)
		switch {
		case !is || !ok:
			return 0, fmt.Errorf("%q is not a share; write it as in 98.5%%, with at most four digits after the point",
				text)
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

// parsePercent parses a number of percent, and returns it in millionths.
func parsePercent(text string) (n int64, ok bool) {
	digits, rest, _ := strings.Cut(text, ".")
	if len(rest) > 4 || digits == "" {
		return 0, false
	}
	u, err := strconv.ParseUint(digits+rest+"0000"[len(rest):], 10, 40)
	return int64(u), err == nil
}

// imply sets the costs that others imply, unless they were given.
func (c *Costs) imply(given map[string]bool) {
	if !c.Spin.none() && !given["spin-for"] {
		c.SpinFor = Typical().SpinFor // without it no CPU would be found looking for work
	}
	if !c.Lock.none() && !given["lock-spin"] {
		c.LockSpin = Typical().LockSpin
	}
	if !c.Timer.none() && !given["poll-grain"] {
		c.PollGrain = Typical().PollGrain
	}
	if !c.Outlier.none() && !given["outlier-every"] {
		c.OutlierEvery = outlierEvery
	}
}

// String returns the text form, which ParseCosts parses. It omits costs that are 0 or implied; "none" if there are no
// others.
func (c Costs) String() string {
	implied := Costs{Spin: c.Spin, Lock: c.Lock, Timer: c.Timer, Outlier: c.Outlier}
	implied.imply(nil)
	var parts []string
	beside := implied.settings()
	for i, s := range c.settings() {
		var text string
		switch follows := beside[i]; s.name {
		case "spin-for", "lock-spin", "poll-grain", "outlier-every":
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

// String returns the value in the text form.
func (s setting) String() string {
	if s.count != nil {
		return strconv.FormatInt(*s.count, 10)
	}
	if s.span != nil {
		return time.Duration(*s.span).String()
	}
	if s.cost.quantiles == nil {
		return s.text(s.cost.fixed)
	}
	texts, marked := make([]string, len(s.cost.quantiles)), s.cost.marked()
	for i, q := range s.cost.quantiles {
		if texts[i] = s.text(q); marked[i] {
			texts[i] += "@" + perCent(s.cost.at[i])
		}
	}
	return strings.Join(texts, "/")
}

// text formats a number in the text form.
func (s setting) text(n int64) string {
	if !s.share || n == 0 && s.cost.none() {
		return time.Duration(n).String()
	}
	return perCent(n)
}

// perCent formats millionths as a percentage.
func perCent(n int64) string {
	text := fmt.Sprintf("%d.%04d", n/percent, n%percent)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}
