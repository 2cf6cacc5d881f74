package plan_test

import (
	"fmt"

	"github.com/brewput/brewput/plan"
)

// Two factors with two levels each span four points. A block runs each once, in random order.
func ExamplePoints() {
	cpus := plan.Factor{Name: "cpus", Kind: plan.Int, Min: 1, Max: 1024}
	buffer := plan.Factor{Name: "buffer", Kind: plan.Int, Max: 1024, Default: "1"}
	two, err := cpus.Parse("1,2", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	some, err := buffer.Parse("1..10:+9", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	points, err := plan.Points([]plan.Factor{cpus, buffer}, map[string]plan.Choice{"cpus": two, "buffer": some})
	if err != nil {
		fmt.Println(err)
		return
	}

	all := func(string) []string { return []string{"cpus", "buffer"} }
	p := plan.Plan{Seed: 1, Blocks: 10, Cases: plan.Cases([]string{"pipe"}, all, points)}
	for _, s := range p.Block(0) {
		fmt.Println(s.Order, p.Cases[s.Case].Design, p.Cases[s.Case].Point)
	}
	// Output:
	// 0 pipe cpus=1 buffer=1
	// 1 pipe cpus=2 buffer=1
	// 2 pipe cpus=1 buffer=10
	// 3 pipe cpus=2 buffer=10
}
