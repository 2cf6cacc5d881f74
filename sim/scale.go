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

// Scaled is c with the cost of that name multiplied by a/b, and every other as it is.
func (c Costs) Scaled(name string, a, b int64) Costs {
	for _, s := range c.settings() {
		if s.cost != nil && s.name == name {
			*s.cost = s.cost.scaled(a, b)
		}
	}
	return c
}

func (c Cost) scaled(a, b int64) Cost {
	c.fixed = c.fixed * a / b
	c.quantiles = slices.Clone(c.quantiles)
	for i := range c.quantiles {
		c.quantiles[i] = c.quantiles[i] * a / b
	}
	return c
}
