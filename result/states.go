package result

// Disturbed is what disturbances of one burn did to a load that repeats itself. A load that returns to its period after
// each has one steady state.
type Disturbed struct {
	// burns that lasted longer, one at a time, each after the load had settled
	Count    int           `json:"disturbances"`
	DelaysNs []int64       `json:"delays_ns"` // by how much longer, in turn
	States   []SteadyState `json:"states"`    // the first is that of the trial itself, to which it need not return
	// Range has the least and the greatest value of each metric in all states.
	Range map[string][2]Value `json:"range"`
	// of the design after a disturbance, or of the simulation, which ended the search
	Error string `json:"error,omitempty"`
}

// SteadyState is one way in which a load repeats itself.
type SteadyState struct {
	Share float64 `json:"share"` // of the disturbances, after which the load was in this state
	// of these disturbances: when they were, as parts of the period that they ended, 0 to 1
	Phases  []float64 `json:"phases"`
	Period  *Period   `json:"period,omitempty"` // absent where the load did not come to repeat itself
	Metrics Metrics   `json:"metrics"`          // rate and times
}

// State is one steady state as a summary or a verdict sees it: values that differ by less than SameState are one.
type State struct {
	Value Value `json:"value"` // of the metric, or of the ratio
	// of the disturbances, after which it was this; of a ratio, the product of the shares of both sides
	Share float64 `json:"share"`
	// of these disturbances: see SteadyState; of a ratio, those of the side that has several states
	Phases []float64 `json:"phases"`
	A      *Value    `json:"a,omitempty"`
	B      *Value    `json:"b,omitempty"` // of a ratio: the values that it is of
}

// SameState is the share of a value by which steady states may differ and still count as one: what a table shows in
// four digits does not change.
const SameState = 0.001

// Moves reports whether disturbances change a metric, or end in an error.
func (d *Disturbed) Changes(metric string) bool {
	if d == nil {
		return false
	}
	r, has := d.Range[metric]
	return d.Error != "" || has && float64(r[1]-r[0]) > SameState*float64(r[1])
}
