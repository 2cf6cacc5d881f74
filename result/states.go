package result

// Disturbed is the effect of disturbances on a periodic load in virtual time: one burn at a time lasts longer. A load
// that returns to its period after each disturbance has a single steady state.
type Disturbed struct {
	Count    int           `json:"disturbances"` // number of disturbances, each after the load had settled
	DelaysNs []int64       `json:"delays_ns"`    // additional times of the burns, used in turn
	States   []SteadyState `json:"states"`       // the first is that of the trial itself, to which it need not return
	// Range has the smallest and the largest value of each metric over all states.
	Range map[string][2]Value `json:"range"`
	// Error is the error of the design after a disturbance, or of the simulation. It ended the search.
	Error string `json:"error,omitempty"`
}

// SteadyState is one of the ways in which a load can repeat itself.
type SteadyState struct {
	Share float64 `json:"share"` // fraction of the disturbances that led to this state
	// Phases are the times of these disturbances, as fractions of the period that they interrupted, 0 to 1.
	Phases  []float64 `json:"phases"`
	Period  *Period   `json:"period,omitempty"` // absent if the load did not become periodic
	Metrics Metrics   `json:"metrics"`          // rate and times in this state
}

// State is a steady state in a summary or a verdict. Values that differ by less than [SameState] are one state.
type State struct {
	Value Value `json:"value"` // of the metric, or of the ratio in a verdict
	// Share is the fraction of the disturbances that led to this state; for a ratio, the product of both sides' shares.
	Share float64 `json:"share"`
	// Phases are those of SteadyState; for a ratio, those of the side that has several states.
	Phases []float64 `json:"phases"`
	A      *Value    `json:"a,omitempty"` // for a ratio: the value of side A
	B      *Value    `json:"b,omitempty"` // for a ratio: the value of side B
}

// SameState is the relative difference below which two steady states count as one. It does not change the four digits
// that a table shows.
const SameState = 0.001

// Changes reports whether disturbances changed a metric, or ended in an error. It is false for a nil Disturbed.
func (d *Disturbed) Changes(metric string) bool {
	if d == nil {
		return false
	}
	r, has := d.Range[metric]
	return d.Error != "" || has && float64(r[1]-r[0]) > SameState*float64(r[1])
}
