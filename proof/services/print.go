package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/brewput/brewput/proof/record"
)

// print writes what was measured, and returns the exit code.
func (c *campaign) print(all []cell, done map[string]entry) (code int) {
	for p := range partCount {
		var rows []row
		for _, x := range all {
			if e, ok := done[x.name]; ok && x.part == p {
				rows = append(rows, row{x, e})
			}
		}
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(c.stdout, "\n%s\n", titles[p])
		switch p {
		case ratePart:
			code = worse(code, printRates(c.stdout, rows))
		case connectionPart:
			printConnections(c.stdout, rows)
		default:
			printTimes(c.stdout, rows)
		}
		if p == peerPart {
			printAccuracy(c.stdout, rows)
		}
		for _, r := range rows {
			switch r.cell.judge(r.entry) {
			case missed:
				code = worse(code, record.ExitBroken)
			case disturbed:
				code = worse(code, record.ExitUndecided)
			}
		}
	}
	return code
}

// titles are the first lines of the tables.
var titles = [partCount]string{
	truthPart: "Response times of brewput run http against the truth, in ms. Limit: 3% + 0.2 ms. late: the p99 of " +
		"how much\nlater requests reached the server than the quickest one. others: CPUs in use by other processes.",
	pausePart: "A server that pauses: an open loop shows it, and a closed loop hides it.",
	peerPart:  "Load generators at the same constant rate, in ms: what they report, and the truth for that rate.",
	ratePart:  "Requests per second of each tool on one CPU, 64 connections, server on another CPU.",
	connectionPart: "Connections that stay open. The memory is the peak of the process that makes the load, with its " +
		"histograms.",
}

// row is a measured cell.
type row struct {
	cell  cell
	entry entry
}

// printTimes writes response times and their truth.
func printTimes(w io.Writer, rows []row) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "cell\trequests\tp50\ttrue\tp90\ttrue\tp99\ttrue\tlargest error\tlate\tlag\tothers\t")
	for _, r := range rows {
		e := r.entry
		if e.Missing != "" && e.Got[0] == 0 {
			fmt.Fprintf(t, "%s\t%s\n", r.cell.name, e.Missing)
			continue
		}
		fmt.Fprintf(t, "%s\t%d", r.cell.name, e.Requests)
		for i := range quantiles {
			fmt.Fprintf(t, "\t%s\t%s", ms(e.Got[i]), ms(e.Truth[i]))
		}
		fmt.Fprintf(t, "\t%s\t%s\t%s\t%s\t%s\n", multiple(e), ms(e.Late[1]), ms(e.Lag), others(e), r.cell.judge(e))
	}
	t.Flush()
}

// ms formats a time in ms. An unknown time is a dash.
func ms(ns float64) string {
	if ns == 0 || math.IsNaN(ns) {
		return "-"
	}
	return fmt.Sprintf("%.3g", ns/1e6)
}

// others formats the CPUs in use by other processes, which are known for brewput only.
func others(e entry) string {
	if e.Others == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", max(0, e.Others))
}

// largest returns the largest error as a multiple of what the limits allow. It is infinite if the truth is unknown.
func largest(e entry) (worst float64) {
	for i := range quantiles {
		if e.Truth[i] == 0 {
			return math.Inf(1)
		}
		worst = max(worst, math.Abs(e.Got[i]-e.Truth[i])/(relativeError*e.Truth[i]+absoluteError))
	}
	return worst
}

// multiple formats the largest error.
func multiple(e entry) string {
	if x := largest(e); !math.IsInf(x, 1) {
		return fmt.Sprintf("%.2f of the limit", x)
	}
	return "-"
}

// printAccuracy writes whether brewput is as accurate as the best of vegeta and hey, at each server: its errors are
// within the limits, or at most as large.
func printAccuracy(w io.Writer, rows []row) {
	for _, r := range rows {
		server, own := strings.CutSuffix(r.cell.name, ", brewput")
		if !own {
			continue
		}
		best, name := math.Inf(1), ""
		for _, p := range rows {
			if rest, ok := strings.CutSuffix(p.cell.name, ", "+p.cell.tool); ok && rest == server && p.counts() {
				if x := largest(p.entry); x < best {
					best, name = x, p.cell.tool
				}
			}
		}
		if name == "" || r.entry.Missing != "" {
			continue
		}
		word, off := met, largest(r.entry)
		if off > 1 && off > best {
			word = r.cell.judge(r.entry)
		}
		fmt.Fprintf(w, "%s: %s: the largest error of brewput is %.2f of the limit, and that of %s %.2f\n", word, server,
			off, name, best)
	}
}

// counts reports whether the row is of a tool that brewput must match.
func (r row) counts() bool {
	return (r.cell.tool == "vegeta" || r.cell.tool == "hey") && r.entry.Missing == ""
}

// leastRate is the least rate of brewput as a share of the best one of vegeta and hey.
const leastRate = 0.8

// printRates writes the median rate of each tool, and whether that of brewput is high enough.
func printRates(w io.Writer, rows []row) (code int) {
	rates, missing, shares := map[string][]float64{}, map[string]string{}, map[string][]float64{}
	var tools []string
	for _, r := range rows {
		if !slices.Contains(tools, r.cell.tool) {
			tools = append(tools, r.cell.tool)
		}
		if missing[r.cell.tool] = r.entry.Missing; r.entry.Missing == "" {
			rates[r.cell.tool] = append(rates[r.cell.tool], r.entry.Rate)
			shares[r.cell.tool] = append(shares[r.cell.tool], r.entry.CPUUsed)
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "tool\trounds\trequests/s\tCPU of the server")
	best, name := 0.0, ""
	for _, tool := range tools {
		if missing[tool] != "" {
			fmt.Fprintf(t, "%s\t%s\n", tool, missing[tool])
			continue
		}
		rate := median(rates[tool])
		if (tool == "vegeta" || tool == "hey") && rate > best {
			best, name = rate, tool
		}
		fmt.Fprintf(t, "%s\t%d\t%.0f\t%.2f\n", tool, len(rates[tool]), rate, median(shares[tool]))
	}
	t.Flush()
	switch {
	case best == 0:
		fmt.Fprintln(w, "undecided: the rates of vegeta and hey are missing")
		return record.ExitUndecided
	case len(rates["brewput"]) == 0:
		fmt.Fprintln(w, "undecided: the rate of brewput is missing")
		return record.ExitUndecided
	}
	share, word := median(rates["brewput"])/best, met
	if share < leastRate {
		word, code = missed, record.ExitBroken
	}
	fmt.Fprintf(w, "%s: brewput sends %.3g times as many as %s, the better of vegeta and hey; at least %.3g needed\n",
		word, share, name, leastRate)
	return code
}

// median returns the median; of an even number of values the upper one.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// printConnections writes the cell of connections.
func printConnections(w io.Writer, rows []row) {
	for _, r := range rows {
		e := r.entry
		fmt.Fprintf(w, "%s: %.0f opened, %.3g of the requests failed, %.0f requests/s, %.0f MB, p99 %s ms, %s\n",
			r.cell.name, e.Conns, e.Failed, e.Rate, e.Memory/1e6, ms(e.Got[2]), r.cell.judge(e))
	}
}

// worse returns the exit code that counts: a missed target outweighs an undecided one.
func worse(a, b int) int {
	if a == record.ExitBroken || b == 0 {
		return a
	}
	return b
}
