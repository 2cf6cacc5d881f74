package result

import (
	"strings"

	"github.com/brewput/brewput/plan"
)

// Summary is the median of a metric over all blocks, for one design at one point.
type Summary struct {
	Kind          string     `json:"kind"` // "summary"
	SchemaVersion int        `json:"schema_version"`
	Workload      string     `json:"workload"`
	Design        string     `json:"design"`
	World         string     `json:"world"`
	Point         plan.Point `json:"point"`
	Metric        string     `json:"metric"`
	Median        Value      `json:"median"`
	Low           Value      `json:"low"`                 // exact order-statistic interval of the median, at least 95%;
	High          Value      `json:"high"`                // null below 6 trials
	N             int        `json:"n"`                   // number of trials
	Bound         bool       `json:"bound"`               // the design is a bound
	Reference     bool       `json:"peer,omitempty"`      // the design is an independent solution, such as wc
	Guarantee     string     `json:"guarantee,omitempty"` // of the design, such as "survives power loss"
	Mean          *Interval  `json:"mean,omitempty"`      // virtual: over the replications
	// Exact is true in virtual time if all trials are periodic with the same value, also after disturbances. Low and
	// High are then the median.
	Exact bool `json:"exact,omitempty"`
	// States are the steady states in virtual time, if there are two or more. Low and High span them.
	States []State `json:"states,omitempty"`
	// NotModelled is the reason why a prediction is not shown. Its numbers are null.
	NotModelled string `json:"not_modelled,omitempty"`
}

// Interval is a mean with its 95% confidence interval by Student's t. Below 2 trials the ends are null.
type Interval struct {
	Mean Value `json:"mean"`
	Low  Value `json:"low"`
	High Value `json:"high"`
}

// The reasons why a benchmark could not be measured in both revisions.
const (
	Removed   = "removed" // only the base has it
	Added     = "added"   // only the head has it
	HeadSkips = "skips-in-head"
	BaseSkips = "skips-in-base"
	BothSkip  = "skips-in-both"
	HeadFails = "fails-in-head"
	BaseFails = "fails-in-base"
	BothFail  = "fails-in-both"
)

// NotJudged is a benchmark that could not be compared with its base. Its JSON is a contract.
type NotJudged struct {
	Design string `json:"design"`
	Reason string `json:"reason"`         // Removed, Added, HeadSkips and so on
	Output string `json:"said,omitempty"` // output of the benchmark that failed or skipped itself
}

// notJudged maps reasons to predicates.
var notJudged = map[string]string{
	Removed: "is only in the base", Added: "is only in the head",
	HeadSkips: "skips itself in the head", BaseSkips: "skips itself in the base",
	BothSkip:  "skips itself in both revisions",
	HeadFails: "fails in the head", BaseFails: "fails in the base", BothFail: "fails in both revisions",
}

// String returns the benchmark and the reason as a sentence.
func (n NotJudged) String() string {
	text := n.Design + ": not judged: it " + notJudged[n.Reason]
	if n.Output != "" {
		text += ": " + strings.TrimPrefix(n.Output, "it fails: ")
	}
	return text
}
