// Package explain says why a program is not faster and what to change: rules that turn [evidence.Evidence] into
// ranked [Finding]s. It is pure: it runs nothing, reads no file and no clock. Package evidence/collect collects.
//
// Findings are ranked by what changing them is estimated to gain, never by how long somebody waits: waiting for work is
// what idle goroutines are for. Where nothing is to be gained, or where too little was seen to say so, that is the
// answer.
package explain

// EvidenceLevel is how much the evidence lets one see.
type EvidenceLevel string

// The tiers. C, a program rebuilt so that its traces name channels and locks, has its place here.
const (
	ProfileLevel EvidenceLevel = "A" // profiles and the runtime's own metrics
	TraceLevel   EvidenceLevel = "B" // an execution trace
)

// Gain is the fraction of the metric that a change is estimated to save.
type Gain struct {
	Metric   string  `json:"metric"` // "wall_seconds"
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Confidence is how sure a finding is.
type Confidence string

// The confidences.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// Finding is an answer. The contract of its JSON is that of brewput explain.
type Finding struct {
	Kind        string        `json:"kind"` // "finding"
	Rank        int           `json:"rank"`
	Name        Name          `json:"finding"`
	Level       EvidenceLevel `json:"tier"`
	Claim       string        `json:"claim"`
	Where       []string      `json:"where"` // file:line, relative to the module
	Share       float64       `json:"share"` // of the time that it concerns, 0 to 1
	Gain        *Gain         `json:"gain"`  // nil: it only diagnoses
	Confidence  Confidence    `json:"confidence"`
	Evidence    []string      `json:"evidence"`
	Alternative string        `json:"rival"`      // what else it could be
	Fix         string        `json:"fix"`        // what to change
	Experiment  string        `json:"experiment"` // that would refute it
}

// Name is a finding's name in reports, for programs to rely on.
type Name string
