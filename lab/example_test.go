package lab_test

import (
	"fmt"

	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Two designs were measured in six blocks: Analyze compares them block by block.
func ExampleAnalyze() {
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	cases := []plan.Case{{Design: "old", Point: point}, {Design: "new", Point: point}}
	var trials []result.Trial
	for block, drift := range []float64{1, 1.01, 1.02, 1.01, 1, 1.03} {
		for order, seconds := range []float64{2 * drift, drift + 0.001*float64(block)} {
			trials = append(trials, result.Trial{
				Kind: result.KindTrial, Workload: "sum", Design: cases[order].Design, Point: point, World: result.Live,
				Block: block, Order: order, Status: result.OK, Expected: true, Type: result.Job, WallSeconds: seconds,
				Metrics: result.Metrics{result.WallSeconds: result.Value(seconds)},
			})
		}
	}

	for _, v := range lab.Analyze(trials, lab.AnalyzeOptions{Cases: cases}).Verdicts {
		fmt.Printf("%s is %s: %.2fx the time of %s in %d blocks\n", v.A, v.Verdict, float64(v.Ratio), v.B, v.N)
	}
	// Output: new is faster: 0.50x the time of old in 6 blocks
}
