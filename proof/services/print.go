package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/result"
)

// print writes what was measured, and returns the exit code.
func (c *campaign) print(all []cell, done map[string]entry) (code int) {
	fmt.Fprintf(c.stdout, "Idle CPUs %s.\n", sleeping(c.awake))
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
			code = record.Worse(code, printRates(c.stdout, rows))
		case connectionPart:
			printConnections(c.stdout, rows)
		default:
			printTimes(c.stdout, rows)
		}
		if p == peerPart {
			code = record.Worse(code, printAccuracy(c.stdout, rows))
		}
		for _, r := range rows {
			code = record.Worse(code, r.cell.judge(r.entry).code())
		}
	}
	return code
}

// sleeping says what the kernel does with idle CPUs.
func sleeping(awake bool) string {
	if awake {
		return "are kept awake"
	}
	return "may sleep, and wake late"
}

// titles are the first lines of the tables.
var titles = [partCount]string{
	truthPart: "Response times of brewput run http against the truth, in ms. Limit: 3% + 0.2 ms. late: the p99 of " +
		"how much\nlater requests reached the server than the quickest one. joined: the p99 of how long they took " +
		"from there\nto the queue, which is in the truth. refused: trials before this one in which brewput was " +
		"late on an idle\nmachine, and gave no number. others: CPUs in use by other processes.",
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
	fmt.Fprintln(t, "cell\trequests\tp50\ttrue\tp90\ttrue\tp99\ttrue\tlargest error\tlate\tjoined\tlag\trefused"+
		"\tothers\t")
	for _, r := range rows {
		e := r.entry
		if e.Missing != "" && e.Got[0] == 0 {
			why := e.Missing
			if e.Missing == lateSelf {
				why = fmt.Sprintf("%s: %s; %s on an idle machine", why, r.cell.judge(e),
					result.Count(idleRefusals(e), "trial"))
			}
			fmt.Fprintf(t, "%s\t%s\n", r.cell.name, why)
			continue
		}
		fmt.Fprintf(t, "%s\t%d", r.cell.name, e.Requests)
		for i := range quantiles {
			fmt.Fprintf(t, "\t%s\t%s", ms(e.Got[i]), ms(e.Truth[i]))
		}
		fmt.Fprintf(t, "\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", multiple(e), ms(e.Late[1]), ms(e.Joined[1]), ms(e.Lag),
			e.Refused, others(e), r.cell.judge(e))
	}
	t.Flush()
}

// idleRefusals is in how many trials on an idle machine brewput was late, with that of an entry without a number.
func idleRefusals(e entry) int {
	if e.busy() {
		return e.Refused
	}
	return e.Refused + 1
}

// ms formats a time in ms. An unknown time is a dash.
func ms(ns float64) string {
	if ns == 0 || math.IsNaN(ns) {
		return "-"
	}
	return decimal.Digits(ns/1e6, 3)
}

// others formats the CPUs in use by other processes.
func others(e entry) string {
	if e.Others == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", e.Others)
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

// counts reports whether the row has a number that may be compared.
func (r row) counts() bool { return r.entry.Missing == "" && r.cell.judge(r.entry) != disturbed }

// rivals compares the tools that brewput must match.
type rivals struct {
	best    float64  // the best score; larger is better
	name    string   // of the best one; "" if none has a score
	missing []string // names of those without a score, each of which could be the best one
}

// rivalNames returns the names of the rivals.
func rivalNames() (names []string) {
	for _, p := range peers() {
		if p.rival {
			names = append(names, p.name)
		}
	}
	return names
}

// newRivals returns the rivals without scores.
func newRivals() *rivals { return &rivals{best: math.Inf(-1), missing: rivalNames()} }

// add adds the score of a tool, once. It does nothing if the tool is no rival.
func (r *rivals) add(tool string, score float64) {
	i := slices.Index(r.missing, tool)
	if i < 0 {
		return
	}
	r.missing = slices.Delete(r.missing, i, i+1)
	if score > r.best {
		r.best, r.name = score, tool
	}
}

// printAccuracy writes whether brewput is as accurate as the best of its rivals, at each server.
func printAccuracy(w io.Writer, rows []row) (code int) {
	for _, r := range rows {
		if server, own := strings.CutSuffix(r.cell.name, ", brewput"); own {
			word, text := accuracy(server, r, rows)
			fmt.Fprintf(w, "%s: %s: %s\n", word, server, text)
			code = record.Worse(code, word.code())
		}
	}
	return code
}

// accuracy decides whether the errors of brewput's row are within the limits, or at most as large as those of the best
// rival at the same server. A rival without a number could be the best one.
func accuracy(server string, own row, rows []row) (word verdict, text string) {
	others := newRivals()
	for _, r := range rows {
		off := largest(r.entry)
		if r.cell.name == server+", "+r.cell.tool && r.counts() && !math.IsInf(off, 1) {
			others.add(r.cell.tool, -off)
		}
	}
	switch {
	case own.entry.Missing == lateSelf && own.cell.judge(own.entry) == missed:
		return missed, fmt.Sprintf("brewput was late in %s on an idle machine",
			result.Count(idleRefusals(own.entry), "trial"))
	case !own.counts():
		return undecided, "no times of brewput"
	case others.name == "":
		return undecided, "no times of " + compare.JoinNames(others.missing)
	}

	off, best := largest(own.entry), -others.best
	switch {
	case off > 1 && off > best:
		word = missed
	case off > 1 && len(others.missing) > 0:
		return undecided, "no times of " + compare.JoinNames(others.missing)
	default:
		word = met
	}
	return word, fmt.Sprintf("the largest error of brewput is %.2f of the limit, and that of %s %.2f", off,
		others.name, best)
}

// leastRate is the least rate of brewput as a share of the best one of its rivals.
const leastRate = 0.8

// printRates writes the median rate of each tool over its undisturbed rounds, and whether that of brewput is high
// enough. A rival without a number could be the best one.
func printRates(w io.Writer, rows []row) (code int) {
	rates, why, shares := map[string][]float64{}, map[string]string{}, map[string][]float64{}
	var tools []string
	for _, r := range rows {
		if !slices.Contains(tools, r.cell.tool) {
			tools = append(tools, r.cell.tool)
		}
		if !r.counts() || r.entry.Rate <= 0 {
			why[r.cell.tool] = cmp.Or(r.entry.Missing, "disturbed by other processes, or without a rate")
			continue
		}
		rates[r.cell.tool] = append(rates[r.cell.tool], r.entry.Rate)
		shares[r.cell.tool] = append(shares[r.cell.tool], r.entry.CPUUsed)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "tool\trounds\trequests/s\tCPU of the server")
	others := newRivals()
	for _, tool := range tools {
		if len(rates[tool]) == 0 {
			fmt.Fprintf(t, "%s\t%s\n", tool, why[tool])
			continue
		}
		rate := median(rates[tool])
		others.add(tool, rate)
		fmt.Fprintf(t, "%s\t%d\t%.0f\t%.2f\n", tool, len(rates[tool]), rate, median(shares[tool]))
	}
	t.Flush()

	own := rates["brewput"]
	if len(own) == 0 {
		fmt.Fprintln(w, "undecided: no rate of brewput")
		return record.ExitUndecided
	}
	share, word := median(own)/others.best, met
	switch {
	case others.name != "" && share < leastRate:
		word = missed
	case len(others.missing) > 0:
		fmt.Fprintf(w, "undecided: no rate of %s\n", compare.JoinNames(others.missing))
		return record.ExitUndecided
	}
	fmt.Fprintf(w, "%s: brewput sends %.3g times as many as %s, the best of %s; at least %.3g needed\n", word, share,
		others.name, compare.JoinNames(rivalNames()), leastRate)
	return word.code()
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
		fmt.Fprintf(w, "%s: %.0f open at once, %.3g of the requests failed, %.0f requests/s, %.0f MB, p99 %s ms, %s\n",
			r.cell.name, e.Conns, e.Failed, e.Rate, e.Memory/1e6, ms(e.Got[2]), r.cell.judge(e))
	}
}
