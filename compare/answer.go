package compare

import (
	"cmp"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// Answer is what a run shows, in a few sentences: the problems, the best design with its lead, whether more CPUs help,
// and what the speed costs in latency. Its JSON is a contract.
type Answer struct {
	Kind          string   `json:"kind"` // "answer"
	SchemaVersion int      `json:"schema_version"`
	Text          []string `json:"text"` // sentences, the most important problem first; never empty

	// Winners are the fastest designs by point, if at least two factors vary. They are records of their own in JSON.
	Winners []Winner `json:"-"`

	// FurtherVerdicts are those on further metrics; see Criteria.FurtherVerdicts. They are records of their own
	// in JSON.
	FurtherVerdicts []Verdict `json:"-"`
}

// AnswerOptions are the options of [NewAnswer]. The zero value is useful.
type AnswerOptions struct {
	Baseline string   // design with which the best one is compared; "" for the next best
	Inputs   []string // factors whose levels are different jobs; see plan.Factor
	// FurtherVerdicts are the verdicts on further metrics; see Criteria.FurtherVerdicts.
	FurtherVerdicts []Verdict
}

// AnswerOf returns the answer with the given sentences. Without any it says that nothing was measured.
func AnswerOf(text []string) Answer {
	if len(text) == 0 {
		text = []string{"No trial gave a valid result, so there is nothing to compare."}
	}
	return Answer{Kind: "answer", SchemaVersion: result.SchemaVersion, Text: text}
}

// NewAnswer states what rows and their verdicts show. Bounds are never the best, and references only if there is
// nothing else. Cases that were only predicted are in a sentence of their own. It does not change its arguments.
func NewAnswer(rows []Row, verdicts []Verdict, o AnswerOptions) Answer {
	var text []string
	var winners []Winner
	groups := answerGroups(rows)
	prefix := func(g *answerGroup, world string) string {
		if len(groups) > 1 && !sameWorkload(groups) {
			return g.rows[0].Workload + ": " + world
		}
		return world
	}
	for _, g := range groups {
		world := map[bool]string{true: "Predicted: "}[g.predicted]
		for _, problem := range g.problems() {
			text = append(text, prefix(g, world)+problem)
		}
	}
	for _, g := range groups {
		g.options = o
		g.index(verdicts)
		g.compete()
		for i, s := range g.sentences() {
			if i == 0 {
				s = prefix(g, g.guarantee(groups)) + s
			}
			if !slices.Contains(text, s) {
				text = append(text, s)
			}
		}
		winners = append(winners, g.winners()...)
	}
	if len(text) == 0 {
		text = emptyAnswer(rows)
	} else if allFailed(rows) {
		text = append(text, "No design passed all of its trials, so none is the fastest.")
	}
	a := AnswerOf(append(text, furtherText(o.FurtherVerdicts)...))
	a.Winners, a.FurtherVerdicts = winners, o.FurtherVerdicts
	return a
}

// emptyAnswer says why rows with results have no answer. It is nil if no row has a result.
func emptyAnswer(rows []Row) []string {
	withValue := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.N == 0 })
	all := func(is func(r *Row) bool) bool {
		return !slices.ContainsFunc(withValue, func(r Row) bool { return !is(&r) })
	}
	switch {
	case len(withValue) == 0:
		return nil
	case all(func(r *Row) bool { return r.Bound }):
		return []string{"Only bounds have results, and bounds are not compared: add a design that does the job."}
	case all(func(r *Row) bool { return r.Bound || r.Open && r.excluded() }):
		return []string{"No design can be compared: a trial of each answered too few requests, or lost more than " +
			"half of them."}
	}
	return []string{"No result can be compared: see the table for the reasons."}
}

// allFailed reports whether there are results, and a trial of every row failed that is not a bound.
func allFailed(rows []Row) bool {
	results := false
	for i := range rows {
		r := &rows[i]
		if !r.Bound && r.failures() == 0 {
			return false
		}
		results = results || !r.Bound && r.N > 0
	}
	return results
}

// answerGroup is rows that can be compared with each other.
type answerGroup struct {
	rows           []*Row
	bounds         []*Row               // of all guarantees
	predicted      bool                 // the rows are simulated, and others are measured
	verdicts       map[[2]*Row]*Verdict // by the rows of A and B
	options        AnswerOptions
	contests       []*contest
	contextFactors []string // inputs, CPUs and the load
	varying        []string // context factors in which the contests differ
}

// answerGroups splits rows by workload, world, measure and guarantee. Predicted rows come last.
func answerGroups(rows []Row) []*answerGroup {
	var groups []*answerGroup
	live := false
	for i := range rows {
		r := &rows[i]
		live = live || r.World != result.Virtual
		k := slices.IndexFunc(groups, func(g *answerGroup) bool {
			o := g.rows[0]
			return sameOrigin(o, r) && o.Guarantee == r.Guarantee
		})
		if k < 0 {
			groups = append(groups, &answerGroup{})
			k = len(groups) - 1
		}
		groups[k].rows = append(groups[k].rows, r)
	}
	for _, g := range groups {
		for i := range rows {
			if rows[i].Bound && sameOrigin(g.rows[0], &rows[i]) {
				g.bounds = append(g.bounds, &rows[i])
			}
		}
		g.predicted = live && g.rows[0].World == result.Virtual
	}
	slices.SortStableFunc(groups, func(a, b *answerGroup) int {
		return map[bool]int{true: 1}[a.predicted] - map[bool]int{true: 1}[b.predicted]
	})
	return groups
}

// sameOrigin reports whether two rows have the same workload, world and measure.
func sameOrigin(a, b *Row) bool {
	return a.Workload == b.Workload && a.World == b.World && measureOf(a) == measureOf(b)
}

// guarantee begins the sentences of a group, if groups of other guarantees have an answer too.
func (g *answerGroup) guarantee(groups []*answerGroup) string {
	own := g.rows[0].Guarantee
	for _, o := range groups {
		if sameOrigin(g.rows[0], o.rows[0]) && o.rows[0].Guarantee != own &&
			slices.ContainsFunc(o.rows, (*Row).ranked) {
			return upperFirst(cmp.Or(own, "no guarantee declared")) + ": "
		}
	}
	return ""
}

func sameWorkload(groups []*answerGroup) bool {
	return !slices.ContainsFunc(groups, func(g *answerGroup) bool {
		return g.rows[0].Workload != groups[0].rows[0].Workload
	})
}

// blocks returns the largest number of trials of a row that has no exact value; 0 if all rows have one. tooFew reports
// whether that is too few for verdicts.
func blocks(list []*contest) (n int, tooFew bool) {
	for _, c := range list {
		for _, r := range c.rows {
			if s := r.Measure(); !s.Exact && len(s.States) == 0 {
				n = max(n, r.N)
			}
		}
	}
	return n, n > 0 && n < stat.MinBlocks(1-confidence)
}

// competing returns the contests that have several rows: those that verdicts decide, and those with too few blocks.
func (g *answerGroup) competing() (decided, rough []*contest) {
	for _, c := range g.contests {
		if len(c.rows) < 2 {
			continue
		}
		if n, _ := blocks([]*contest{c}); n > 0 {
			rough = append(rough, c)
		} else {
			decided = append(decided, c)
		}
	}
	if _, tooFew := blocks(rough); tooFew {
		return decided, rough
	}
	return slices.DeleteFunc(slices.Clone(g.contests), func(c *contest) bool { return len(c.rows) < 2 }), nil
}

// ranked reports whether a row can be the best: it has a valid value, is not a bound, and no trial failed, whether or
// not the design declares it, and whether or not the trial was instrumented. A design that is wrong now and then is
// not to be recommended, and its values are those of the trials in which it happened to be right.
func (r *Row) ranked() bool {
	return r.failures() == 0 && !r.excluded() && measured(r.level()) && r.level() > 0 &&
		(r.FailedCondition == nil || r.World != result.Virtual)
}

// level is the typical value of the row's measure: the mean in virtual time, the median otherwise.
func (r *Row) level() result.Value {
	s := r.Measure()
	if s.Mean != nil {
		return s.Mean.Mean
	}
	return s.Median
}

// speedRatio is how many times as fast a is as b: the ratio of rates, or the inverse ratio of times.
func speedRatio(a, b *Row) float64 { return asSpeed(float64(a.level()/b.level()), measureOf(a)) }

// asSpeed returns a ratio of a metric as a ratio of speeds.
func asSpeed(ratio float64, metric string) float64 {
	if result.LargerIsBetter(metric) {
		return ratio
	}
	return 1 / ratio
}
