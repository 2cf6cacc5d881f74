package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// GateSummary is what the answer of a gate depends on.
type GateSummary struct {
	Decision      string
	List          []GateDecision
	NotJudged     int     // benchmarks that cannot be judged
	MaxRegression float64 // 0.05 is 5%
	Layouts       int
	BlockTime     time.Duration       // mean time of a block; 0 if it is unknown
	Loaded        bool                // other processes loaded the machine, so that times decide nothing
	Name          func(string) string // prints a metric, such as "allocs/op"
	Option        func(string) string // prints the name of an option, such as "count"; nil leaves it
}

// Order is the cost, for an order by size: infinite from 0 to more or with some zeros, and 0 if it is unknown.
func (d GateDecision) Order() float64 {
	switch x := float64(d.Cost); {
	case d.NoRatio == ZeroDivisor || d.NoRatio == SomeZeros:
		return math.Inf(1)
	case d.NoRatio != "" || math.IsNaN(x):
		return 0
	default:
		return x
	}
}

// Change is head / base, unlike the cost also if more is better.
func (d GateDecision) Change() result.Value {
	if d.MoreIsBetter {
		return 1 / d.Cost
	}
	return d.Cost
}

// Answer is the decision with the benchmarks that it is about, and then what to do next if it is not a pass.
func (g GateSummary) Answer() []string {
	of := map[string][]string{}
	metrics := map[string]bool{}
	sorted := slices.Clone(g.List)
	slices.SortStableFunc(sorted, func(a, b GateDecision) int { return cmp.Compare(b.Order(), a.Order()) })
	points := map[string]bool{}
	for _, v := range sorted {
		metrics[v.Metric], points[v.Point.String()] = true, true
	}
	for _, v := range sorted {
		label := v.Design
		if len(points) > 1 {
			label += atPoint(v.Point.Settings())
		}
		if len(metrics) > 1 {
			label += " " + g.name(v.Metric)
		}
		change := PercentChange(v.Change())
		if v.Decision == Fail {
			change = ProvenChange(v.Change())
		}
		if v.NoRatio != "" {
			change = withoutRatioText(v.AbsoluteDifference, v.Metric)
		}
		key := v.Decision
		if v.Allowed != "" {
			key = "allowed"
		}
		of[key] = append(of[key], strings.TrimSpace(label+" "+change))
	}

	limit := decimal.Percent(g.MaxRegression, 3)
	var parts []string
	if names := of[Fail]; len(names) > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d over %s: %s", len(names), len(g.List), limit, few(names, maxNamed)))
	}
	if names := of[Undecided]; len(names) > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d undecided: %s", len(names), len(g.List), few(names, maxNamed)))
	}
	switch n := len(of[Pass]); {
	case n == len(g.List) && n > 1:
		parts = append(parts, fmt.Sprintf("all %d within %s", n, limit))
	case n > 0 || len(parts) == 0 && len(g.List) > 0:
		parts = append(parts, fmt.Sprintf("%d of %d within %s", n, len(g.List), limit))
	}
	if names := of["allowed"]; len(names) > 0 {
		parts = append(parts, fmt.Sprintf("%d allowed to be over it", len(names)))
	}
	if g.NotJudged > 0 {
		parts = append(parts, fmt.Sprintf("%d not judged", g.NotJudged))
	}
	if len(parts) == 0 {
		parts = append(parts, "no benchmark has a result")
	}
	answer := []string{"gate: " + g.Decision + ": " + strings.Join(parts, "; ") + "."}
	if next := g.next(); next != "" {
		answer = append(answer, next)
	}
	return answer
}

// next says what to do after a decision that is not a pass.
func (g GateSummary) next() string {
	switch g.Decision {
	case Error:
		return "A benchmark of the head or a trial failed: fix that first."
	case Fail:
		return g.repair() + ", or excuse them for a while in an allow-list."
	case Undecided:
		return g.undecided()
	}
	return ""
}

// repair says what to do about the benchmarks that cost too much.
func (g GateSummary) repair() string {
	var metrics []string
	slower := true
	for _, v := range g.List {
		if v.Decision != Fail || v.Allowed != "" {
			continue
		}
		slower = slower && v.Metric == result.TimePerOp
		if name := g.name(v.Metric); !slices.Contains(metrics, name) {
			metrics = append(metrics, name)
		}
	}
	if slower {
		return "Make these benchmarks faster"
	}
	return "Bring " + few(metrics, maxNamed) + " of these benchmarks back within the limit"
}

// name prints a metric.
func (g GateSummary) name(metric string) string {
	if g.Name == nil {
		return metric
	}
	return g.Name(metric)
}

// undecided says what would decide, and which benchmarks nothing decides.
func (g GateSummary) undecided() string {
	switch {
	case g.Loaded:
		return "Other processes loaded the machine: stop them, or run the gate on an idle one."
	case len(g.List) == 0 && g.NotJudged > 0:
		return "See why each benchmark is not judged."
	}
	blocks, count, layouts, few, near, noRatio := 0, 0, 0, 0, 0, 0
	for _, v := range g.List {
		switch {
		case v.Decision != Undecided || v.Allowed != "":
		case v.MoreBlocks != nil:
			blocks, count = max(blocks, *v.MoreBlocks), max(count, v.N+*v.MoreBlocks)
		case v.MoreLayouts != nil:
			layouts = max(layouts, *v.MoreLayouts)
		case v.NoRatio != "":
			noRatio++
		case v.N < 2:
			few++
		default:
			near++
		}
	}
	var text []string
	switch {
	case few > 0:
		text = append(text, "Fewer than 2 blocks have a result: run the gate with a longer budget, or with fewer "+
			"benchmarks.")
	case near > 0:
		text = append(text, "More blocks would hardly decide: the cost is too near the limit, or the machine is too "+
			"noisy."+g.allowMore(" To allow more: ", "."))
	case layouts > 0:
		text = append(text, fmt.Sprintf("About %d layouts in all would decide: run the gate with that many.",
			g.Layouts+layouts))
	case blocks > 0:
		text = append(text, fmt.Sprintf("About %s would decide: give %s%s.", result.Count(blocks, "more block"),
			g.longer(count), map[bool]string{true: g.allowMore(", or allow more: ", "")}[count > 2*(count-blocks)]))
	case noRatio == 0:
		text = append(text, "Run the gate again with a longer budget.")
	}
	if noRatio > 0 {
		text = append(text, "A metric without a ratio has no cost in percent, so more blocks cannot show that it is "+
			"within the limit: excuse it for a while in an allow-list.")
	}
	return strings.Join(text, " ")
}

// longer returns the options of a gate of at least some blocks.
func (g GateSummary) longer(blocks int) string {
	const reserve = 1.1 // the time of a block varies
	blocks = tens(blocks)
	count, budget := fmt.Sprintf("%s %d", g.option("count"), blocks), g.option("budget")
	took := time.Duration(reserve * float64(blocks) * float64(g.BlockTime))
	if took <= 0 {
		return count + " and a longer " + budget
	}
	return count + " " + budget + " " + decimal.RoundedUp(took)
}

// option prints the name of an option.
func (g GateSummary) option(name string) string {
	if g.Option == nil {
		return name
	}
	return g.Option(name)
}

// allowMore returns the option with the smallest round limit that all undecided costs would pass, between two texts; ""
// if there is none up to 100%.
func (g GateSummary) allowMore(before, after string) string {
	high := 0.0
	for _, v := range g.List {
		if v.Decision == Undecided && v.Allowed == "" {
			high = max(high, float64(v.High)) // unknown if any is
		}
	}
	for _, limit := range []float64{0.01, 0.02, 0.03, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.50, 0.75, 1} {
		if high <= 1+limit && limit > g.MaxRegression && high > 1+g.MaxRegression {
			return before + g.option("max-regression") + " " + decimal.Percent(limit, 3) + after
		}
	}
	return ""
}
