package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// demandRows is the height of the picture of the demand for CPUs.
const demandRows = 8

// writeDemand draws how many goroutines wanted a CPU over time, and writes what follows from it.
func writeDemand(b *strings.Builder, r explain.Report, t *evidence.Trace, st Style) {
	if t != nil && len(t.Demand.Mean) > 0 {
		writeHeading(b, "running and runnable goroutines over time",
			fmt.Sprintf("%s: running; %s: waiting for a CPU; %s in total, from the trace",
				st.pick("█", "#"), st.pick("░", "."), duration(t.Duration)), st)
		drawDemand(b, t, st)
	}

	var lines []string
	if r.DistinctPhases() {
		var phases []string
		for _, p := range r.Phases {
			phases = append(phases, fmt.Sprintf("%s to %s: %.1f want, %.1f run", duration(p.From), duration(p.To),
				p.Demand, p.Running))
		}
		lines = append(lines, "phases: "+strings.Join(phases, "; "))
	}

	p := r.Parallelism
	if isKnown(p.SerialFraction) && p.SerialFraction > 0 {
		text := fmt.Sprintf("serial: %s of the work is done while only one goroutine wants a CPU",
			decimal.WholePercent(p.SerialFraction))
		if isKnown(p.MaxSpeedup) && isKnown(p.Speedup) {
			text += fmt.Sprintf("; by Amdahl's law it is at most %sx faster than on one CPU, and %sx on %s",
				number(result.Value(p.MaxSpeedup), "", 2), number(result.Value(p.Speedup), "", 2),
				result.Count(p.CPUs, "CPU"))
		}
		lines = append(lines, text)
	}
	if isKnown(p.Inflation) {
		lines = append(lines, fmt.Sprintf("inflation: the same work takes %.2fx the CPU time with several CPUs",
			p.Inflation))
	}

	for _, l := range lines {
		words := st.split(l)
		wrap(b, append([]string{"  " + words[0]}, words[1:]...), " ", 4, st.width())
	}
}

// isKnown reports whether x is a number other than 0.
func isKnown(x float64) bool { return x != 0 && !math.IsNaN(x) && !math.IsInf(x, 0) }

// drawDemand draws one column for the mean of some slices. Demand far above the number of CPUs is cut off, and the
// label of the top marks the cut.
func drawDemand(b *strings.Builder, t *evidence.Trace, st Style) {
	margin := 6
	width := min(st.width(), maxPlotWidth) - margin - 2
	wants, runs := downsample(t.Demand.Mean, width), downsample(t.Demand.Running, width)
	top := float64(max(t.CPUs, 1))
	for _, w := range wants {
		top = max(top, w)
	}

	cut := top > 4*float64(t.CPUs)
	if cut {
		top = 4 * float64(t.CPUs)
	}

	for row := demandRows; row >= 1; row-- {
		at, below := top*float64(row)/demandRows, top*float64(row-1)/demandRows
		label := ""
		switch {
		case row == demandRows && cut:
			label = st.pick("≥", ">=") + strconv.Itoa(int(top))
		case row == demandRows:
			label = strconv.FormatFloat(top, 'f', -1, 64)
			if top != math.Trunc(top) {
				label = strconv.FormatFloat(top, 'f', 1, 64)
			}
		case below < float64(t.CPUs) && at >= float64(t.CPUs) && t.CPUs > 0:
			label = result.Count(t.CPUs, "CPU")
		}
		line := ""
		for i := range wants {
			middle := (at + below) / 2
			switch {
			case runs[i] >= middle:
				line += st.pick("█", "#")
			case wants[i] >= middle:
				line += st.pick("░", ".")
			default:
				line += " "
			}
		}
		fmt.Fprintf(b, "%s %s%s\n", padLeft(label, margin), st.paint(dim, st.pick("│", "|")),
			strings.TrimRight(line, " "))
	}
	fmt.Fprintf(b, "%s %s\n", padLeft("0", margin),
		st.paint(dim, st.pick("└", "+")+strings.Repeat(st.pick("─", "-"), len(wants))))
}

// padLeft fills s with spaces on its left up to width.
func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-len([]rune(s)))) + s
}

// downsample returns the means of a series over at most limit equal stretches.
func downsample(list []float64, limit int) []float64 {
	n := min(len(list), limit)
	out := make([]float64, n)
	for i := range out {
		from, to := i*len(list)/n, (i+1)*len(list)/n
		for _, x := range list[from:to] {
			out[i] += x
		}
		out[i] /= float64(to - from)
	}
	return out
}
