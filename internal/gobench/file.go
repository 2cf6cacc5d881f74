package gobench

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// File is a file in the Go benchmark format.
type File struct {
	Path   string
	Trials []result.Trial // a line each; their blocks are numbered by benchmark where the file names none
	Cases  []plan.Case
	Better map[string]string // units of its own, "higher" or "lower"
	Run    string            // the run that its lines are of, whose blocks it names; "" where it says nothing
	Budget bool              // of a run with a budget: its blocks were counted by what they showed
	Torn   int               // lines that look like results and cannot be read
	Bad    map[string]int    // by unit: values that no measurement has, which are left out
	Config map[string]string // of all lines: goos, goarch, cpu and the like
	Alike  map[string]string // factors that all lines have at one level, which is in no point
}

// blockLine names the block that the lines after it were measured in, and its run; readers of the format skip it.
var blockLine = regexp.MustCompile(`(?m)^block (\d+) of (\S+)$`)

// ReadFile reads a file in the Go benchmark format, as go test -bench or brewput writes it.
func ReadFile(ctx context.Context, path string) (*File, error) {
	text, err := input.ReadFile(ctx, path, input.Benchmarks)
	if err != nil {
		return nil, err
	}
	return parseFile(path, text)
}

// parseFile reads the text of a file in the Go benchmark format.
func parseFile(path string, text []byte) (*File, error) {
	f := &File{Path: path, Bad: map[string]int{}, Better: map[string]string{}, Config: map[string]string{}, Alike: map[string]string{}}
	blocks := f.blocksOf(string(text))
	in := benchfmt.NewReader(strings.NewReader(string(text)), path)
	for in.Scan() {
		switch rec := in.Result().(type) {
		case *benchfmt.SyntaxError:
			f.Torn++
		case *benchfmt.Result:
			t := f.trial(rec)
			if blocks != nil {
				_, line := rec.Pos()
				t.Block = blocks[line-1]
			}
			f.Trials = append(f.Trials, t)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(f.Trials) == 0 {
		return nil, fmt.Errorf("%s holds no line in the Go benchmark format: give what go test -bench printed, or a run directory", path)
	}
	f.directions(in)
	f.settle(blocks != nil)
	return f, nil
}

// settle leaves out of the points what is the same in the whole file, such as a branch, and numbers the lines of each
// benchmark where no blocks are named.
func (f *File) settle(blocks bool) {
	levels := map[string]map[string]int{"cpus": {"": 1, "kept": 1}}
	for _, t := range f.Trials {
		for _, s := range t.Point.Settings() {
			if levels[s.Factor] == nil {
				levels[s.Factor] = map[string]int{}
			}
			levels[s.Factor][s.Level.String()]++
		}
	}
	var kept []string
	for factor, l := range levels {
		kept = append(kept, factor) // also where some lines lack it: they are of another point
		for level, n := range l {
			if len(l) == 1 && n == len(f.Trials) {
				f.Alike[factor], kept = level, kept[:len(kept)-1]
			}
		}
	}
	seen := map[string]int{}
	for i := range f.Trials {
		t := &f.Trials[i]
		t.Point, t.Order = t.Point.Only(kept), i
		id := t.Design + " " + t.Point.String()
		if seen[id] == 0 {
			f.Cases = append(f.Cases, plan.Case{Design: t.Design, Point: t.Point})
		}
		if !blocks {
			t.Block = seen[id]
		}
		seen[id]++
	}
}

// blocksOf is the block of each line; nil where none is named, or those of several runs.
func (f *File) blocksOf(text string) []int {
	for _, m := range blockLine.FindAllStringSubmatch(text, -1) {
		if f.Run != "" && f.Run != m[2] {
			f.Run = ""
			return nil
		}
		f.Run = m[2]
	}
	if f.Run == "" {
		return nil
	}
	var blocks []int
	now := 0
	for line := range strings.Lines(text) {
		if m := blockLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			now, _ = strconv.Atoi(m[1])
		}
		blocks = append(blocks, now)
	}
	return blocks
}

// configOfAll are the keys of configuration that describe the machine and the package rather than a factor.
var configOfAll = []string{"goos", "goarch", "cpu", "pkg", "toolchain"}

// trial is a line as a trial. What its configuration says beside machine and package are factors.
func (f *File) trial(rec *benchfmt.Result) result.Trial {
	base, parts := rec.Name.Parts()
	cpus := 1
	name := string(base)
	for _, p := range parts {
		if n, err := strconv.Atoi(strings.TrimPrefix(string(p), "-")); err == nil && p[0] == '-' {
			cpus = n
			continue
		}
		name += string(p)
	}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)})
	for _, c := range rec.Config {
		switch {
		case slices.Contains(configOfAll, c.Key):
			f.Config[c.Key] = string(c.Value)
		case c.File:
			point = point.With(c.Key, plan.TextLevel(string(c.Value)))
		}
	}
	values := map[string]float64{}
	for _, v := range rec.Values {
		unit, x := v.Unit, v.Value
		if v.OrigUnit != "" {
			unit, x = v.OrigUnit, v.OrigValue
		}
		if impossible(unit, x) {
			f.Bad[unit]++
			continue
		}
		values[unit] = x
	}
	t := result.Trial{Kind: result.KindTrial, SchemaVersion: result.SchemaVersion, Workload: f.Config["pkg"], Design: name, World: result.Live,
		Point: point, Status: result.OK, Expected: true, Type: result.Benchmark, Operations: int64(rec.Iters), Metrics: Line{Values: values}.Metrics()}
	if x, ok := values["B/s"]; ok && t.Metrics[result.BytesRate] == 0 { // as benchstat writes MB/s, and older files of runs
		delete(t.Metrics, "B/s")
		t.Metrics[result.BytesRate] = result.Value(x)
	}
	if t.Workload == "" {
		t.Workload = "benchmarks"
	}
	return t
}

// impossible reports whether no measurement has that value: NaN and infinity, and of go test's own units what is below 0.
func impossible(unit string, x float64) bool {
	_, ours := metricOf[unit]
	return math.IsNaN(x) || math.IsInf(x, 0) || x < 0 && (ours || unit == "MB/s" || unit == "B/s")
}

// Left says which values were left out; "" if none was.
func (f *File) Left() string {
	var parts []string
	for _, unit := range slices.Sorted(maps.Keys(f.Bad)) {
		parts = append(parts, result.Count(f.Bad[unit], "value")+" of "+unit)
	}
	if len(parts) == 0 {
		return ""
	}
	return f.Path + ": left out, for no measurement is NaN, infinite or below 0: " + strings.Join(parts, ", ")
}

// directions are those that the file's units declare.
func (f *File) directions(in *benchfmt.Reader) {
	for key, unit := range in.Units() {
		if key.Key == "better" {
			f.Better[unit.OrigUnit] = unit.Value // metrics have the units that are written
		}
	}
}
