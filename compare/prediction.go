package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// PredictionMargin is the tolerated relative error of a prediction. Larger errors are flagged.
const PredictionMargin = 0.05

// minBlocksOff is the least number of blocks at which an error is flagged. With fewer, the interval depends on two
// or three trials, and verdicts need as many.
const minBlocksOff = 6

// Prediction compares a prediction of a row with its measurement, over the blocks that hold both. Replication and
// block of one number serve the same requests. Predicted, Measured and Error are geometric means over those blocks.
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
	Low           result.Value `json:"low"`   // 95% interval: Student's t on the logarithms of the blocks' ratios;
	High          result.Value `json:"high"`  // null below 2 blocks
	N             int          `json:"n"`     // blocks
	Margin        float64      `json:"margin"`
	Off           bool         `json:"off"`   // the interval lies wholly outside the margin
	Bound         bool         `json:"bound"` // the design is a bound

	// NotModelled says why the prediction is invalid, and Condition names the failed condition; see
	// FailedCondition. Then Predicted, Error, Low and High are unavailable. Both are "" if the prediction is valid.
	NotModelled string `json:"not_modelled,omitempty"`
	Condition   string `json:"condition,omitempty"`
}

// AddPredictions adds to each row its prediction. Cases that were only predicted get rows of their own after those
// of their design. cases are all cases to predict. Invalid predictions have a reason instead of values; see
// FailedCondition.
func AddPredictions(rows []Row, measured, predicted []result.Trial, cases []plan.Case) []Row {
	if len(predicted) == 0 {
		return rows
	}

	rows = slices.Clone(rows)
	seen := newEvidenceIndex(measured, predicted)
	live, virtual := seen.plain, seen.virtual
	for i := range rows {
		r := &rows[i]
		k := rowKey(r)
		k.world = result.Virtual
		why := seen.failedCondition(r, rows)
		r.Predictions, r.FailedCondition = nil, nil
		for _, metric := range r.precisionMetrics() {
			if t, ok := newPrediction(r, metric, live[rowKey(r)], virtual[k]); ok {
				t.invalidate(why)
				r.FailedCondition = why
				r.Predictions = append(r.Predictions, t)
			}
		}
	}

	// Cases that were only predicted follow the last row of their design.
	measuredRows := slices.Clone(rows)
	for _, r := range Rows(predicted, cases) {
		if slices.ContainsFunc(rows, func(m Row) bool {
			return m.Design == r.Design && m.Point.Equal(r.Point)
		}) {
			continue
		}
		at := len(rows)
		for i := range rows {
			if rows[i].Design == r.Design {
				at = i + 1
			}
		}
		r.invalidate(seen.failedBeyond(&r, measuredRows))
		rows = slices.Insert(rows, at, r)
	}
	return rows
}

// invalidate removes the values of an invalid prediction. It does nothing if why is nil.
func (t *Prediction) invalidate(why *FailedCondition) {
	if why == nil {
		return
	}
	t.NotModelled, t.Condition, t.Off = why.String(), why.Condition, false
	t.Predicted, t.Error, t.Low, t.High = result.Unavailable, result.Unavailable, result.Unavailable, result.Unavailable
}

// invalidate removes the values of a row that was only predicted. It does nothing if why is nil.
func (r *Row) invalidate(why *FailedCondition) {
	if why == nil {
		return
	}
	r.FailedCondition = why
	none := result.Unavailable
	for name, s := range r.Metrics {
		s.Median, s.Low, s.High, s.Exact, s.NotModelled = none, none, none, false, why.String()
		s.Mean = &result.Interval{Mean: none, Low: none, High: none}
		r.Metrics[name] = s
	}
	r.Resources, r.CPUTime = nil, nil
}

// WithoutInvalidPredictions returns a copy of predicted trials in which those of invalid rows have no values.
func WithoutInvalidPredictions(predicted []result.Trial, rows []Row) []result.Trial {
	predicted = slices.Clone(predicted)
	for i := range predicted {
		t := &predicted[i]
		at := slices.IndexFunc(rows, func(r Row) bool {
			return r.FailedCondition != nil && r.Design == t.Design && r.Point.Equal(t.Point)
		})
		if at >= 0 {
			t.NotModelled, t.Metrics, t.Resources = rows[at].FailedCondition.String(), result.Metrics{},
				[]result.Resource{}
			t.WallSeconds, t.Progress, t.Period = 0, 0, nil
		}
	}
	return predicted
}

// goodTrials returns the throughput trials with a value, by row and block.
func goodTrials(trials []result.Trial) map[key]map[int]*result.Trial {
	return trialsOf(trials, result.KindTrial)
}

// trialsOf returns the trials of a kind with a value, by row and block.
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

// newPrediction compares one metric. ok is false if no block has both values.
func newPrediction(r *Row, metric string, live, virtual map[int]*result.Trial) (t Prediction, ok bool) {
	var logs, predictions []float64
	for _, b := range sortedBlocks(live) {
		if virtual[b] == nil {
			continue
		}
		p, m := predictionValue(virtual[b], metric), predictionValue(live[b], metric)
		if p > 0 && m > 0 && !math.IsInf(p, 0) && !math.IsInf(m, 0) {
			logs, predictions = append(logs, math.Log(p/m)), append(predictions, math.Log(p))
		}
	}

	if len(logs) == 0 {
		return t, false
	}

	predicted, ratio := math.Exp(stat.Mean(predictions)), math.Exp(stat.Mean(logs))
	t = Prediction{Kind: "twin", SchemaVersion: result.SchemaVersion, Workload: r.Workload, Design: r.Design,
		Point:  r.Point,
		Metric: metric, Predicted: result.Value(predicted), Measured: result.Value(predicted / ratio),
		Error: result.Value(ratio - 1),
		Low:   result.Unavailable, High: result.Unavailable, N: len(logs), Margin: PredictionMargin, Bound: r.Bound}

	if c, ok := stat.ComparePaired(logs, ratioConfidence); ok {
		t.Low, t.High = result.Value(c.Low-1), result.Value(c.High-1)
		t.Off = len(logs) >= minBlocksOff && (t.Low > PredictionMargin || t.High < -PredictionMargin)
	}
	return t, true
}

// predictionValue returns the value of a metric; for the measure of verdicts, the value that these use.
func predictionValue(t *result.Trial, metric string) float64 {
	if metric == measureOfTrial(t) {
		return valueOf(t)
	}
	return float64(t.Metrics.Get(metric))
}

// Prediction returns the prediction of a metric.
func (r *Row) Prediction(metric string) (t Prediction, ok bool) {
	i := slices.IndexFunc(r.Predictions, func(t Prediction) bool { return t.Metric == metric })
	if i < 0 {
		return t, false
	}
	return r.Predictions[i], true
}

// PredictedMetric returns the main metric of a row's prediction.
func (r *Row) PredictedMetric() string { return r.precisionMetrics()[0] }

// PredictionSummary says how well predictions agree with measurements, over the rows that have both. Invalid
// predictions count only in Invalid.
type PredictionSummary struct {
	Points  int
	Invalid int          // rows with an invalid prediction
	Within  int          // rows with an error of at most PredictionMargin
	Median  float64      // median absolute error
	Worst   Prediction   // the largest error
	Off     []Prediction // flagged predictions of any metric
}

// SummarizePredictions sums up the predictions of rows. Points is 0 if there are none.
func SummarizePredictions(rows []Row) PredictionSummary {
	var a PredictionSummary
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
			a.Invalid++
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

// PredictionWarnings returns the distinct warnings of predicted trials.
func PredictionWarnings(predicted []result.Trial) []Warning {
	var list []Warning
	had := map[string]bool{}
	for _, t := range predicted {
		for _, text := range t.Warnings {
			if !had[text] {
				had[text] = true
				list = append(list, NewWarning(t.Workload, WarnPrediction, "predictions: "+text))
			}
		}
	}
	return list
}

// MissingPredictionWarnings warns of designs with cases whose prediction has no value.
func MissingPredictionWarnings(predicted []result.Trial, cases []plan.Case) []Warning {
	var order []string // designs
	points, why := map[string]int{}, map[string]string{}
	workload := ""
	for _, r := range Rows(predicted, cases) {
		if r.N > 0 {
			continue
		}
		workload = r.Workload
		if points[r.Design]++; points[r.Design] > 1 {
			continue // other points fail for similar reasons
		}
		order = append(order, r.Design)
		if why[r.Design] = "it has no result"; len(r.Errors) > 0 {
			why[r.Design] = r.Errors[0]
		}
	}

	var list []Warning
	for _, design := range order {
		at := ""
		if n := points[design]; n > 1 {
			at = fmt.Sprintf(" at %d points", n)
		}
		list = append(list, NewWarning(workload, WarnNoPrediction,
			fmt.Sprintf("%s has no prediction%s, because its trial fails in virtual time: %s; leave predictions "+
				"out", design, at, why[design])))
	}
	return list
}
