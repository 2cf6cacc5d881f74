package sim

import "slices"

// Names are the names of the costs that are not none.
func (c Costs) Names() []string {
	var names []string
	for _, s := range c.settings() {
		if s.cost != nil && !s.cost.none() {
			names = append(names, s.name)
		}
	}
	return names
}

// Scaled is c with the cost of that name multiplied by a/b, and every other as it is. Of a share that is how far it is
// from all.
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

// scaled is c, a/b times as far from a value as before. A share stays plausible.
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

// plausible reports whether a share is one that burns take on some machine. That of no burns is.
func (c Cost) plausible() bool {
	return c.none() || c.mean() >= leastBurn && (c.quantiles != nil || c.fixed <= mostBurn)
}

// mean is that of the distribution, rounded down.
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
