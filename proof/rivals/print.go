package main

import (
	"fmt"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/brewput/brewput/proof/record"
)

// print writes the cells of a claim that are in the record, and whether the claim holds once they are complete. It
// returns the exit code.
func (c *campaign) print(x *claim, done map[string]entry) int {
	var list []comparison
	cells, parts := cellsOf([]claim{*x}), x.parts()
	for _, cell := range cells {
		if e, ok := done[cell.String()]; ok {
			for i := range parts {
				list = append(list, parts[i].compare(e))
			}
		}
	}
	if len(list) == 0 {
		return 0
	}

	t := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\ncell\tbest\trival\tratio\tat most\n")
	for _, y := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.3g\t%.3g\n", y.cell, y.design, y.rival, y.ratio, y.bound)
	}
	t.Flush()

	if n := len(list) / len(parts); n < len(cells) {
		fmt.Fprintf(c.stdout, "%s: %d of %d cells so far\n", x.name, n, len(cells))
		return 0
	}
	if len(x.limits) == 0 {
		fmt.Fprintf(c.stdout, "no limit   %s: the ratios are an indication; the bound holds with 95%% confidence\n",
			x.name)
		return 0
	}
	if x.syncs && slices.ContainsFunc(list, func(y comparison) bool { return y.sync < minSync }) {
		fmt.Fprintf(c.stdout, "undecided  %s: a sync takes less than %.0f µs on this device\n", x.name, minSync*1e6)
		return record.ExitUndecided
	}
	code := 0
	for i, l := range x.limits {
		kept := shown(list, func(y comparison) float64 { return y.kept[i] })
		broken := shown(list, func(y comparison) float64 { return y.broken[i] })
		need, word := int(math.Ceil(l.share*float64(len(list)))), "met      "
		switch {
		case len(list)-broken < need:
			word, code = "missed   ", record.ExitBroken
		case kept < need:
			word, code = "undecided", record.Worse(code, record.ExitUndecided)
		}
		fmt.Fprintf(c.stdout, "%s  %s: at most %.3gx shown in %d of %d cells, and more in %d; at least %d needed\n",
			word, x.name, l.ratio, kept, len(list), broken, need)
	}
	return code
}
