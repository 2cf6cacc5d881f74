package gobench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
)

// Exception is a line of an allow-list: a benchmark's metric may cost more than a gate's limit until a day.
type Exception struct {
	Line   int    // in the file, from 1
	Name   string // pattern of benchmarks, as in path.Match, except that * also matches slashes
	Metric string // as users write it
	Until  string // the last day, as in 2026-12-31
	Reason string
}

// matches reports whether the exception covers the metric and the benchmark of a decision.
func (e Exception) matches(v compare.GateDecision) bool {
	return e.names(v.Design) && MetricName(e.Metric) == v.Metric
}

// names reports whether the pattern matches a benchmark.
func (e Exception) names(benchmark string) bool {
	ok, err := path.Match(strings.ReplaceAll(e.Name, "/", "\x00"), strings.ReplaceAll(benchmark, "/", "\x00"))
	return err == nil && ok
}

// Allow marks a decision other than pass as allowed if an exception covers it that has not expired.
func Allow(list []Exception, v *compare.GateDecision, today string) {
	for _, e := range list {
		if e.matches(*v) && v.Decision != compare.Pass && e.Until >= today {
			v.Allowed, v.AllowedUntil = e.Reason, e.Until
		}
	}
}

// EveryBenchmark is the pattern that all benchmarks match.
const EveryBenchmark = "."

// Stale returns the lines that can be removed, because they have expired or match no benchmark of the experiment. It
// keeps lines that may still be needed: for another metric, or if the experiment has only some of the benchmarks.
func Stale(list []Exception, x *Experiment, today string) (lines []compare.StaleException) {
	var known []string
	for _, b := range x.Benchmarks {
		known = append(known, b.Name)
	}
	for _, n := range x.NotCompared() {
		known = append(known, n.Design)
	}
	for _, e := range list {
		expired := e.Until < today
		within := func(whole string) bool { return x.partOf(e.Name, whole) } // which fails or skips itself
		serves := x.Pattern != EveryBenchmark || slices.ContainsFunc(known, e.names) ||
			slices.ContainsFunc(known, within)
		if expired || !serves {
			lines = append(lines, compare.StaleException{Line: e.Line, Name: e.Name, Metric: e.Metric, Until: e.Until,
				Expired: expired})
		}
	}
	return lines
}

// ReadExceptions reads an allow-list.
func ReadExceptions(ctx context.Context, file string) ([]Exception, error) {
	f, err := input.Open(ctx, file, input.AllowList)
	if err != nil {
		return nil, plan.Refuse("allow", nil, "%w", err)
	}
	defer f.Close()
	return parseExceptions(f, file)
}

// parseExceptions reads the lines of an allow-list, which errors call file.
func parseExceptions(from io.Reader, file string) ([]Exception, error) {
	var list []Exception
	in := bufio.NewScanner(from)
	for n := 1; in.Scan(); n++ {
		words := strings.Fields(in.Text())
		comment := func(word string) bool { return word[0] == '#' } // Encode#01 is the second benchmark of a name
		if i := slices.IndexFunc(words, comment); i >= 0 {
			words = words[:i]
		}
		if len(words) == 0 {
			continue
		}
		if len(words) < 4 {
			return nil, fmt.Errorf("%s:%d: a line has a benchmark, a metric, the last day and a reason, "+
				"as in: Encode/* ns/op 2026-12-31 checks more", file, n)
		}
		if _, err := time.Parse(time.DateOnly, words[2]); err != nil {
			return nil, fmt.Errorf("%s:%d: %q is not a date; write it as 2026-12-31", file, n, words[2])
		}
		e := Exception{n, strings.TrimPrefix(words[0], "Benchmark"), words[1], words[2], strings.Join(words[3:], " ")}
		if _, err := path.Match(e.Name, ""); err != nil {
			return nil, fmt.Errorf("%s:%d: the pattern %q is not possible: %w", file, n, e.Name, err)
		}
		list = append(list, e)
	}
	if err := in.Err(); err != nil {
		return nil, plan.Refuse("allow", nil, "%w", err)
	}
	return list, nil
}
