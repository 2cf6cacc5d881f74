package compare

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// mostSensitive is the share of a prediction by which it may depend on a cost before that is said in words.
const mostSensitive = 0.02

// disturbance, in place of the name of a cost, is a burn that lasts longer.
const disturbance = ""

// Varied are the rows of a calculation that differs from another in one cost of the scheduler, with the same seeds
// and so the same customers.
type Varied struct {
	Cost   string  // "": the costs are the same, and one burn lasts longer
	Factor float64 // that the cost was multiplied by
	Rows   []Row
}

// Effect is what one cost does to a prediction: the prediction with the cost multiplied by each factor.
type Effect struct {
	Cost   string       `json:"cost"`
	Factor float64      `json:"factor"`
	Value  result.Value `json:"value"` // unavailable where the design went wrong
}

// Sensitivity is by how much a prediction depends on the scheduler's costs: one metric of a design at a point, as
// it is and with one cost at a time another.
type Sensitivity struct {
	Kind          string       `json:"kind"` // "sensitivity"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	Design        string       `json:"design"`
	World         string       `json:"world"`
	Point         plan.Point   `json:"point"`
	Metric        string       `json:"metric"`
	Value         result.Value `json:"value"` // the prediction: the mean over the replications
	// of it and all with another cost; unavailable where one of them went wrong
	Low  result.Value `json:"low"`
	High result.Value `json:"high"`
	// the greater distance of low and high from the prediction, by the prediction
	Share   result.Value `json:"share"`
	Cost    string       `json:"cost"` // that makes the greatest difference; "" where none makes any
	Effects []Effect     `json:"effects"`

	// The range of the prediction if a disturbance makes one burn last longer, its greater distance from the prediction
	// by the prediction, and the steady states that the load has then, where it repeats itself in several.
	DisturbedLow   result.Value   `json:"disturbed_low"`
	DisturbedHigh  result.Value   `json:"disturbed_high"`
	DisturbedShare result.Value   `json:"disturbed_share"`
	States         []result.State `json:"states,omitempty"`
}

// Most is the greater of the shares; see Known.
func (s *Sensitivity) Most() result.Value { return max(s.Share, s.DisturbedShare) }

// Known reports whether the prediction is known under all costs and after disturbances.
func (s *Sensitivity) Known() bool { return s.Share.Known() && s.DisturbedShare.Known() }

// Matters reports whether the range is so wide that a reader must know.
func (s *Sensitivity) Matters() bool {
	return !s.Known() || s.Most() > mostSensitive
}

// Sensitivities are those of the rows, row by row: of a job its wall time, of a stream its throughput and mean
// latency, or in an open loop its mean response.
func Sensitivities(rows []Row, varied []Varied) []Sensitivity {
	var list []Sensitivity
	for i := range rows {
		if rows[i].N == 0 {
			continue
		}
		for _, metric := range rows[i].precise() {
			list = append(list, sensitivity(&rows[i], metric, varied))
		}
	}
	return list
}

func sensitivity(r *Row, metric string, varied []Varied) Sensitivity {
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
		e := Effect{v.Cost, v.Factor, v.of(r, metric)}
		s.Effects = append(s.Effects, e)
		x := float64(e.Value)
		s.Low = result.Value(math.Min(float64(s.Low), x)) // NaN if either is
		s.High = result.Value(math.Max(float64(s.High), x))
		if d := math.Abs(x - base); d > greatest {
			s.Cost, greatest = v.Cost, d
		}
	}
	s.Share = farthest(s.Value, s.Low, s.High)
	return s
}

// farthest is the greater distance of low and high from a value, by the value.
func farthest(of, low, high result.Value) result.Value {
	if low == high {
		return 0 // also where the prediction is that it takes no time
	}
	return result.Value(math.Max(float64(high/of)-1, 1-float64(low/of)))
}

// of is the prediction of a row in the variant; unavailable where it has none.
func (v *Varied) of(r *Row, metric string) result.Value {
	for j := range v.Rows {
		if o := &v.Rows[j]; o.Workload == r.Workload && o.Design == r.Design && o.Point.String() == r.Point.String() {
			return meanOf(o, metric)
		}
	}
	return result.Unavailable
}

// disturbed works out what a disturbance does.
func (s *Sensitivity) disturbed(r *Row, varied []Varied) {
	low, high := float64(s.Value), float64(s.Value)
	if m := r.Metric(s.Metric); len(m.States) > 0 {
		low, high, s.States = float64(m.Low), float64(m.High), m.States
	}
	for _, v := range varied {
		if v.Cost == disturbance {
			x := float64(v.of(r, s.Metric))
			low, high = math.Min(low, x), math.Max(high, x) // NaN if either is
		}
	}
	s.DisturbedLow, s.DisturbedHigh = result.Value(low), result.Value(high)
	s.DisturbedShare = farthest(s.Value, s.DisturbedLow, s.DisturbedHigh)
}

// WithSensitivity adds each sensitivity to the row of its case.
func WithSensitivity(rows []Row, list []Sensitivity) {
	for _, s := range list {
		for i := range rows {
			if r := &rows[i]; r.Workload == s.Workload && r.World == s.World && r.Design == s.Design &&
				r.Point.String() == s.Point.String() {
				r.Sensitivity = append(r.Sensitivity, s)
			}
		}
	}
}

// meanOf is the mean over the replications, or the median where there is no mean, in the live world. A row whose
// trials did not all go right has neither: what is left may be another kind of trial.
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

// Text says it in a sentence.
func (s *Sensitivity) Text() string {
	words := map[string]string{result.Throughput: "throughput", result.LatencyMean: "mean latency",
		result.ResponseMean: "mean response", result.WallSeconds: "wall time"}
	what := fmt.Sprintf("%s (%s): the %s", s.Design, s.Point, words[s.Metric])
	if !s.Share.Known() {
		for _, e := range s.Effects {
			if !e.Value.Known() {
				return fmt.Sprintf("%s is not known where the cost %s is x %g: the design goes wrong there", what,
					e.Cost, e.Factor)
			}
		}
		return what + " is not known"
	}
	text := what
	if s.Share > mostSensitive {
		text += fmt.Sprintf(" depends on the scheduler's costs, on %s most: one of them x 1/2 or x 2 changes "+
			"it by up to %.3g%%", s.Cost, 100*float64(s.Share))
	}
	switch {
	case !s.DisturbedShare.Known():
		return text + " is not known after one burn lasts longer: the design goes wrong then"
	case s.DisturbedShare <= mostSensitive:
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
