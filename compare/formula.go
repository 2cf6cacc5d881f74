package compare

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// Formula compares a closed form with the measurements of a row, over the blocks in which the form has a value. It
// is evaluated with the trials of each block. Predicted, Measured and Ratio are geometric means over blocks.
type Formula struct {
	Kind          string       `json:"kind"` // "formula"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	Design        string       `json:"design"`
	World         string       `json:"world"`
	Point         plan.Point   `json:"point"`
	Metric        string       `json:"metric"`
	Predicted     result.Value `json:"predicted"`
	Measured      result.Value `json:"measured"`
	Text          string       `json:"text"`
	Source        string       `json:"source"`

	// Predicted and Measured, if the metric is the wall time; otherwise null.
	PredictedSeconds result.Value `json:"predicted_seconds"`
	MeasuredSeconds  result.Value `json:"measured_seconds"`

	Ratio  result.Value `json:"ratio"` // measured / predicted
	Low    result.Value `json:"low"`   // 95% interval: Student's t on the logarithms of the blocks' ratios;
	High   result.Value `json:"high"`  // null below 2 blocks
	N      int          `json:"n"`     // blocks
	Reason string       `json:"reason,omitempty"`
}

// AddFormulas adds to each row the comparison with its design's [workload.Formula]. Rows without a value get none, nor
// does any row if w is nil.
func AddFormulas(rows []Row, trials []result.Trial, w *workload.Workload) {
	if w == nil {
		return
	}
	good := goodTrials(trials)
	for i := range rows {
		r := &rows[i]
		if d, _ := w.Find(r.Design); d.Formula != nil && r.Job && r.N > 0 {
			r.Formula = newFormula(r, d.Formula, good)
		}
	}
}

func newFormula(r *Row, form *workload.Formula, good map[key]map[int]*result.Trial) *Formula {
	f := &Formula{Kind: "formula", SchemaVersion: result.SchemaVersion, Workload: r.Workload, Design: r.Design,
		World: r.World, Point: r.Point,
		Text: form.Text, Source: form.Source, Predicted: result.Unavailable, Measured: result.Unavailable,
		PredictedSeconds: result.Unavailable, MeasuredSeconds: result.Unavailable, Ratio: result.Unavailable,
		Low: result.Unavailable, High: result.Unavailable}
	predict := form.Seconds
	if f.Metric = result.WallSeconds; form.Value != nil {
		predict, f.Metric = form.Value, form.Metric
	}
	var logs, predictions []float64
	// Only blocks with a measurement and a value of the formula count. If none do, the first missing input is the
	// reason.
	own := good[rowKey(r)]
	for _, b := range sortedBlocks(own) {
		found := lookup{row: r, block: b, good: good}
		p, m := predict(r.Point, found.value), float64(own[b].Metrics.Get(f.Metric))
		switch {
		case !(m > 0):
			if f.Reason == "" {
				f.Reason = noMeasurement(f.Metric, m)
			}
		case p > 0 && !math.IsInf(p, 0):
			logs, predictions = append(logs, math.Log(m/p)), append(predictions, math.Log(p))
		case f.Reason == "" && found.missing != "":
			f.Reason = found.missing
		case f.Reason == "" && p == 0:
			f.Reason = "it predicts 0, so there is no ratio"
		case f.Reason == "":
			f.Reason = "it does not apply at this point"
		}
	}

	if f.N = len(logs); f.N == 0 {
		return f
	}

	f.Reason = ""
	predicted, ratio := math.Exp(stat.Mean(predictions)), math.Exp(stat.Mean(logs))
	f.Predicted, f.Measured, f.Ratio = result.Value(predicted), result.Value(predicted*ratio), result.Value(ratio)
	if f.Metric == result.WallSeconds {
		f.PredictedSeconds, f.MeasuredSeconds = f.Predicted, f.Measured
	}
	if c, ok := stat.ComparePaired(logs, ratioConfidence); ok {
		f.Low, f.High = result.Value(c.Low), result.Value(c.High)
	}
	return f
}

// noMeasurement returns why a metric that is not above 0 cannot be compared with a formula.
func noMeasurement(metric string, m float64) string {
	switch {
	case math.IsNaN(m):
		return "the job does not report " + metric
	case m == 0:
		return metric + " is 0, so there is no ratio"
	}
	return metric + " is negative, so there is no ratio"
}

// lookup provides the measurements of one block to a formula, and records the first one that is missing.
type lookup struct {
	row     *Row
	block   int
	good    map[key]map[int]*result.Trial
	missing string
}

// value implements workload.Measured. A trial matches if its point agrees with p in the factors that both have.
func (l *lookup) value(design, metric string, p plan.Point) (float64, bool) {
	var found *result.Trial
	fits := 0
	for k, blocks := range l.good {
		t := blocks[l.block]
		if t != nil && k.design == design && k.workload == l.row.Workload && k.world == l.row.World &&
			agree(p, t.Point) {
			found = t
			fits++
		}
	}

	why := ""
	switch {
	case fits == 0:
		why = "no trial of " + design + " fits"
	case fits > 1:
		why = fmt.Sprintf("%d trials of %s fit, not one", fits, design)
	case !measured(found.Metrics.Get(metric)):
		why = fmt.Sprintf("%s has no %s", design, metric)
	default:
		return float64(found.Metrics.Get(metric)), true
	}

	if l.missing == "" {
		l.missing = why
	}
	return 0, false
}
