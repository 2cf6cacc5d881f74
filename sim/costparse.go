package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
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
