package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// predictedNote is the heading of predictions and the note of predicted rows among measured ones. offSign marks the
// error of a prediction that is off.
const (
	predictedNote = "predicted"
	offSign       = "!"
	notModelled   = "not modelled" // replaces a prediction that does not hold
)

// maxOff is the largest number of predictions that are off and listed.
const maxOff = 8

// hasPredictedRows reports whether some rows are predicted and others measured.
func (f *frame) hasPredictedRows() bool {
	return !f.virtual() && slices.ContainsFunc(f.rows, f.predicted)
}

// predicted reports whether a row is predicted while others are measured.
func (f *frame) predicted(r compare.Row) bool { return r.World == result.Virtual && !f.virtual() }

// predictionColumns returns the prediction of the measure (in an open loop of the mean response time), its error and
// that of the mean latency. It returns nil if nothing was predicted.
func (f *frame) predictionColumns() []column {
	if !slices.ContainsFunc(f.rows, func(r compare.Row) bool { return len(r.Predictions) > 0 }) {
		return nil
	}
	predicted := f.column(predictedNote, "mean", func(r compare.Row) string {
		t, ok := r.Prediction(r.PredictedMetric())
		switch {
		case !ok:
			return ""
		case t.NotModelled != "":
			return notModelled
		}
		return number(t.Predicted, result.UnitOf(t.Metric), digits)
	})
	predicted.drop = 1
	columns := []column{predicted, f.errorColumn("error", func(r compare.Row) string { return r.PredictedMetric() })}
	if !f.job && !f.open {
		latency := f.errorColumn("latency error", func(compare.Row) string { return result.LatencyMean })
		latency.drop = 7
		columns = append(columns, latency)
	}
	return columns
}

// errorColumn returns the errors of predictions of a metric.
func (f *frame) errorColumn(head string, metric func(compare.Row) string) column {
	c := column{group: predictedNote, head: head}
	for _, r := range f.rows {
		t, ok := r.Prediction(metric(r))
		switch {
		case !ok || t.NotModelled != "":
			c.add("", plain)
		case t.Off:
			c.add(signedPercent(t.Error)+offSign, caution)
		case r.Bound:
			c.add(signedPercent(t.Error)+" ", dim)
		default:
			c.add(signedPercent(t.Error)+" ", plain)
		}
	}
	if !slices.ContainsFunc(c.cells, func(x cell) bool { return strings.HasSuffix(x.text, offSign) }) {
		for i := range c.cells {
			c.cells[i].text = strings.TrimSuffix(c.cells[i].text, " ")
		}
	}
	return c
}

// signedPercent prints an error of 0.012 as +1.2%.
func signedPercent(v result.Value) string {
	x := 100 * float64(v)
	if math.Abs(x) < 0.05 {
		return "0.0%"
	}
	return fmt.Sprintf("%+.1f%%", x)
}

// predictionNotes explains the signs of predictionColumns.
func (f *frame) predictionNotes(columns []column) []string {
	var notes []string
	if slices.ContainsFunc(columns, func(c column) bool {
		return slices.ContainsFunc(c.cells, func(x cell) bool { return strings.HasSuffix(x.text, "%"+offSign) })
	}) {
		notes = append(notes, fmt.Sprintf("%s : off; the 95%% interval of the error lies outside -%.0f to "+
			"+%.0f%%", offSign, 100*compare.PredictionMargin, 100*compare.PredictionMargin))
	}
	notes = append(notes, f.refusalNotes()...)
	if f.hasPredictedRows() {
		notes = append(notes, predictedNote+" : simulated, because this machine has fewer CPUs; means instead of "+
			"medians")
	}
	return notes
}

// refusalNotes says why predictions do not hold: a sentence for each failed condition, with the row that fails it
// most.
func (f *frame) refusalNotes() []string {
	var order []string
	worst, count := map[string]*compare.Row{}, map[string]int{}
	for i := range f.rows {
		r := &f.rows[i]
		if r.FailedCondition == nil {
			continue
		}
		c := r.FailedCondition.Condition
		if count[c]++; count[c] == 1 {
			order = append(order, c)
		}
		if w := worst[c]; w == nil || r.FailedCondition.Worse(*w.FailedCondition) {
			worst[c] = r
		}
	}

	var notes []string
	for _, c := range order {
		w, where := worst[c], ""
		if count[c] > 1 {
			where = fmt.Sprintf(" (%s, the worst %s)", result.Count(count[c], "row"), f.rowName(w))
		}
		notes = append(notes, fmt.Sprintf("%s : %s%s: %s", notModelled, strings.Join(f.refusedDesigns(c), ", "), where,
			w.FailedCondition))
	}
	return notes
}

// refusedDesigns returns the designs that have a row that fails a condition, each once.
func (f *frame) refusedDesigns(condition string) []string {
	var names []string
	for _, r := range f.rows {
		if r.FailedCondition != nil && r.FailedCondition.Condition == condition && !slices.Contains(names, r.Design) {
			names = append(names, r.Design)
		}
	}
	return names
}

// agreement states how well predictions agree with measurements, and lists those that are off. The sentence is "" if
// there are no predictions.
func (f *frame) agreement() (sentence string, off []string) {
	a := compare.SummarizePredictions(f.rows)
	refused := ""
	if a.Invalid > 0 {
		refused = fmt.Sprintf("%s not modelled", result.Count(a.Invalid, "case"))
	}
	if a.Points == 0 {
		if refused != "" {
			sentence = "predictions: " + refused
		}
		return sentence, nil
	}

	where := func(t compare.Prediction) string { return f.rowName(&compare.Row{Design: t.Design, Point: t.Point}) }
	sentence = fmt.Sprintf("predictions: %d of %s within %.0f%%, median error %.1f%%", a.Within,
		result.Count(a.Points, "case"), 100*compare.PredictionMargin, 100*a.Median)
	if a.Points > 1 {
		sentence += fmt.Sprintf(", worst %s (%s)", signedPercent(a.Worst.Error), where(a.Worst))
	}
	if refused != "" {
		sentence += "; " + refused
	}

	for i, t := range a.Off {
		if i == maxOff {
			off = append(off, fmt.Sprintf("and %d more", len(a.Off)-i))
			break
		}
		u := result.UnitOf(t.Metric)
		off = append(off, fmt.Sprintf("%s of %s: %s predicted, %s measured: %s (%s to %s)", metricWords[t.Metric],
			where(t), number(t.Predicted, u, fewDigits), number(t.Measured, u, fewDigits), signedPercent(t.Error),
			signedPercent(t.Low), signedPercent(t.High)))
	}
	return sentence, off
}

// metricWords are the names of the predicted metrics for people.
var metricWords = map[string]string{
	result.Throughput: "throughput", result.LatencyMean: "mean latency", result.ResponseMean: "mean response",
	result.WallSeconds: "wall time",
}

// writePredictions writes how well predictions and measurements agree, and which are off if the page shows that part.
func writePredictions(b *strings.Builder, f *frame, st Style) {
	sentence, off := f.agreement()
	if sentence == "" {
		return
	}
	blankLine(b)
	wrap(b, st.split(sentence), " ", 2, st.width())
	if !st.shows("predictions") {
		off = nil
	}
	for _, text := range off {
		b.WriteString("  " + st.paint(caution, offSign) + " ")
		wrap(b, st.split(text), " ", 4, st.width()-4)
	}
}
