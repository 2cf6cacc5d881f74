package lab

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
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/input"
)

// exception is a line of an allow-list.
type exception struct {
	line                        int
	name, metric, until, reason string
}

// matches reports whether it is about a benchmark's metric.
func (e exception) matches(v compare.GateResult) bool {
	return e.names(v.Design) && metricOf(e.metric) == v.Metric
}

// names reports whether it is about a benchmark.
func (e exception) names(benchmark string) bool {
	ok, err := path.Match(strings.ReplaceAll(e.name, "/", "\x00"), strings.ReplaceAll(benchmark, "/", "\x00"))
	return err == nil && ok
}

// allow lets a decision be that is no pass, if an exception is about it that has not expired.
func allow(list []exception, v *compare.GateResult, today string) {
	for _, e := range list {
		if e.matches(*v) && v.Decision != compare.Pass && e.until >= today {
			v.Allowed, v.Waived = e.reason, e.until
		}
	}
}

// StaleException is a line of an allow-list that has no effect.
type StaleException struct {
	Line    int
	Name    string // pattern of benchmarks
	Metric  string
	Until   string // its last day, as in 2026-12-31
	Expired bool   // that day is over; if not, no benchmark of the package has such a name
}

// stale are the lines that can be removed. One stays that may still serve, for a metric or for benchmarks that another
// gate with the same list judges.
func stale(list []exception, x *gobench.Experiment, today string) (lines []StaleException) {
	var known []string
	for _, b := range x.Benchmarks {
		known = append(known, b.Name)
	}
	for _, n := range x.NotCompared() {
		known = append(known, n.Design)
	}
	for _, e := range list {
		expired := e.until < today
		within := func(function string) bool { return strings.HasPrefix(e.name, function+"/") } // that fails or skips
		serves := x.Pattern != EveryBenchmark || slices.ContainsFunc(known, e.names) ||
			slices.ContainsFunc(known, within)
		if expired || !serves {
			lines = append(lines, StaleException{e.line, e.name, e.metric, e.until, expired})
		}
	}
	return lines
}

// readExceptions reads an allow-list.
func readExceptions(ctx context.Context, file string) ([]exception, error) {
	f, err := input.Open(ctx, file, input.AllowList)
	if err != nil {
		return nil, refuse("allow", nil, "%w", err)
	}
	defer f.Close()
	return parseExceptions(f, file)
}

// parseExceptions reads the lines of an allow-list, which errors call file.
func parseExceptions(from io.Reader, file string) ([]exception, error) {
	var list []exception
	in := bufio.NewScanner(from)
	for n := 1; in.Scan(); n++ {
		text, _, _ := strings.Cut(" "+in.Text(), " #") // Encode#01 is the second benchmark of a name
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if len(words) < 4 {
			return nil, fmt.Errorf("%s:%d: a line has a benchmark, a metric, the last day and a reason, "+
				"as in: Encode/* ns/op 2026-12-31 checks more", file, n)
		}
		if _, err := time.Parse(time.DateOnly, words[2]); err != nil {
			return nil, fmt.Errorf("%s:%d: %q is no day; write it as 2026-12-31", file, n, words[2])
		}
		e := exception{n, strings.TrimPrefix(words[0], "Benchmark"), words[1], words[2], strings.Join(words[3:], " ")}
		if _, err := path.Match(e.name, ""); err != nil {
			return nil, fmt.Errorf("%s:%d: the pattern %q is not possible: %w", file, n, e.name, err)
		}
		list = append(list, e)
	}
	if err := in.Err(); err != nil {
		return nil, refuse("allow", nil, "%w", err)
	}
	return list, nil
}
