// Package intent describes what a run will measure and how long it will take, for the command line.
package intent

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// Designs describes what a run of designs will measure and how long it will take.
func Designs(s lab.Started) string {
	h := &s.Header
	lines := []string{s.Dir + " is complete"}
	if !s.Complete {
		lines[0] = designs(s) + "; stored in " + s.Dir
	}
	if h.Quick != "" {
		lines = append(lines, h.Quick)
	}
	if strings.HasPrefix(h.CostsFrom, sweep.CostsCalibrated) {
		where := "this machine"
		if s.Complete || s.Estimate.Done > 0 {
			where = "the machine it began on"
		}
		lines = append(lines, "the scheduler's costs are those of "+where+", "+h.CostsFrom)
	}
	for _, w := range h.Warnings {
		if !strings.HasPrefix(w, sweep.WhyTypical) { // the page warns of that
			lines = append(lines, "warning: "+w)
		}
	}
	if h.WarmupReason != "" {
		lines = append(lines, h.WarmupReason)
	}
	return strings.Join(lines, "\n")
}

// designs describes what is still to be measured, and for how long.
func designs(s lab.Started) string {
	h, o := &s.Header, s.Estimate
	if h.World == result.Virtual {
		return virtual(s)
	}
	if len(h.Cases) == 0 {
		return fmt.Sprintf("%s: this machine has %d CPUs, so nothing can be measured; predicted: %s, %s each",
			h.Workload, runtime.NumCPU(), result.Count(len(h.PredictedCases), "case"),
			result.Count(h.Blocks, "replication"))
	}

	text := h.Workload + ": " + caseCount(h)
	if n := len(h.PredictedOnly()); n > 0 {
		text += fmt.Sprintf(" (and %s beyond %d CPUs, only predicted)", result.Count(n, "case"), runtime.NumCPU())
	}
	if h.Rule != nil {
		return text + budget(h, o)
	}
	text += fmt.Sprintf(", %s, with and without instrumentation: %s", result.Count(h.Blocks, "block"),
		result.Count(o.Total, "trial"))
	if o.Done > 0 {
		text += fmt.Sprintf(", %d of them done", o.Done)
	}
	if o.Remaining > 0 {
		text += ", about " + result.Rounded(o.Remaining).String()
	}
	if o.Jobs {
		text += " plus the time of its jobs"
	}
	return text
}

// caseCount counts the designs and cases of a run.
func caseCount(h *sweep.Header) string {
	designs := designCount(h)
	count := result.Count(designs, "design")
	if len(h.Cases) > designs {
		count = result.Count(len(h.Cases), "case") + " of " + count
	}
	return count
}

// designCount counts the designs of a run.
func designCount(h *sweep.Header) int {
	designs := map[string]bool{}
	for _, c := range h.Cases {
		designs[c.Design] = true
	}
	return len(designs)
}

// virtual describes what is still to be calculated.
func virtual(s lab.Started) string {
	h := &s.Header
	text := fmt.Sprintf("%s, in virtual time: %s, ", h.Workload, caseCount(h))
	if p := h.Precision; p != nil {
		text += fmt.Sprintf("%d to %d replications each, until every mean is within %v", p.MinReplications,
			p.MaxReplications,
			decimal.Percent(p.Relative, 3))
	} else {
		text += result.Count(h.Blocks, "replication") + " each"
	}
	if s.Estimate.Done > 0 {
		text += ", " + result.Count(s.Estimate.Done, "trial") + " done"
	}
	return text
}

// budget describes what a run with a budget still has to measure.
func budget(h *sweep.Header, o sweep.Estimate) string {
	limit, first := time.Duration(h.Rule.Budget), h.Rule.InterimBlocks[0]
	text := fmt.Sprintf(": interim analyses at %s blocks", joinNumbers(h.Rule.InterimBlocks))
	if h.Instrumented {
		text = ", with and without instrumentation" + text
	}
	if o.Done > 0 {
		return text + fmt.Sprintf(", %d trials done, %v of %v left", o.Done, result.Rounded(o.BudgetLeft), limit)
	}
	text += fmt.Sprintf(", in %v at most", limit)
	switch fit := limit / max(o.Block, 1); {
	case o.Block == 0:
		return text + "; the time of a block is unknown until one is done"
	case o.Jobs:
		text += fmt.Sprintf("; the first comes after about %s plus the time of the jobs",
			result.Rounded(time.Duration(first)*o.Block))
	case fit < time.Duration(first):
		text += fmt.Sprintf("; this is enough for about %d of the %d blocks before the first interim analysis, so "+
			"nothing can be decided: give --budget %v or more", fit, first,
			result.Rounded(time.Duration(first)*o.Block*11/10)) // blocks can take longer than expected
	default:
		text += fmt.Sprintf("; the first comes after about %s", result.Rounded(time.Duration(first)*o.Block))
	}
	return text
}

// joinNumbers prints numbers as in "10, 15 and 20".
func joinNumbers(ns []int) string {
	var words []string
	for _, n := range ns {
		words = append(words, fmt.Sprint(n))
	}
	return compare.JoinNames(words)
}

// Commands describes what a comparison of commands has still to measure.
func Commands(s lab.Started) string {
	h := &s.Header
	if s.Complete {
		return s.Dir + " is complete"
	}
	text := ", " + result.Count(h.Blocks, "block")
	if h.Rule != nil {
		text = budget(h, s.Estimate)
	}
	return result.Count(len(h.Cases), "command") + text + "; stored in " + s.Dir
}

// Benchmarks describes what a run of benchmarks has still to measure.
func Benchmarks(s lab.Started) string {
	h := &s.Header
	text, size := h.Workload+": "+result.Count(designCount(h), "benchmark"), result.Count(len(h.Cases), "trial")
	if h.Rule != nil {
		text += ", " + size + " a block" + budget(h, s.Estimate)
	} else {
		text += fmt.Sprintf(", %s of %s: %s, about %s", result.Count(h.Blocks, "block"), size,
			result.Count(s.Estimate.Total, "trial"), result.Rounded(s.Estimate.Remaining))
	}
	return text + "; stored in " + s.Dir
}

// Progress is the progress of an interrupted sweep, in trials.
func Progress(h *sweep.Header, trials, total int) string {
	if h.Rule != nil || h.Precision != nil {
		return result.Count(trials, "trial")
	}
	return fmt.Sprintf("%d of %s", trials, result.Count(total, "trial"))
}
