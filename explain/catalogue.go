package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/result"
)

// Doc documents the findings of one name. It encodes to a JSON object of kind "finding-doc".
type Doc struct {
	Kind          string   `json:"kind"` // always "finding-doc"
	SchemaVersion int      `json:"schema_version"`
	Name          Name     `json:"finding"`
	Meaning       string   `json:"meaning"`         // one line
	Evidence      string   `json:"evidence"`        // what shows it
	Thresholds    []string `json:"thresholds"`      // when it is reported; empty if no number decides
	Example       string   `json:"example"`         // a program that has it
	Fix           string   `json:"fix"`             // the usual one
	Explains      []Name   `json:"explains"`        // its symptoms; reported with it only if they gain much more
	Range         *Range   `json:"range,omitempty"` // how well plausible ranges of its gains held; nil if unknown
}

// Docs returns the documentation of all findings: those with a rule, the names that are reserved, and those of a report
// in which no rule applies.
func Docs() []Doc {
	list := slices.Concat(workDocs(), splitDocs(), workerDocs(), lockDocs(), channelDocs(), waitDocs(), cpuDocs(),
		collectorDocs(), machineDocs(), runDocs())
	for i := range list {
		d := &list[i]
		d.Kind, d.SchemaVersion = "finding-doc", result.SchemaVersion
		if r := RangeOf(d.Name); r.Programs > 0 && !d.Reserved() && !slices.Contains(withoutGain, d.Name) {
			d.Range = &r
		}
		d.Explains = append([]Name{}, traits[d.Name].symptoms...)
		if d.Thresholds == nil {
			d.Thresholds = []string{}
		}
	}
	return list
}

// withoutGain are the findings that never have a gain.
var withoutGain = []Name{None, TooLittleEvidence, TooFewSamples, ProfilerNoise, GoroutineLeak, CPUSaturated}

// atLeast and atMost format thresholds: a fraction in percent, a time, or a number with its unit.
func atLeast(what string, limit any) string { return what + ": at least " + formatLimit(limit) }
func atMost(what string, limit any) string  { return what + ": at most " + formatLimit(limit) }

// formatLimit formats a threshold. Fractions are below 1.
func formatLimit(limit any) string {
	switch x := limit.(type) {
	case time.Duration:
		return formatDuration(x)
	case float64:
		if x < 1 {
			return percent(x)
		}
	}
	return fmt.Sprint(limit)
}

// reservedMark begins the meaning of a name that has no rule yet.
const reservedMark = "(reserved) "

// Reserved reports whether no rule reports the finding yet.
func (d Doc) Reserved() bool { return strings.HasPrefix(d.Meaning, reservedMark) }

// reserved documents a name that has no rule yet.
func reserved(name Name, meaning string) Doc {
	return Doc{Name: name, Meaning: reservedMark + meaning, Evidence: "Reserved: no rule reports it yet.",
		Example: "None.", Fix: "None."}
}
