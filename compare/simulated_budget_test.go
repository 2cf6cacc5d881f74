package compare

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// budgets compares whole sweeps with a generous budget with the same sweeps of 40 full blocks, for typical designs.
func (o *table) budgets() {
	const sweeps, designs = 20, 6
	all := machinesWith(0.01)
	once, interims := DefaultCriteria("d0", nil), sequential()
	interims.Baseline = "d0"
	r := rand.New(rand.NewPCG(8, 0))
	decided, same, more, trials := 0, 0, 0, 0
	for i := range sweeps {
		effects := make([]float64, designs)
		for d := 1; d < designs; d++ { // typical steps: none, a tenth, a half, a doubling
			effects[d] = effects[d-1] + []float64{0, math.Log(1.1), math.Log(1.5), math.Log(2)}[r.IntN(4)]
		}
		logs := all[i%len(all)].sweep(r, 40, effects)
		measured, short := budgeted(interims, logs, []float64{1, 1, 1, 1, 1, 1}, math.Inf(1))
		trials += measured
		rows, everything := sweepOf(names(designs), logs)
		for k, v := range once.Verdicts(rows, everything) {
			decided += boolToInt(v.Verdict != Undecided)
			same += boolToInt(v.Verdict != Undecided && v.Verdict == short[k].Verdict)
			more += boolToInt(v.Verdict == Undecided && short[k].Verdict != Undecided)
		}
	}
	share := 100 * float64(trials) / (sweeps * designs * 40)
	o.line("\n%d sweeps of six designs on these machines in turn, with an error of 1%% a trial and enough time; each "+
		"design is 0,\n10, 50 or 100%% faster than the previous one: 40 blocks of all cases decide %d comparisons. "+
		"A budget reaches %d of\nthese verdicts, and %d more, with %.1f%% of the trials.", sweeps,
		decided, same, more, share)
	if same != decided || share > 50 {
		o.t.Errorf("the same verdicts in %d of %d comparisons, with %.1f%% of the trials", same, decided, share)
	}
}

// allocations compares sweeps with a short budget with the same sweeps of 40 full blocks. The designs are similar
// and compared with one baseline, on any machine, and each case has its own cost.
func (o *table) allocations() {
	const designs = 5
	noises := []float64{0.01, 0.02, 0.03}
	once, interims := DefaultCriteria("d0", nil), sequential()
	interims.Baseline = "d0"
	got := experiment(10, len(noises), func(i int, r *rand.Rand, c tally) {
		effects, costs, block := make([]float64, designs), make([]float64, designs), 0.0
		for d := range designs {
			if d > 0 {
				effects[d] = effects[d-1] + someStep(r)
			}
			costs[d] = 0.5 + 1.5*r.Float64()
			block += costs[d]
		}
		all := machinesWith(noises[i])
		logs := all[r.IntN(len(all))].sweep(r, 40, effects)
		measured, short := allocated(interims, logs, costs, 40*block*(0.25+0.75*r.Float64()))
		long := once.judge(pairsOf(logs))
		for k := range long {
			sure, soon := long[k].verdict != Undecided, short[k].verdict != Undecided
			same := directedVerdict(long[k].verdict, long[k].ratio.Ratio, result.Throughput) ==
				directedVerdict(short[k].verdict,
					short[k].ratio.Ratio, result.Throughput)
			c["decided"] += float64(boolToInt(sure))
			c["same"] += float64(boolToInt(sure && same))
			c["another"] += float64(boolToInt(sure && soon && !same))
		}
		c["false"] += falseClaim(short, effects)
		c["false by 40"] += falseClaim(long, effects)
		c["trials"] += float64(measured) / (designs * 40)
	})
	o.line("\nSweeps of five designs, each compared with the previous and the first; steps are 0, exactly the margin " +
		"of 2%%, 1 to\n5%%, 10 or 50%%. Each has one of these machines, random costs, and 25 to 100%% of the time " +
		"of 40 blocks of all cases:\n")
	o.head("error of a trial", "decided by 40 blocks", "same verdict by the budget",
		"another verdict", "undecided", "sweeps with a false verdict, budget", "same, 40 blocks",
		"trials")
	for i, c := range got {
		of := func(name string) float64 { return 100 * c[name] / c["decided"] }
		o.line("| %.0f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% |", 100*noises[i],
			c.share("decided")/(2*designs-3),
			of("same"), of("another"), 100-of("same")-of("another"), c.share("false"), c.share("false by 40"),
			c.share("trials"))
		o.within(fmt.Sprintf("error of %v: false verdicts of a budget", noises[i]), c.share("false"), 0, 5)
	}
}

// someStep returns the logarithm of the ratio of two neighbours, which is often hard to judge.
func someStep(r *rand.Rand) float64 {
	step := []float64{0, 0, math.Log(1.02), math.Log(1.01 + 0.04*r.Float64()), math.Log(1.1), math.Log(1.5)}[r.IntN(6)]
	if r.IntN(2) == 0 {
		return -step
	}
	return step
}

// comparisonPairs returns the comparisons of n designs, each with the first and with the one before it.
func comparisonPairs(n int) [][2]int {
	var list [][2]int
	for d := 1; d < n; d++ {
		list = append(list, [2]int{d, 0})
		if d > 1 {
			list = append(list, [2]int{d, d - 1})
		}
	}
	return list
}

// pairsOf returns the blocks that hold both designs of each couple. A design drops out where its logarithms end or
// are NaN.
func pairsOf(logs [][]float64) []blockSeries {
	var all []blockSeries
	for _, c := range comparisonPairs(len(logs)) {
		var s blockSeries
		a, b := logs[c[0]], logs[c[1]]
		for i := range min(len(a), len(b)) {
			if !math.IsNaN(a[i] + b[i]) {
				s.blocks, s.logs = append(s.blocks, i), append(s.logs, a[i]-b[i])
			}
		}
		all = append(all, s)
	}
	return all
}

// falseClaim is 1 for a false verdict: a difference without one or of the wrong sign, or equivalence of designs
// that differ by the margin.
func falseClaim(states []sequentialState, effects []float64) float64 {
	const tiny = 1e-9 // rounding
	for i, c := range comparisonPairs(len(effects)) {
		truth, s := effects[c[0]]-effects[c[1]], &states[i]
		switch {
		case s.verdict == differs && (math.Abs(truth) < tiny || (truth > 0) != (s.ratio.Ratio > 1)):
			return 1
		case s.verdict == Equivalent && math.Abs(truth) > math.Log(1.02)-tiny:
			return 1
		}
	}
	return 0
}

// allocated is [budgeted] without trials and rows, which take most of its time.
func allocated(j Criteria, logs [][]float64, costs []float64, time float64) (trials int, states []sequentialState) {
	seen := make([][]float64, len(logs))
	course := Allocation{Blocks: j.Interims.Blocks[0]}
	for d := range logs {
		course.Cases = append(course.Cases, d)
	}
	for block := 0; course.Blocks > 0; {
		for range course.Blocks {
			for d := range seen {
				seen[d] = append(seen[d], math.NaN())
			}
			for _, d := range course.Cases {
				seen[d][block] = logs[d][block]
				time -= costs[d]
				trials++
			}
			block++
		}
		list := j.states(pairsOf(seen))
		for i, c := range comparisonPairs(len(logs)) {
			list[i].A, list[i].B = c[0], c[1]
		}
		course = j.allocateBlocks(list, costs, time)
	}
	return trials, j.judge(pairsOf(seen))
}

func names(n int) []string {
	var list []string
	for d := range n {
		list = append(list, fmt.Sprint("d", d))
	}
	return list
}

// budgeted measures what a time budget permits of a sweep, and judges it.
func budgeted(j Criteria, logs [][]float64, costs []float64, time float64) (trials int, verdicts []Verdict) {
	rows, _ := sweepOf(names(len(logs)), logs)
	var cases []plan.Case
	course := Allocation{Blocks: j.Interims.Blocks[0]}
	for d := range rows {
		cases = append(cases, plan.Case{Design: rows[d].Design, Point: rows[d].Point})
		course.Cases = append(course.Cases, d)
	}
	var done []result.Trial
	for block := 0; course.Blocks > 0; {
		for range course.Blocks {
			for _, d := range course.Cases {
				done = append(done, trialOf(cases[d].Design, block, logs[d][block]))
				time -= costs[d]
			}
			block++
		}
		course = j.Allocate(rows, done, cases, costs, time)
	}
	return len(done), j.Verdicts(rows, done)
}
