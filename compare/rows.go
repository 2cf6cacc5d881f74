package compare

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// confidence is the confidence of intervals of medians.
const confidence = 0.95

// Rows summarizes trials of both kinds, in the order of the cases. A case has one row for each workload and world
// with trials, in order of appearance. Trials without a case are left out.
func Rows(trials []result.Trial, cases []plan.Case) []Row {
	type key struct{ design, point string }
	byCase := map[key][]*result.Trial{}
	for i := range trials {
		k := key{trials[i].Design, trials[i].Point.String()}
		byCase[k] = append(byCase[k], &trials[i])
	}
	var rows []Row
	for _, c := range cases {
		for _, group := range groupByWorld(byCase[key{c.Design, c.Point.String()}]) {
			rows = append(rows, newRow(c, group))
		}
	}
	return rows
}

// groupByWorld groups the trials of a case by workload and world.
func groupByWorld(trials []*result.Trial) [][]*result.Trial {
	type origin struct{ workload, world string }
	index := map[origin]int{}
	var groups [][]*result.Trial
	for _, t := range trials {
		p := origin{t.Workload, t.World}
		i, ok := index[p]
		if !ok {
			i = len(groups)
			index[p] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// newRow summarizes the trials of one case. There must be at least one.
func newRow(c plan.Case, trials []*result.Trial) Row {
	r := Row{Workload: trials[0].Workload, Design: c.Design, World: trials[0].World, Point: c.Point,
		Job: trials[0].Type == result.Job, Bound: trials[0].Bound, Reference: trials[0].Reference, Open: trials[0].Open,
		Guarantee: trials[0].Guarantee, Statuses: map[result.Status]int{}}
	var good, instrumented []*result.Trial
	for _, t := range trials {
		r.addStatus(t)
		r.Decisions = fold(r.Decisions, t.Decisions)
		switch t.Kind {
		case result.KindInstrumented:
			instrumented = append(instrumented, t)
		case result.KindTrial:
			if rate := t.Metrics.Get(result.Rate); rate.Known() {
				r.Rate = float64(rate)
			}
			r.Statuses[t.Status]++
			if t.World == result.Virtual {
				instrumented = append(instrumented, t) // instrumentation is free in virtual time
			}
			if t.Good() {
				good = append(good, t)
			}
			if t.Invalid {
				r.Late++
			}
			if t.Unstable {
				r.Unstable++
			}
		}
	}

	r.N = len(good)
	r.Answer = answer(r.Job, good)
	r.Metrics = r.summarise(good)
	r.Resources = resources(instrumented)
	r.CPUTime = cpuTimeShares(instrumented)
	if r.SlowDown = result.Unavailable; r.World != result.Virtual {
		r.SlowDown = slowdown(good, instrumented, r.Job)
	}
	return r
}

// answer returns the common answer of all trials of a job, or nil. Stored answers have gone through JSON, so all
// are compared as JSON.
func answer(job bool, good []*result.Trial) map[string]any {
	if !job || len(good) == 0 {
		return nil
	}
	first, err := json.Marshal(good[0].Answer)
	for _, t := range good {
		if text, failed := json.Marshal(t.Answer); failed != nil || string(text) != string(first) {
			return nil
		}
	}
	var same map[string]any
	if err != nil || json.Unmarshal(first, &same) != nil || len(same) == 0 {
		return nil
	}
	return same
}

// addStatus adds a trial's status, error and warnings. Errors of instrumented trials count too.
func (r *Row) addStatus(t *result.Trial) {
	if r.Lines == nil {
		r.Lines = t.Lines
	}

	switch {
	case !t.Expected:
		r.Unexpected++
	case !t.Good() && !t.Invalid:
		r.Declared++
	}

	if !t.Good() && t.Error != "" && !slices.ContainsFunc(r.Errors,
		func(e string) bool { return e == t.Error || strings.HasPrefix(e, t.Error+"; see ") }) {
		e := t.Error
		if t.Failure != "" {
			e += "; see " + t.Failure
		}
		r.Errors = append(r.Errors, e)
	}

	for _, w := range t.Warnings {
		if !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
}

// summarise returns the median and its interval of each metric. A metric that only some trials have is unavailable:
// a quantile is missing if too few operations finished, so the others would be biased to fast trials. Go benchmarks
// are exempt, because they omit metrics for other reasons.
func (r *Row) summarise(good []*result.Trial) map[string]result.Summary {
	values := map[string][]float64{}
	for _, t := range good {
		for name, v := range t.Metrics {
			xs := values[name]
			if measured(v) {
				xs = append(xs, float64(v))
			}
			values[name] = xs // even if empty: the metric exists, as null
		}
	}

	summaries := map[string]result.Summary{}
	for name, xs := range values {
		for _, t := range good {
			if missingCount(t, name) {
				xs = append(xs, 0)
			}
		}
		s := result.Summary{Kind: "summary", SchemaVersion: result.SchemaVersion, Workload: r.Workload,
			Design: r.Design,
			World:  r.World, Point: r.Point, Metric: name, N: len(xs), Bound: r.Bound, Reference: r.Reference,
			Guarantee: r.Guarantee,
			Median:    result.Unavailable, Low: result.Unavailable, High: result.Unavailable}
		if len(xs) == len(good) || len(xs) > 0 && good[0].Type == result.Benchmark {
			median, low, high, _ := stat.MedianInterval(xs, confidence)
			s.Median, s.Low, s.High = result.Value(median), result.Value(low), result.Value(high)
		}
		if r.World == result.Virtual && !addStates(&s, good, xs) {
			addMean(&s, xs, repeatsExactly(good, name, xs))
		}
		summaries[name] = s
	}
	return summaries
}

// measured reports whether v is a finite number. Infinity is null in the journal, and stored trials must give the
// same row.
func measured(v result.Value) bool { return v.Known() && !math.IsInf(float64(v), 0) }
