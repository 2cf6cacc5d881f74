package sim

import "slices"

// Names returns the names of the costs that are not 0.
func (c Costs) Names() []string {
	var names []string
	for _, s := range c.settings() {
		if s.cost != nil && !s.cost.none() {
			names = append(names, s.name)
		}
	}
	return names
}

// Scaled returns c with the named cost multiplied by a/b. For a ratio such as burn, it multiplies the difference from
// 100%.
func (c Costs) Scaled(name string, a, b int64) Costs {
	for _, s := range c.settings() {
		if s.cost != nil && s.name == name && !s.cost.none() {
			from := int64(0)
			if s.share {
				from = whole
			}
			*s.cost = s.cost.scaled(from, a, b)
		}
	}
	return c
}

// scaled returns c with the distances of its values from a number multiplied by a/b. A ratio stays plausible.
func (c Cost) scaled(from, a, b int64) Cost {
	scale := func(x int64) int64 { return max(from/100, from+(x-from)*a/b) }
	if c.quantiles == nil {
		if c.fixed = scale(c.fixed); from > 0 {
			c.fixed = min(max(c.fixed, leastBurn), mostBurn)
		}
		return c
	}
	c.quantiles = slices.Clone(c.quantiles)
	for i, q := range c.quantiles {
		if c.quantiles[i] = scale(q); from > 0 {
			c.quantiles[i] = min(c.quantiles[i], maxShare)
		}
	}
	if from > 0 && !c.plausible() {
		for i, q := range c.quantiles {
			c.quantiles[i] = max(q, leastBurn)
		}
	}
	return c
}

// plausible reports whether a ratio is one that burns have on some machine. The zero Cost is plausible.
func (c Cost) plausible() bool {
	return c.none() || c.mean() >= leastBurn && (c.quantiles != nil || c.fixed <= mostBurn)
}

// mean returns the mean of the distribution, rounded down.
func (c Cost) mean() int64 {
	if c.quantiles == nil {
		return c.fixed
	}
	place := func(i int) int64 {
		if c.at == nil {
			return whole * int64(i) / int64(len(c.quantiles)-1)
		}
		return c.at[i]
	}
	sum := int64(0)
	for i := 1; i < len(c.quantiles); i++ {
		sum += (c.quantiles[i-1] + c.quantiles[i]) / 2 * (place(i) - place(i-1))
	}
	return sum / whole
}
