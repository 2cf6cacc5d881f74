package compare

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// sensitivityLimit is the largest relative dependence on a cost that is not mentioned.
const sensitivityLimit = 0.02

// disturbance, as the name of a cost, stands for one prolonged burn.
const disturbance = ""

// VariedRun holds the rows of a repeated simulation with one scheduler cost changed. Seeds, and thus requests, are
// the same.
type VariedRun struct {
	Cost   string  // "": costs are unchanged, but one burn is prolonged
	Factor float64 // by which the cost was multiplied
	Rows   []Row
}

// Effect is the prediction with one cost multiplied by a factor.
type Effect struct {
	Cost   string       `json:"cost"`
	Factor float64      `json:"factor"`
	Value  result.Value `json:"value"` // unavailable if the design failed
}

// Sensitivity says how much the prediction of one metric depends on the scheduler's costs, changed one at a time.
type Sensitivity struct {
	Kind          string       `json:"kind"` // "sensitivity"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	Design        string       `json:"design"`
	World         string       `json:"world"`
	Point         plan.Point   `json:"point"`
	Metric        string       `json:"metric"`
	Value         result.Value `json:"value"` // the prediction: mean over the replications
	// range of all predictions; unavailable if one of them failed
	Low  result.Value `json:"low"`
	High result.Value `json:"high"`
	// largest relative distance of Low and High from Value
	Share   result.Value `json:"share"`
	Cost    string       `json:"cost"` // the cost with the largest effect; "" if none has any
	Effects []Effect     `json:"effects"`

	// The range of the prediction if one burn is prolonged, its largest relative distance from the prediction, and
	// the steady states that follow if there are several.
	DisturbedLow   result.Value   `json:"disturbed_low"`
	DisturbedHigh  result.Value   `json:"disturbed_high"`
	DisturbedShare result.Value   `json:"disturbed_share"`
	States         []result.State `json:"states,omitempty"`
}

// MaxShare returns the larger of the two relative distances; see Known.
func (s *Sensitivity) MaxShare() result.Value { return max(s.Share, s.DisturbedShare) }

// Known reports whether all variants and disturbances have a prediction.
func (s *Sensitivity) Known() bool { return s.Share.Known() && s.DisturbedShare.Known() }

// Matters reports whether the sensitivity must be mentioned.
func (s *Sensitivity) Matters() bool {
	return !s.Known() || s.MaxShare() > sensitivityLimit
}

// Sensitivities returns the sensitivities of the rows, row by row: of wall time for jobs, of throughput and mean
// latency for streams, of mean response time for open loops.
func Sensitivities(rows []Row, varied []VariedRun) []Sensitivity {
	var list []Sensitivity
	for i := range rows {
		if rows[i].N == 0 {
			continue
		}
		for _, metric := range rows[i].precisionMetrics() {
			list = append(list, sensitivity(&rows[i], metric, varied))
		}
	}
	return list
}

func sensitivity(r *Row, metric string, varied []VariedRun) Sensitivity {
	s := Sensitivity{Kind: "sensitivity", SchemaVersion: result.SchemaVersion, Workload: r.Workload, Design: r.Design,
		World: r.World,
		Point: r.Point, Metric: metric, Value: meanOf(r, metric), Effects: []Effect{}}
	s.Low, s.High = s.Value, s.Value
	s.disturbed(r, varied)
	base, greatest := float64(s.Value), 0.0
	for _, v := range varied {
		if v.Cost == disturbance {
			continue
		}
		e := Effect{v.Cost, v.Factor, v.prediction(r, metric)}
		s.Effects = append(s.Effects, e)
		x := float64(e.Value)
		s.Low = result.Value(math.Min(float64(s.Low), x)) // NaN if either is NaN
		s.High = result.Value(math.Max(float64(s.High), x))
		if d := math.Abs(x - base); d > greatest {
			s.Cost, greatest = v.Cost, d
		}
	}

	s.Share = relativeDistance(s.Value, s.Low, s.High)
	return s
}

// relativeDistance returns the largest relative distance of low and high from a value.
func relativeDistance(of, low, high result.Value) result.Value {
	if low == high {
		return 0 // also if the prediction is 0
	}
	return result.Value(math.Max(float64(high/of)-1, 1-float64(low/of)))
}

// prediction returns the prediction of a row in the variant; unavailable if there is none.
func (v *VariedRun) prediction(r *Row, metric string) result.Value {
	for j := range v.Rows {
		if o := &v.Rows[j]; o.Workload == r.Workload && o.Design == r.Design && o.Point.Equal(r.Point) {
			return meanOf(o, metric)
		}
	}
	return result.Unavailable
}

// disturbed sets the effect of disturbances.
func (s *Sensitivity) disturbed(r *Row, varied []VariedRun) {
	low, high := float64(s.Value), float64(s.Value)
	if m := r.Metric(s.Metric); len(m.States) > 0 {
		low, high, s.States = float64(m.Low), float64(m.High), m.States
	}
	for _, v := range varied {
		if v.Cost == disturbance {
			x := float64(v.prediction(r, s.Metric))
			low, high = math.Min(low, x), math.Max(high, x) // NaN if either is NaN
		}
	}
	s.DisturbedLow, s.DisturbedHigh = result.Value(low), result.Value(high)
	s.DisturbedShare = relativeDistance(s.Value, s.DisturbedLow, s.DisturbedHigh)
}

// AddSensitivities adds each sensitivity to the row of its case.
func AddSensitivities(rows []Row, list []Sensitivity) {
	for _, s := range list {
		for i := range rows {
			if r := &rows[i]; r.Workload == s.Workload && r.World == s.World && r.Design == s.Design &&
				r.Point.Equal(s.Point) {
				r.Sensitivity = append(r.Sensitivity, s)
			}
		}
	}
}

// meanOf returns the mean over the replications, or the median of live trials. It is unavailable if some trials
// failed, because the others may be biased.
func meanOf(r *Row, metric string) result.Value {
	if r.N == 0 || r.Unexpected > 0 {
		return result.Unavailable
	}
	s := r.Metric(metric)
	if s.Mean != nil {
		return s.Mean.Mean
	}
	return s.Median
}

// Text returns the sensitivity as a sentence.
func (s *Sensitivity) Text() string {
	words := map[string]string{result.Throughput: "throughput", result.LatencyMean: "mean latency",
		result.ResponseMean: "mean response", result.WallSeconds: "wall time"}
	what := fmt.Sprintf("%s (%s): the %s", s.Design, s.Point, words[s.Metric])
	if !s.Share.Known() {
		for _, e := range s.Effects {
			if !e.Value.Known() {
				return fmt.Sprintf("%s is unknown with the cost %s x %g, because the design then fails", what,
					e.Cost, e.Factor)
			}
		}
		return what + " is not known"
	}

	text := what
	if s.Share > sensitivityLimit {
		text += fmt.Sprintf(" depends on the scheduler's costs, most on %s: halving or doubling one changes it by "+
			"up to %.3g%%", s.Cost, 100*float64(s.Share))
	}

	switch {
	case !s.DisturbedShare.Known():
		return text + " is unknown if one burn lasts longer, because the design then fails"
	case s.DisturbedShare <= sensitivityLimit:
		return text
	case text != what:
		text += ";"
	}

	if len(s.States) > 1 {
		return text + fmt.Sprintf(" has %s: one burn that lasts longer changes it by up to %.3g%%",
			result.Count(len(s.States), "steady state"), 100*float64(s.DisturbedShare))
	}
	return text + fmt.Sprintf(" changes by up to %.3g%% if one burn lasts longer", 100*float64(s.DisturbedShare))
}
