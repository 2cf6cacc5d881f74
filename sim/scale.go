package sim

import "slices"

// Names are the names of the costs that are not none.
func (c Costs) Names() []string {
	var names []string
	for _, n := range c.byName() {
		if !n.cost.none() {
			names = append(names, n.name)
		}
	}
	return names
}

// Scaled is c with the cost of that name multiplied by a/b, and every other as it is.
func (c Costs) Scaled(name string, a, b int64) Costs {
	for _, n := range c.byName() {
		if n.name == name {
			*n.cost = n.cost.scaled(a, b)
		}
	}
	if name == "wake" {
		c.Deep = c.Deep.scaled(a, b) // the same of a CPU that sleeps deeply
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
