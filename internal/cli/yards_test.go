package cli_test

import (
	"errors"
	"math"
	"path/filepath"
	"testing/fstest"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// yards is a workload with a reference, formulas, metrics of the jobs' own, and a file.
func yards() *workload.Workload {
	of := func(text string, seconds func(plan.Point, workload.Measured) float64) *workload.Formula {
		return &workload.Formula{Text: text, Source: "arithmetic", Seconds: seconds}
	}
	return &workload.Workload{
		Name: "yards",
		Doc:  "Burns of one millisecond.",
		// Designs in test files have no line counts.
		Source: fstest.MapFS{"yards.go": {Data: []byte("package yards\n\nfunc newThree() {\n}\n")}},
		Factors: []plan.Factor{
			{Name: "cloth", Doc: "a file that nobody reads", Kind: plan.Text, Path: true},
			{Name: "length", Doc: "of no importance", Kind: plan.Int, Default: "70", Input: true},
		},
		Quick: map[string]string{"length": "7", "cloth": "scrap"},
		Designs: []workload.Design{
			{Name: "one", Doc: "one burn", Uses: []string{"cloth"}, Job: newOne},
			{Name: "metre", Doc: "somebody else's two burns", Job: newMetre, Reference: true},
			{Name: "three", Doc: "three burns", Uses: []string{"length"}, Job: newThree,
				Formula: of("3 x one", func(p plan.Point,
					m workload.Measured) float64 {
					return 3 * m.Wall("one", p)
				})},
			{Name: "four", Doc: "four burns", Job: newFour,
				Formula: of("the cuts of crooked, in seconds", func(p plan.Point, m workload.Measured) float64 {
					cuts, ok := m.Metric("crooked", "cuts", p)
					if !ok {
						return math.NaN()
					}
					return cuts
				})},
			{Name: "crooked", Doc: "a wrong answer", Job: newCrooked, Expect: workload.WrongAnswer},
		},
	}
}

func newOne(_ env.Env, p plan.Point) (workload.Job, error)   { return burns(p, 1, nil) }
func newMetre(_ env.Env, p plan.Point) (workload.Job, error) { return burns(p, 2, nil) }
func newThree(_ env.Env, p plan.Point) (workload.Job, error) { return burns(p, 3, nil) }
func newFour(_ env.Env, p plan.Point) (workload.Job, error)  { return burns(p, 4, nil) }
func newCrooked(_ env.Env, p plan.Point) (workload.Job, error) {
	return burns(p, 2, errors.New("it is crooked"))
}

// burns is a job of so many burns, whose answer is wrong for a reason.
func burns(p plan.Point, n int, wrong error) (workload.Job, error) {
	if p.Has("cloth") && !filepath.IsAbs(p.Text("cloth")) {
		return workload.Job{}, errors.New("the path is not absolute")
	}
	return workload.Job{
		Items: int64(n), Bytes: int64(1000 * n),
		Run: func(e env.Env) error {
			for range n {
				e.Burn(time.Millisecond)
			}
			return nil
		},
		Check:   func() (workload.Answer, error) { return workload.Answer{"burns": n}, wrong },
		Metrics: func() map[string]float64 { return map[string]float64{"cuts": float64(n)} },
	}, nil
}
