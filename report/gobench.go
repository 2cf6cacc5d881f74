package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// GoBench writes trials of benchmarks in the Go benchmark format, under their own names, one line for each trial.
//
// Levels of factors other than cpus and except are lines of configuration: benchstat -col rev compares the revisions.
// Lines pkg name the package of each line if there are several. Lines "block N of RUN" let compare pair two files;
// other readers skip them, and run "" leaves them out. better says for units of the benchmarks' own whether "higher"
// or "lower" is better.
func GoBench(w io.Writer, trials []result.Trial, header [][2]string, better map[string]string,
	run, except string) error {
	var b strings.Builder
	for _, h := range header {
		fmt.Fprintf(&b, "%s: %s\n", quote.Key(h[0]), quote.Line(h[1]))
	}
	for _, unit := range slices.Sorted(maps.Keys(better)) {
		fmt.Fprintf(&b, "Unit %s better=%s\n", quote.Word(unit), quote.Word(better[unit]))
	}

	current, block := map[string]string{}, -1
	several := slices.ContainsFunc(trials, func(t result.Trial) bool { return t.Workload != trials[0].Workload })
	for i := range trials {
		t := &trials[i]
		if !t.Good() || t.Kind != result.KindTrial {
			continue
		}

		pairs := goPairs(t)
		if len(pairs) == 0 {
			continue // readers refuse lines without values
		}
		if t.Block != block && run != "" {
			block = t.Block
			fmt.Fprintf(&b, "block %d of %s\n", block, quote.Word(run))
		}

		if several && current["pkg"] != t.Workload {
			current["pkg"] = t.Workload
			fmt.Fprintf(&b, "pkg: %s\n", quote.Line(t.Workload))
		}
		// Only levels that change are written again.
		for _, s := range t.Point.Settings() {
			key := configKey(s.Factor)
			if s.Factor != "cpus" && s.Factor != except && current[key] != s.Level.String() {
				current[key] = s.Level.String()
				fmt.Fprintf(&b, "%s: %s\n", key, quote.Line(current[key]))
			}
		}

		fmt.Fprintf(&b, "Benchmark%s", quote.Word(t.Design))
		// At 1 CPU go test writes no number. A name that ends like a number needs one all the same, or readers
		// would take its end for the number of CPUs.
		if l, ok := t.Point.Get("cpus"); ok && (l.String() != "1" || numbered.MatchString(t.Design)) {
			b.WriteString("-" + quote.Word(l.String()))
		}

		fmt.Fprintf(&b, "\t%d", t.Operations)
		for _, p := range pairs {
			fmt.Fprintf(&b, "\t%s %s", formatExact(p.value), quote.Word(p.unit))
		}
		b.WriteString("\n")
	}
	return Style{}.emit(w, b.String())
}

// numbered matches names that end like a number of CPUs.
var numbered = regexp.MustCompile(`-[0-9]+$`)

// configKey is a factor's name as a key of the format. A key with a capital letter would be no configuration.
func configKey(factor string) string { return quote.Key(factor) }

// goPairs returns a trial's numbers in the benchmark's own units. Conversion would leave rounding errors in the last
// digits.
func goPairs(t *result.Trial) []pair {
	var pairs []pair
	add := func(unit, metric string, per float64) {
		if v := float64(t.Metrics.Get(metric)) / per; !math.IsNaN(v) && !math.IsInf(v, 0) {
			pairs = append(pairs, pair{unit, v})
		}
	}
	add("ns/op", result.TimePerOp, 1)
	add("MB/s", result.BytesRate, 1e6)
	row := []compare.Row{{Metrics: map[string]result.Summary{}}}
	for name := range t.Metrics {
		row[0].Metrics[name] = result.Summary{}
	}
	for _, name := range compare.CustomMetrics(row) {
		add(name, name, 1)
	}
	add("B/op", result.AllocedPerOp, 1)
	add("allocs/op", result.AllocsPerOp, 1)
	add("brewput-cpu-ns/op", result.CPUPerOp, 1)
	return pairs
}

// Lines returns the page, apart from its rows, as objects for JSON.
func (p Benchmarks) Lines() []any {
	var lines []any
	if p.ARun != "" {
		lines = append(lines, comparisonJSON{"comparison", result.SchemaVersion, p.Workload, p.ARun, p.BRun, p.RunsA,
			p.RunsB, p.Paired, append([]result.Difference{}, p.Differences...),
			casesJSON(p.OnlyA, p.Workload), casesJSON(p.OnlyB, p.Workload), p.Notes})
	}

	for _, m := range p.Metrics {
		for _, v := range verdictsOf(m) {
			lines = append(lines, v)
		}
		for _, g := range m.Groups {
			if g.N > 1 {
				lines = append(lines, geomeanLine(m.Metric, g))
			}
		}
	}

	for _, s := range p.Scalings {
		lines = append(lines, s)
	}
	for _, x := range p.Warnings {
		lines = append(lines, x)
	}
	// Programs do not see the note on the page that names these.
	for _, x := range p.Broken {
		lines = append(lines, struct {
			Kind          string `json:"kind"` // "broken"
			SchemaVersion int    `json:"schema_version"`
			Design        string `json:"design"`
			Rev           string `json:"rev"`
			Error         string `json:"error"`
		}{"broken", result.SchemaVersion, x.Name, x.Rev, x.Error})
	}
	return append(lines, compare.AnswerOf(p.answer()))
}

// geomeanLine is the JSON object of a group's geometric mean.
func geomeanLine(metric string, g compare.MetricGroup) any {
	v := g.Verdicts[0]
	return struct {
		Kind          string       `json:"kind"` // "geomean"
		SchemaVersion int          `json:"schema_version"`
		Metric        string       `json:"metric"`
		OnlyA         plan.Point   `json:"only_a"` // as in the group's verdicts
		OnlyB         plan.Point   `json:"only_b"`
		Ratio         result.Value `json:"ratio"`
		Low           result.Value `json:"low"`
		High          result.Value `json:"high"`
		N             int          `json:"n"`
	}{"geomean", result.SchemaVersion, metric, v.OnlyA, v.OnlyB, g.Geomean, g.GeoLow, g.GeoHigh, g.N}
}

// notes returns the sentences about the run or the two runs. The settings that differ come first.
func (p Benchmarks) notes() []string {
	var parts []string
	for _, d := range p.Differences {
		parts = append(parts, fmt.Sprintf("%s is %s in the %s and %s in the %s", d.Name, shortenHash(d.B), p.B,
			shortenHash(d.A), p.A))
	}
	var notes []string
	if len(parts) > 0 {
		notes = append(notes, "what else differs: "+strings.Join(parts, "; "))
	}
	notes = append(notes, p.Notes...)
	for _, side := range []struct {
		name string
		rows []compare.Row
	}{{p.B, p.OnlyB}, {p.A, p.OnlyA}} {
		if len(side.rows) > 0 {
			notes = append(notes, fmt.Sprintf("only in the %s: %s", side.name, compare.CaseNames(side.rows)))
		}
	}
	return notes
}

// Markdown writes the page for a pull request.
func (p Benchmarks) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(markdownLine(p.Title) + "\n")
	for _, text := range p.answer() {
		b.WriteString("\n**" + markdownLine(text) + "**\n")
	}
	if p.How != "" {
		b.WriteString("\n" + markdownLine(p.How) + ".\n")
	}
	if f := p.frame(); f != nil && len(p.Metrics) == 0 {
		b.WriteString("\n")
		columns := p.columns(f)
		markdownTable(&b, columns)
		markdownFootnotes(&b, f.footnotes(columns))
	}

	for _, m := range p.Metrics {
		p.markdownComparisons(&b, m)
	}
	for i, s := range p.Scalings {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + markdownLine(scalingText(s)) + "\n")
	}

	for _, n := range p.notes() {
		b.WriteString("\n" + markdownLine(n) + "\n")
	}
	for i, x := range p.Warnings {
		markdownWarning(&b, i, x.Text)
	}
	return Style{}.emit(w, b.String())
}

// GoBenchSides writes files and runs one after the other in the Go benchmark format, with a key side that is "old" or
// "new". It resets keys that the next one does not have, because readers would take them for both.
func GoBenchSides(w io.Writer, all []compare.BenchResults) error {
	ended := map[string]string{}
	for _, r := range all {
		header := [][2]string{{"side", map[bool]string{true: "new", false: "old"}[r.Newer]}}
		config := maps.Clone(ended)
		maps.Copy(config, r.Config)
		for _, key := range slices.Sorted(maps.Keys(config)) {
			header, ended[key] = append(header, [2]string{key, config[key]}), ""
		}
		for _, c := range r.Cases {
			for _, setting := range c.Point.Without("cpus").Settings() {
				ended[strings.ToLower(setting.Factor)] = ""
			}
		}
		if err := GoBench(w, r.Trials, header, r.Better, "", ""); err != nil {
			return err
		}
	}
	return nil
}
