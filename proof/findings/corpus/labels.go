package corpus

import (
	"crypto/sha256"
	_ "embed" // labels.json
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Intervention is the measured gain of the fix of a sick case. Both programs ran in turn.
type Intervention struct {
	Case         string  `json:"case"`
	Source       string  `json:"source"` // hash of both programs
	Runs         int     `json:"runs"`   // of each
	SickSeconds  float64 `json:"sick_seconds"`
	FixedSeconds float64 `json:"fixed_seconds"` // geometric means
	Gain         float64 `json:"gain"`          // fraction of the sick one's wall time that the fix saves
	Low          float64 `json:"low"`           // 95% interval, from the logarithms of ratios within pairs
	High         float64 `json:"high"`
	Machine      string  `json:"machine,omitempty"` // CPU model, if it is another than that of the labels
}

// Labels are measured gains, with the machine of most of them.
type Labels struct {
	Machine       string         `json:"machine"` // CPU model
	CPUs          int            `json:"cpus"`
	Go            string         `json:"go"`
	Interventions []Intervention `json:"interventions"`
}

//go:embed labels.json
var labels []byte

// LeastGain is the fraction of wall time that a fix must save for its case to count as sick.
const LeastGain = 0.10

// Positive reports whether the fix gains enough, with an interval that excludes zero.
func (i Intervention) Positive() bool { return i.Gain >= LeastGain && i.Low > 0 }

// Measured returns the stored labels.
func Measured() (Labels, error) {
	var l Labels
	err := json.Unmarshal(labels, &l)
	return l, err
}

// Find returns the intervention on a case, if it was measured with the current sources.
func (l Labels) Find(c Case) (Intervention, bool) {
	source, err := c.Hash()
	if err != nil {
		return Intervention{}, false
	}
	for _, i := range l.Interventions {
		if i.Case == c.Name() && i.Source == source {
			return i, true
		}
	}
	return Intervention{}, false
}

// Hash returns a hash of the sources of a sick case and its repair.
func (c Case) Hash() (string, error) {
	h := sha256.New()
	cases := []Case{c}
	if fixed, ok := c.Repair(); ok {
		cases = append(cases, fixed)
	}
	for _, k := range cases {
		source, _, err := k.Source()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%d\n%s", len(source), source)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}
