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
	Path    string
	Trials  []result.Trial // one for each line; if the file names no blocks, they are numbered by benchmark
	Cases   []plan.Case
	Better  map[string]string // directions of the file's own units, "higher" or "lower"
	Run     string            // the run that the lines belong to, whose blocks they name; "" if unknown
	Budget  bool              // from a run with a budget, whose number of blocks depended on the results
	Torn    int               // lines that look like results and cannot be read
	Long    int               // lines that exceed the limit of the format's reader; they are no results and are omitted
	Invalid []InvalidValue    // invalid values, which are omitted
	Config  map[string]string // goos, goarch and cpu of all lines; pkg and toolchain of the last one
	Common  map[string]string // factors that all lines have at one level; they are in no point
}

// ReadFile reads a file in the Go benchmark format, as go test -bench or brewput writes it.
func ReadFile(ctx context.Context, path string) (*File, error) {
	text, err := input.ReadFile(ctx, path, input.Benchmarks)
	if err != nil {
		return nil, err
	}
	return parseFile(ctx, path, text)
}

// Limits of a file, so that memory and time stay in proportion to its size.
const (
	maxKeys        = 100       // keys of configuration, apart from those of machine and package
	maxResults     = 500_000   // lines with results
	maxNumbers     = 5_000_000 // values, and levels of factors, of all lines
	interruptLines = 1000      // lines between two checks for an interrupt
)

// fileReader is the state while a file is read.
type fileReader struct {
	*File
	lines   lines
	keys    map[string]bool // keys of configuration
	known   map[string]int  // index in points by configuration
	points  []plan.Point    // with the settings that are the same in all lines
	pointOf []int           // for each trial, its index in points
	numbers int
}

// parseFile parses the text of a file in the Go benchmark format.
func parseFile(ctx context.Context, path string, text []byte) (*File, error) {
	f := &File{Path: path, Better: map[string]string{}, Config: map[string]string{}, Common: map[string]string{}}
	text, err := f.shorten(text)
	if err != nil {
		return nil, err
	}
	r := &fileReader{File: f, lines: lines{rest: string(text)}, keys: map[string]bool{}, known: map[string]int{}}
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
	if _, err := r.lines.advance(math.MaxInt); err != nil {
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

// interruptible is a reader that fails once its context is cancelled.
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

// settle removes from the points what is the same in the whole file, such as a branch. If the file names no
// blocks, it numbers the lines of each benchmark.
func (r *fileReader) settle(ctx context.Context) error {
	lines := make([]int, len(r.points))
	for _, i := range r.pointOf {
		lines[i]++
	}
	levels := map[string]map[string]int{"cpus": {"": 1, "kept": 1}}
	for i, p := range r.points {
		if i%interruptLines == 0 && ctx.Err() != nil {
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
		kept[factor] = true // even if some lines lack it: they have another point
		for level, n := range l {
			if len(l) == 1 && n == len(r.Trials) {
				r.Common[factor], kept[factor] = level, false
			}
		}
	}

	names := make([]string, len(r.points))
	for i, p := range r.points {
		if i%interruptLines == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.points[i] = plan.NewPoint(slices.DeleteFunc(p.Settings(),
			func(s plan.Setting) bool { return !kept[s.Factor] })...)
		names[i] = r.points[i].String()
	}
	return r.number(ctx, names)
}

// number sets the point, block and order of each trial. names are the names of the points.
func (r *fileReader) number(ctx context.Context, names []string) error {
	seen := map[[2]string]int{}
	for i := range r.Trials {
		if i%interruptLines == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := &r.Trials[i]
		t.Point, t.Order = r.points[r.pointOf[i]], i
		id := [2]string{t.Design, names[r.pointOf[i]]}
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

// configOfAll are the keys of configuration that describe the machine and the package; the others are factors.
var configOfAll = []string{"goos", "goarch", "cpu", "pkg", "toolchain"}

// add adds a line with results.
func (r *fileReader) add(rec *benchfmt.Result) error {
	_, at := rec.Pos()
	line, err := r.lines.advance(at)
	if err != nil {
		return fmt.Errorf("%s:%w", r.Path, err)
	}
	if !allDecimal(line) {
		r.Torn++
		return nil
	}
	if len(r.Trials) == maxResults {
		return input.Refuse("%s:%d: the file has more than %d results: give fewer, such as one package "+
			"or one day at a time", r.Path, at, maxResults)
	}
	t, cpus := r.trial(rec)
	point, err := r.point(rec, cpus)
	if err != nil {
		return err
	}
	if r.numbers += len(rec.Values); r.numbers > maxNumbers {
		return input.Refuse("%s:%d: the lines have more than %d numbers and levels: give fewer lines", r.Path, at,
			maxNumbers)
	}
	t.Block, t.Workload = r.lines.block, cmp.Or(r.Config["pkg"], "benchmarks")
	r.Trials, r.pointOf = append(r.Trials, t), append(r.pointOf, point)
	return nil
}

// point returns the index of a line's point in r.points. Configuration other than that of machine and package
// becomes factors.
func (r *fileReader) point(rec *benchfmt.Result, cpus int) (int, error) {
	settings := []plan.Setting{{Factor: "cpus", Level: plan.IntLevel(cpus)}}
	for _, c := range rec.Config {
		switch {
		case slices.Contains(configOfAll, c.Key):
			if err := r.describe(rec, c.Key, string(c.Value)); err != nil {
				return 0, err
			}
		case c.File:
			if r.keys[c.Key] = true; len(r.keys) > maxKeys {
				_, at := rec.Pos()
				return 0, input.Refuse("%s:%d: the file has more than %d keys of configuration, such as %q: each is "+
					"a factor; give what go test -bench printed, without other output",
					r.Path, at, maxKeys, c.Key)
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

// suffix matches the number of CPUs after a name, as go test writes it. Any other ending is part of the name.
var suffix = regexp.MustCompile(`^(.*)-([1-9][0-9]*)$`)

// allDecimal reports whether all numbers in a line of results that ParseFloat accepts are decimal.
func allDecimal(line string) bool {
	i := 0
	for word := range strings.FieldsSeq(line) {
		if i >= 2 && i%2 == 0 && !isDecimal(word) {
			return false
		}
		i++
	}
	return true
}

// trial converts a line to a trial without its point. It also returns the number of CPUs.
func (r *fileReader) trial(rec *benchfmt.Result) (result.Trial, int) {
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
		if isInvalid(unit, x) {
			r.Invalid = append(r.Invalid, InvalidValue{unit, len(r.Trials)})
			continue
		}
		values[unit] = x + 0 // -0 + 0 = 0
	}
	t := result.Trial{Kind: result.KindTrial, SchemaVersion: result.SchemaVersion, Design: name, World: result.Live,
		Status: result.OK, Expected: true, Type: result.Benchmark, Operations: int64(rec.Iters),
		Metrics: Line{Values: values}.Metrics()}
	// benchstat writes MB/s like this, as did older files of runs
	if x, ok := values["B/s"]; ok && t.Metrics[result.BytesRate] == 0 {
		delete(t.Metrics, "B/s")
		t.Metrics[result.BytesRate] = result.Value(x)
	}
	return t, cpus
}

// directions records the directions that units in the file declare.
func (f *File) directions(in *benchfmt.Reader) {
	for key, unit := range in.Units() {
		if key.Key == "better" {
			f.Better[unit.OrigUnit] = unit.Value // metrics keep the unit as written
		}
	}
}
