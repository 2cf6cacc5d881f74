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

// Scaled is c with the cost of that name multiplied by a/b, and every other as it is. Of a share that is how far it is from all.
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

// scaled is c, a/b times as far from a value as before. It stays above a hundredth of that, as it does in a text.
func (c Cost) scaled(from, a, b int64) Cost {
	scale := func(x int64) int64 { return max(from/100, from+(x-from)*a/b) }
	if c.quantiles == nil {
		c.fixed = scale(c.fixed)
	}
	c.quantiles = slices.Clone(c.quantiles)
	for i, q := range c.quantiles {
		c.quantiles[i] = scale(q)
	}
	return c
}
