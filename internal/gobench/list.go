package gobench

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/plan"
)

// Found is a benchmark without sub-benchmarks, or one that fails.
type Found struct {
	Name  string // without "Benchmark": "Encode/size=1k"
	Error string // why it cannot be measured; "" if it can
	Text  string // its output if it fails, or the reason for the skip
	Skips bool   // it called b.Skip

	Metrics []string          // metrics that it reports
	Better  map[string]string // directions of its units, see Directions
}

// Binary is a test binary.
type Binary struct {
	Path string
	Dir  string // working directory of its processes
	// WorkRoot is the directory of the workshop, which records the processes, so that none outlives a brewput
	// that was killed; "": they are not recorded.
	WorkRoot string
}

// List runs every benchmark of a binary that matches pattern once. Each top-level function runs in a process of
// its own, so that one failure does not hide the others. env is added to the environment. limit is the time
// limit of each process.
func List(ctx context.Context, b Binary, env []string, pattern string, limit time.Duration) ([]Found, error) {
	var choices []alternative
	for _, one := range split(pattern, '|') {
		parts := split(one, '/')
		first, err := regexp.Compile(parts[0])
		if err != nil {
			return nil, plan.Refuse("bench", pattern, "%w", err)
		}
		choices = append(choices, alternative{first, parts[1:]})
	}

	listing, err := b.run(ctx, env, limit, "-test.list=^Benchmark")
	if err != nil {
		return nil, err
	}
	if listing.problem != "" {
		return nil, fmt.Errorf("the test binary does not say which benchmarks it has: %s\n%s", listing.problem,
			tail(listing.printed()))
	}

	var tops []string
	for word := range strings.FieldsSeq(listing.stdout) {
		if strings.HasPrefix(word, "Benchmark") && !slices.Contains(tops, word) {
			tops = append(tops, word)
		}
	}
	var list []Found
	for _, top := range tops {
		for _, c := range choices {
			if !c.top.MatchString(top) {
				continue
			}
			found, err := b.leaves(ctx, env, top, c.below, limit)
			if err != nil {
				return nil, err
			}
			for _, f := range found {
				if !slices.ContainsFunc(list, func(g Found) bool { return g.Name == f.Name }) {
					list = append(list, f)
				}
			}
		}
	}
	return list, nil
}

// alternative is one of the alternatives of a pattern: A/x|B has two.
type alternative struct {
	top   *regexp.Regexp
	below []string
}

// leaves runs the benchmarks of one function once.
func (b Binary) leaves(ctx context.Context, env []string, top string, below []string,
	limit time.Duration) ([]Found, error) {
	pattern := strings.Join(append([]string{"^" + top + "$"}, below...), "/")
	out, err := b.run(ctx, env, limit, "-test.run=^$", "-test.bench="+pattern, "-test.benchtime=1x", "-test.cpu=1",
		"-test.benchmem", "-test.v")
	if err != nil {
		return nil, err
	}

	var list []Found
	better := Directions(out.stdout)
	for _, line := range Parse(out.stdout, 1) {
		if !slices.ContainsFunc(list, func(f Found) bool { return f.Name == line.Name }) {
			list = append(list, Found{Name: line.Name, Metrics: slices.Sorted(maps.Keys(line.Metrics())),
				Better: better})
		}
	}
	list = append(list, skipped(out.stdout)...)
	for _, name := range failed(out.stdout) {
		if !slices.ContainsFunc(list, func(f Found) bool { return strings.HasPrefix(f.Name, name+"/") }) {
			list = append(list, Found{Name: name, Error: complaint(out.stdout, name), Text: out.printed()})
		}
	}
	// A process that exits as a test does after a failed benchmark adds nothing. A crash or a hang is a failure
	// in addition.
	if out.problem != "" && (out.crashed || !slices.ContainsFunc(list, func(f Found) bool { return f.Error != "" })) {
		list = append(list, Found{Name: strings.TrimPrefix(top, "Benchmark"), Error: out.problem, Text: out.printed()})
	}
	return list, nil
}

var skipLine = regexp.MustCompile(`^\s*--- SKIP: Benchmark(\S+)`)

// skipped returns the benchmarks that skip themselves. Their text is the first line of their last log, which
// comes just before or after the SKIP line.
func skipped(output string) []Found {
	var list []Found
	said, open := "", false
	for line := range strings.Lines(output) {
		skip, log := skipLine.FindStringSubmatch(line), logLine.FindStringSubmatch(line)
		switch {
		case skip != nil:
			list = append(list, Found{Name: skip[1], Skips: true, Text: said})
			said, open = "", said == ""
		case log != nil:
			_, text, _ := strings.Cut(log[1], ": ")
			if said = strings.TrimSpace(text); open {
				list[len(list)-1].Text, said, open = said, "", false
			}
		case !strings.HasPrefix(line, "        "): // otherwise it continues the log
			said, open = "", false
		}
	}
	return list
}

var failLine = regexp.MustCompile(`(?m)^\s*--- FAIL: Benchmark(\S+)`)

// failed returns the benchmarks that failed, such as by b.Fatal. Their parents count as failed too and are
// omitted.
func failed(output string) []string {
	var names []string
	for _, m := range failLine.FindAllStringSubmatch(output, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return slices.DeleteFunc(names, func(n string) bool {
		return slices.ContainsFunc(names, func(o string) bool { return strings.HasPrefix(o, n+"/") })
	})
}

// logLine matches output of b.Log, b.Error and b.Fatal.
var logLine = regexp.MustCompile(`^\s+(\S+\.go:\d+: .*)`)

// complaint returns the log of a failed benchmark: the last before the FAIL line, or the first after it.
func complaint(output, name string) string {
	before, after, _ := strings.Cut(output, "--- FAIL: Benchmark"+name)
	said := ""
	for line := range strings.Lines(before) {
		if m := logLine.FindStringSubmatch(line); m != nil {
			said = m[1]
		}
	}
	for line := range strings.Lines(after) {
		if m := logLine.FindStringSubmatch(line); m != nil && said == "" {
			said = m[1]
		}
	}
	if said == "" {
		return "it fails"
	}
	return "it fails: " + strings.TrimSpace(said)
}

// split splits a pattern of -bench at bars or slashes outside brackets, as package testing does: at bars first.
func split(s string, at byte) []string {
	var parts []string
	square, round, from := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			square++
		case ']':
			square = max(0, square-1)
		case '(':
			if square == 0 {
				round++
			}
		case ')':
			if square == 0 {
				round--
			}
		case '\\':
			i++
		case at:
			if square == 0 && round == 0 {
				parts = append(parts, s[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, s[from:])
}

// exactPattern returns the pattern that matches one benchmark only.
func exactPattern(name string) string {
	parts := strings.Split("Benchmark"+name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
