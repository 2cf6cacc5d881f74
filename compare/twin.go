package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// PredictionMargin is the error of a prediction that is tolerated: a greater one is flagged.
const PredictionMargin = 0.05

// leastForOff is how many blocks an error must have to be flagged: an interval of fewer hangs on two or three trials,
// and verdicts are not made of fewer either.
const leastForOff = 6

// Twin is what was predicted of a row beside what was measured, by the blocks that hold both: the replication of a
// block serves the same customers. All three are geometric means over those blocks.
type Prediction struct {
	Kind          string       `json:"kind"` // "twin"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	Design        string       `json:"design"`
	Point         plan.Point   `json:"point"`
	Metric        string       `json:"metric"`
	Predicted     result.Value `json:"predicted"`
	Measured      result.Value `json:"measured"`
	Error         result.Value `json:"error"` // predicted / measured - 1
	Low           result.Value `json:"low"`   // its 95 % interval, Student's t on the logarithms of the blocks' ratios;
	High          result.Value `json:"high"`  // null below 2 blocks
	N             int          `json:"n"`     // blocks
	Margin        float64      `json:"margin"`
	Off           bool         `json:"off"`   // the interval lies wholly outside the margin
	Bound         bool         `json:"bound"` // the design is one

	// NotModelled is why the prediction does not hold, and Condition the name of the condition that fails: see Refusal.
	// The predicted value, the error and its interval are then unavailable. Both are "" where a prediction holds.
	NotModelled string `json:"not_modelled,omitempty"`
	Condition   string `json:"condition,omitempty"`
}

// WithPredictions sets beside each row what was predicted of it, and puts the rows of cases that were predicted only
// behind those of their design. The cases are all that were to be predicted. A prediction that does not hold has a
// reason in place of its numbers: see Refusal.
func WithPredictions(rows []Row, measured, predicted []result.Trial, cases []plan.Case) []Row {
	if len(predicted) == 0 {
		return rows
	}
	rows = slices.Clone(rows)
	seen := newEvidences(measured, predicted)
	live, virtual := seen.plain, seen.virtual
	for i := range rows {
		r := &rows[i]
		k := rowKey(r)
		k.world = result.Virtual
		why := seen.refusal(r, rows)
		r.Predictions, r.Refusal = nil, nil
		for _, metric := range r.precise() {
			if t, ok := newTwin(r, metric, live[rowKey(r)], virtual[k]); ok {
				t.refuse(why)
				r.Refusal = why
				r.Predictions = append(r.Predictions, t)
			}
		}
	}
	measuredRows := slices.Clone(rows)
	for _, r := range Rows(predicted, cases) {
		if slices.ContainsFunc(rows, func(m Row) bool {
			return m.Design == r.Design && m.Point.String() == r.Point.String()
		}) {
			continue
		}
		at := len(rows)
		for i := range rows {
			if rows[i].Design == r.Design {
				at = i + 1
			}
		}
		r.refuse(seen.beyond(&r, measuredRows))
		rows = slices.Insert(rows, at, r)
	}
	return rows
}

// refuse takes the numbers of a prediction that does not hold.
func (t *Prediction) refuse(why *Refusal) {
	if why == nil {
		return
	}
	t.NotModelled, t.Condition, t.Off = why.String(), why.Condition, false
	t.Predicted, t.Error, t.Low, t.High = result.Unavailable, result.Unavailable, result.Unavailable, result.Unavailable
}

// refuse takes the numbers of a row that was predicted only.
func (r *Row) refuse(why *Refusal) {
	if why == nil {
		return
	}
	r.Refusal = why
	none := result.Unavailable
	for name, s := range r.Metrics {
		s.Median, s.Low, s.High, s.Exact, s.NotModelled = none, none, none, false, why.String()
		s.Mean = &result.Interval{Mean: none, Low: none, High: none}
		r.Metrics[name] = s
	}
	r.Resources, r.CPUTime = nil, nil
}

// Refused are predicted trials without the numbers of those whose prediction does not hold, by their rows.
func Refused(predicted []result.Trial, rows []Row) []result.Trial {
	predicted = slices.Clone(predicted)
	for i := range predicted {
		t := &predicted[i]
		at := slices.IndexFunc(rows, func(r Row) bool {
			return r.Refusal != nil && r.Design == t.Design && r.Point.String() == t.Point.String()
		})
		if at >= 0 {
			t.NotModelled, t.Metrics, t.Resources = rows[at].Refusal.String(), result.Metrics{}, []result.Resource{}
			t.WallSeconds, t.Progress, t.Period = 0, 0, nil
		}
	}
	return predicted
}

// goodTrials are the throughput trials with a number, by row and block.
func goodTrials(trials []result.Trial) map[key]map[int]*result.Trial {
	return trialsOf(trials, result.KindTrial)
}

// trialsOf are the trials of a kind with a number, by row and block.
func trialsOf(trials []result.Trial, kind string) map[key]map[int]*result.Trial {
	m := map[key]map[int]*result.Trial{}
	for i := range trials {
		t := &trials[i]
		if t.Kind != kind || !t.Good() || t.Unstable {
			continue
		}
		k := trialKey(t)
		if m[k] == nil {
			m[k] = map[int]*result.Trial{}
		}
		m[k][t.Block] = t
	}
	return m
}

// newTwin compares one metric; ok is false where no block has both.
func newTwin(r *Row, metric string, live, virtual map[int]*result.Trial) (t Prediction, ok bool) {
	var logs, predictions []float64
	for _, b := range sortedBlocks(live) {
		if virtual[b] == nil {
			continue
		}
		p, m := twinValue(virtual[b], metric), twinValue(live[b], metric)
		if p > 0 && m > 0 && !math.IsInf(p, 0) && !math.IsInf(m, 0) {
			logs, predictions = append(logs, math.Log(p/m)), append(predictions, math.Log(p))
		}
	}
	if len(logs) == 0 {
		return t, false
	}
	predicted, ratio := math.Exp(stat.Mean(predictions)), math.Exp(stat.Mean(logs))
	t = Prediction{Kind: "twin", SchemaVersion: result.SchemaVersion, Workload: r.Workload, Design: r.Design, Point: r.Point,
		Metric: metric, Predicted: result.Value(predicted), Measured: result.Value(predicted / ratio),
		Error: result.Value(ratio - 1),
		Low:   result.Unavailable, High: result.Unavailable, N: len(logs), Margin: PredictionMargin, Bound: r.Bound}
	if c, ok := stat.Pair(logs, ratioConfidence); ok {
		t.Low, t.High = result.Value(c.Low-1), result.Value(c.High-1)
		t.Off = len(logs) >= leastForOff && (t.Low > PredictionMargin || t.High < -PredictionMargin)
	}
	return t, true
}

// twinValue is what a trial is compared by: its throughput as in verdicts.
func twinValue(t *result.Trial, metric string) float64 {
	if metric == measureOfTrial(t) {
		return valueOf(t)
	}
	return float64(t.Metrics.Get(metric))
}

// Twin is what was predicted of a metric.
func (r *Row) Prediction(metric string) (t Prediction, ok bool) {
	i := slices.IndexFunc(r.Predictions, func(t Prediction) bool { return t.Metric == metric })
	if i < 0 {
		return t, false
	}
	return r.Predictions[i], true
}

// TwinMetric is the metric that a row's prediction is judged by first.
func (r *Row) PredictedMetric() string { return r.precise()[0] }

// Agreement is how well predictions agree with measurements, over the rows that have both. Predictions that do not hold
// are counted and are in no other figure.
type Agreement struct {
	Points  int
	Refused int          // rows whose prediction does not hold
	Within  int          // whose error is at most PredictionMargin
	Median  float64      // of the errors' sizes
	Worst   Prediction   // the one whose error is greatest
	Off     []Prediction // those that are flagged, of any metric
}

// Agree sums up the predictions of rows; without any, Points is 0.
func Agree(rows []Row) Agreement {
	var a Agreement
	var sizes []float64
	for i := range rows {
		for _, t := range rows[i].Predictions {
			if t.Off {
				a.Off = append(a.Off, t)
			}
		}
		t, ok := rows[i].Prediction(rows[i].PredictedMetric())
		switch {
		case !ok:
			continue
		case t.NotModelled != "":
			a.Refused++
			continue
		}
		size := math.Abs(float64(t.Error))
		if size <= PredictionMargin {
			a.Within++
		}
		if a.Points == 0 || size > math.Abs(float64(a.Worst.Error)) {
			a.Worst = t
		}
		sizes = append(sizes, size)
		a.Points++
	}
	if a.Points > 0 {
		a.Median = stat.Median(sizes)
	}
	return a
}

// Doubts are the warnings that trials of a twin have, each once.
func PredictionWarnings(predicted []result.Trial) []Warning {
	var list []Warning
	had := map[string]bool{}
	for _, t := range predicted {
		for _, text := range t.Warnings {
			if !had[text] {
				had[text] = true
				list = append(list, NewWarning(t.Workload, WarnSimulation, "predictions: "+text))
			}
		}
	}
	return list
}

// Unpredicted warns of cases whose prediction came to no number, once for each design.
func Unpredicted(predicted []result.Trial, cases []plan.Case) []Warning {
	var order []string // designs
	points, why := map[string]int{}, map[string]string{}
	workload := ""
	for _, r := range Rows(predicted, cases) {
		if r.N > 0 {
			continue
		}
		workload = r.Workload
		if points[r.Design]++; points[r.Design] > 1 {
			continue // others fail alike, at another instant
		}
		order = append(order, r.Design)
		if why[r.Design] = "it has no number"; len(r.Errors) > 0 {
			why[r.Design] = r.Errors[0]
		}
	}
	var list []Warning
	for _, design := range order {
		at := ""
		if n := points[design]; n > 1 {
			at = fmt.Sprintf(" at %d points", n)
		}
		list = append(list, NewWarning(workload, WarnPrediction,
			fmt.Sprintf("%s has no prediction%s, for in virtual time its trial goes wrong: %s; leave predictions "+
				"out with --no-twin", design, at, why[design])))
	}
	return list
}
