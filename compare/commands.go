package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// CommandMetrics are the metrics of commands that verdicts compare, in the order of tables.
func CommandMetrics() []string { return []string{result.WallSeconds, result.CPUSeconds, result.MaxRSS} }

// CommandAnalysis is what the trials of a comparison of commands say.
type CommandAnalysis struct {
	Names    map[string]string // of the commands in sentences, by design
	Lines    map[string]string // the command lines, by design
	Rows     []Row             // the commands in their order; the first is the baseline
	Verdicts []Verdict         // on wall time, then CPU time, then memory; the metrics are separate families
	Warnings []Warning
	Answer   []string // a sentence for each comparison of wall times

	// of Gate
	decisions []GateDecision // nil without a gate
	decision  string
	limit     float64
}

// commandRecord is a record of the JSON contract.
type commandRecord struct {
	Kind          string `json:"kind"` // "command"
	SchemaVersion int    `json:"schema_version"`
	Design        string `json:"design"`
	Command       string `json:"command"` // command line, quoted for a shell
}

// Commands computes the medians, verdicts, warnings and the answer of the trials of commands. names and lines are those
// of the commands, by design. interims are the planned interim analyses of a run with a budget; nil without one.
func (c Criteria) Commands(rows []Row, trials []result.Trial, names, lines map[string]string,
	interims []int) *CommandAnalysis {
	a := &CommandAnalysis{Names: names, Lines: lines, Rows: rows, Warnings: Warnings(trials, interims)}
	a.Verdicts = c.Verdicts(rows, trials)
	pairs := c.PairLevels(rows, trials)
	for _, metric := range CommandMetrics()[1:] {
		for _, v := range c.MetricVerdicts(pairs, metric, -1) {
			if metric == result.MaxRSS && (a.AtFloor(v.A) || a.AtFloor(v.B)) {
				v.withoutRatio(metricComparison{NoRatio: belowFloor, Difference: math.NaN()})
				v.Verdict, v.P, v.Permutation = Undecided, result.Unavailable, result.Unavailable
			}
			a.Verdicts = append(a.Verdicts, v)
		}
	}
	a.warn(trials)
	a.answer()
	return a
}

// belowFloor is why memory has no ratio.
const belowFloor = "the memory of a command is below what the system can report"

// floorTolerance allows for counters of memory that the kernel updates late.
const floorTolerance = 1.05

// AtFloor reports whether the memory of a command is not known, because it is below what the system can report: Linux
// counts the memory of the process that starts a program as the program's own.
func (c *CommandAnalysis) AtFloor(design string) bool {
	i := slices.IndexFunc(c.Rows, func(r Row) bool { return r.Design == design })
	if i < 0 {
		return false
	}
	return c.Rows[i].Metric(result.MaxRSS).Median <= floorTolerance*c.Rows[i].Metric(result.MemoryFloor).Median
}

// Records returns the analysis as records of the JSON contract, in this order: commands, summaries, verdicts, warnings,
// the decisions of Gate, answer.
func (c *CommandAnalysis) Records() []any {
	var all []any
	for _, r := range c.Rows {
		all = append(all, commandRecord{"command", result.SchemaVersion, r.Design, c.Lines[r.Design]})
	}
	all = append(all, Records(c.Rows, c.Verdicts, nil, c.Warnings, AnswerOf(c.Answer))...)
	if c.decisions == nil {
		return all
	}
	answer := all[len(all)-1]
	all = all[:len(all)-1]
	for _, d := range c.decisions {
		all = append(all, d)
	}
	return append(all, NewGateRecord(c.decision, c.limit, nil, nil), answer)
}

// Limits of the warnings about commands.
const (
	shortCommand  = 0.005 // seconds; the start of a process takes about 1 ms
	minOutliers   = 6     // trials from which on outliers can be seen
	outlierSpread = 10    // median absolute deviations; of normal noise, 1 in 10^10 trials is beyond
	outlierLeast  = 0.1   // and this part of the median
)

// warn adds the warnings about commands.
func (c *CommandAnalysis) warn(trials []result.Trial) {
	for i := range c.Rows {
		r := &c.Rows[i]
		if wall := r.Metric(result.WallSeconds).Median; wall < shortCommand {
			w, _ := warn(WarnShort, float64(wall), shortCommand, "%s takes %.3gms, much of it process start-up: "+
				"give it more work, or measure the code with a Go benchmark", c.Names[r.Design],
				1e3*float64(wall))
			c.Warnings = append(c.Warnings, w)
		}
		if w, ok := c.outliers(r, trials); ok {
			c.Warnings = append(c.Warnings, w)
		}
	}
	if floor := c.floor(); floor > 0 {
		w, _ := warn(WarnMemory, floor, floor, "memory below %.3gMB is unknown, because the system includes the "+
			"memory of the program that starts a command", floor/1e6)
		c.Warnings = append(c.Warnings, w)
	}
	for i := range c.Warnings {
		if len(c.Rows) > 0 {
			c.Warnings[i].Workload = c.Rows[0].Workload
		}
	}
}

// floor returns the memory below which that of some command is not known, in bytes; 0 if all are known.
func (c *CommandAnalysis) floor() (floor float64) {
	for i := range c.Rows {
		if r := &c.Rows[i]; c.AtFloor(r.Design) {
			floor = max(floor, float64(r.Metric(result.MemoryFloor).Median))
		}
	}
	return floor
}

// outliers warns of trials that took much longer than the others of their command. They are in the statistics.
func (c *CommandAnalysis) outliers(r *Row, trials []result.Trial) (Warning, bool) {
	var walls, deviations []float64
	for i := range trials {
		if t := &trials[i]; trialKey(t) == rowKey(r) && t.Good() {
			walls = append(walls, float64(t.Metrics.Get(result.WallSeconds)))
		}
	}
	if len(walls) < minOutliers {
		return Warning{}, false
	}
	median := stat.Median(walls)
	for _, x := range walls {
		deviations = append(deviations, math.Abs(x-median))
	}
	limit := median + max(outlierSpread*stat.Median(deviations), outlierLeast*median)
	n, worst := 0, 0.0
	for _, x := range walls {
		n, worst = n+boolToInt(x > limit), max(worst, x)
	}
	if n == 0 {
		return Warning{}, false
	}
	text := "other processes, caches or the disk may disturb it: stop other programs, or prepare each run alike " +
		"(option prepare)"
	if n == 1 && worst == walls[0] {
		text = "it is the first run, which fills caches: use more warm-up runs (option warmup-runs), or empty the " +
			"caches before each run (option prepare)"
	}
	w, ok := warn(WarnOutliers, worst/median, limit/median, "%s of %d of %s took up to %.3g times the median; %s",
		result.Count(n, "run"), len(walls), c.Names[r.Design], worst/median, text)
	w.setTrials(n, len(walls))
	return w, ok
}
