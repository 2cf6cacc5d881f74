package gobench

import (
	"cmp"
	"context"
	"fmt"
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
	Long   int               // lines longer than the format's reader takes, which are no results and are left out
	Bad    []Bad             // values that no measurement has, which are left out
	Config map[string]string // of all lines: goos, goarch, cpu and the like
	Alike  map[string]string // factors that all lines have at one level, which is in no point
}

// ReadFile reads a file in the Go benchmark format, as go test -bench or brewput writes it.
func ReadFile(ctx context.Context, path string) (*File, error) {
	text, err := input.ReadFile(ctx, path, input.Benchmarks)
	if err != nil {
		return nil, err
	}
	return parseFile(ctx, path, text)
}

// What a file may have, so that it takes memory and time in proportion to its size.
const (
	mostKeys    = 100       // keys of configuration, beside those of machine and package
	mostResults = 500_000   // lines with results
	mostNumbers = 5_000_000 // values, and levels of factors, of all lines
	oftenLines  = 1000      // an interrupt is looked for at every so many
)

// reading is a file while it is read.
type reading struct {
	*File
	lines   lines
	keys    map[string]bool // of configuration
	known   map[string]int  // the place of a configuration in points
	points  []plan.Point    // before what is the same in all is left out
	of      []int           // by trial, its place in points
	numbers int
}

// parseFile reads the text of a file in the Go benchmark format.
func parseFile(ctx context.Context, path string, text []byte) (*File, error) {
	f := &File{Path: path, Better: map[string]string{}, Config: map[string]string{}, Alike: map[string]string{}}
	text, err := f.shorten(text)
	if err != nil {
		return nil, err
	}
	r := &reading{File: f, lines: lines{rest: string(text)}, keys: map[string]bool{}, known: map[string]int{}}
	in := benchfmt.NewReader(&interruptible{ctx, strings.NewReader(r.lines.rest)}, path)
	for in.Scan() {
		switch rec := in.Result().(type) {
		case *benchfmt.SyntaxError:
			f.Torn++
		case *benchfmt.Result:
			if err := r.add(rec); err != nil {
				return nil, err
			}
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if _, err := r.lines.to(math.MaxInt); err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	if len(f.Trials) == 0 {
		torn := ""
		if f.Torn > 0 {
			torn = fmt.Sprintf(" (results that cannot be read: %d)", f.Torn)
		}
		return nil, fmt.Errorf("%s holds no line in the Go benchmark format%s: give what go test -bench printed, "+
			"or a run directory", path, torn)
	}
	f.Run = r.lines.run
	f.directions(in)
	return f, r.settle(ctx)
}

// interruptible reads until an interrupt.
type interruptible struct {
	ctx context.Context
	in  *strings.Reader
}

func (r *interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}

// settle leaves out of the points what is the same in the whole file, such as a branch, and numbers the lines of each
// benchmark where no blocks are named.
func (r *reading) settle(ctx context.Context) error {
	lines := make([]int, len(r.points))
	for _, i := range r.of {
		lines[i]++
	}
	levels := map[string]map[string]int{"cpus": {"": 1, "kept": 1}}
	for i, p := range r.points {
		if i%oftenLines == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for _, s := range p.Settings() {
			if levels[s.Factor] == nil {
				levels[s.Factor] = map[string]int{}
			}
			levels[s.Factor][s.Level.String()] += lines[i]
		}
	}
	kept := map[string]bool{}
	for factor, l := range levels {
		kept[factor] = true // also where some lines lack it: they are of another point
		for level, n := range l {
			if len(l) == 1 && n == len(r.Trials) {
				r.Alike[factor], kept[factor] = level, false
			}
		}
	}
	names := make([]string, len(r.points))
	for i, p := range r.points {
		if i%oftenLines == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.points[i] = plan.NewPoint(slices.DeleteFunc(p.Settings(),
			func(s plan.Setting) bool { return !kept[s.Factor] })...)
		names[i] = r.points[i].String()
	}
	return r.number(ctx, names)
}

// number gives each trial its point, whose names these are, its block and its place.
func (r *reading) number(ctx context.Context, names []string) error {
	seen := map[[2]string]int{}
	for i := range r.Trials {
		if i%oftenLines == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := &r.Trials[i]
		t.Point, t.Order = r.points[r.of[i]], i
		id := [2]string{t.Design, names[r.of[i]]}
		if seen[id] == 0 {
			r.Cases = append(r.Cases, plan.Case{Design: t.Design, Point: t.Point})
		}
		if r.Run == "" {
			t.Block = seen[id]
		}
		seen[id]++
	}
	return nil
}

// configOfAll are the keys of configuration that describe the machine and the package rather than a factor.
var configOfAll = []string{"goos", "goarch", "cpu", "pkg", "toolchain"}

// add takes a result.
func (r *reading) add(rec *benchfmt.Result) error {
	_, at := rec.Pos()
	line, err := r.lines.to(at)
	if err != nil {
		return fmt.Errorf("%s:%w", r.Path, err)
	}
	if !decimals(line) {
		r.Torn++
		return nil
	}
	if len(r.Trials) == mostResults {
		return input.Refuse("%s:%d: the file has more than %d results: give fewer, such as one package "+
			"or one day at a time", r.Path, at, mostResults)
	}
	t, cpus := r.trial(rec)
	point, err := r.point(rec, cpus)
	if err != nil {
		return err
	}
	if r.numbers += len(rec.Values); r.numbers > mostNumbers {
		return input.Refuse("%s:%d: the lines have more than %d numbers and levels: give fewer lines", r.Path, at,
			mostNumbers)
	}
	t.Block, t.Workload = r.lines.block, cmp.Or(r.Config["pkg"], "benchmarks")
	r.Trials, r.of = append(r.Trials, t), append(r.of, point)
	return nil
}

// point is the place of a line's point in r.points. What its configuration says beside machine and package are factors.
func (r *reading) point(rec *benchfmt.Result, cpus int) (int, error) {
	settings := []plan.Setting{{Factor: "cpus", Level: plan.IntLevel(cpus)}}
	for _, c := range rec.Config {
		switch {
		case slices.Contains(configOfAll, c.Key):
			r.Config[c.Key] = string(c.Value)
		case c.File:
			if r.keys[c.Key] = true; len(r.keys) > mostKeys {
				_, at := rec.Pos()
				return 0, input.Refuse("%s:%d: the file has more than %d keys of configuration, such as %q: each is "+
					"a factor; give what go test -bench printed, without other output",
					r.Path, at, mostKeys, c.Key)
			}
			l := plan.TextLevel(string(c.Value))
			if c.Key == "cpus" {
				settings[0].Level = l
				continue
			}
			settings = append(settings, plan.Setting{Factor: c.Key, Level: l})
		}
	}
	var name strings.Builder
	for _, s := range settings {
		name.WriteString(s.Factor + "\n" + s.Level.String() + "\n")
	}
	if i, ok := r.known[name.String()]; ok {
		return i, nil
	}
	r.known[name.String()], r.points = len(r.points), append(r.points, plan.NewPoint(settings...))
	r.numbers += len(settings)
	return len(r.points) - 1, nil
}

// suffix is the number of CPUs behind a name, as go test writes it: any other one is part of the name.
var suffix = regexp.MustCompile(`^(.*)-([1-9][0-9]*)$`)

// decimals reports whether the numbers of a line of results, which ParseFloat takes, are decimal ones or none at all.
func decimals(line string) bool {
	i := 0
	for word := range strings.FieldsSeq(line) {
		if i >= 2 && i%2 == 0 && !decimal(word) {
			return false
		}
		i++
	}
	return true
}

// trial is a line as a trial without its point, and its CPUs.
func (r *reading) trial(rec *benchfmt.Result) (result.Trial, int) {
	name, cpus := string(rec.Name), 1
	if m := suffix.FindStringSubmatch(name); m != nil {
		if n, err := strconv.Atoi(m[2]); err == nil {
			name, cpus = m[1], n
		}
	}
	values := map[string]float64{}
	for _, v := range rec.Values {
		unit, x := v.Unit, v.Value
		if v.OrigUnit != "" {
			unit, x = v.OrigUnit, v.OrigValue
		}
		if impossible(unit, x) {
			r.Bad = append(r.Bad, Bad{unit, len(r.Trials)})
			continue
		}
		values[unit] = x + 0 // -0 + 0 = 0
	}
	t := result.Trial{Kind: result.KindTrial, SchemaVersion: result.SchemaVersion, Design: name, World: result.Live,
		Status: result.OK, Expected: true, Type: result.Benchmark, Operations: int64(rec.Iters),
		Metrics: Line{Values: values}.Metrics()}
	// as benchstat writes MB/s, and older files of runs
	if x, ok := values["B/s"]; ok && t.Metrics[result.BytesRate] == 0 {
		delete(t.Metrics, "B/s")
		t.Metrics[result.BytesRate] = result.Value(x)
	}
	return t, cpus
}

// directions are those that the file's units declare.
func (f *File) directions(in *benchfmt.Reader) {
	for key, unit := range in.Units() {
		if key.Key == "better" {
			f.Better[unit.OrigUnit] = unit.Value // metrics have the units that are written
		}
	}
}
