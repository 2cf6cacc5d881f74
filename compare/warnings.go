package compare

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// Thresholds of the warnings. Metrics that the platform lacks cause no warning.
const (
	otherLoadLimit = 0.10  // mean CPUs used by other processes
	stealLimit     = 0.01  // fraction of the CPU time wanted that the hypervisor withheld
	tickSeconds    = 0.01  // resolution of the system's counters of both; see beyondTicks
	slowerLimit    = 0.05  // excess of the burn time before and after a trial,
	slowTrials     = 0.05  // and the fraction of trials from which on it matters
	orderAlpha     = 0.005 // false-alarm rate of each of the two tests of block order
	driftLimit     = 0.01  // smallest change of speed from the first block to the last that matters
	minBlocksOrder = 6     // blocks; no order of 5 blocks has a p-value below orderAlpha
)

// Names of warnings.
const (
	WarnOtherProcesses = "load-by-others"
	WarnSteal          = "steal"
	WarnThrottled      = "throttled"
	WarnClock          = "clock-drop"
	WarnDrift          = "drift"
	WarnSerial         = "autocorrelation"
	WarnRatios         = "ratio-order" // order of ratios; the two above are about levels
	WarnFewBlocks      = "too-few-blocks"
	WarnSettings       = "settings"      // settings of two runs make their values incomparable
	WarnPartial        = "unfinished"    // a run lacks blocks
	WarnOneRun         = "one-run"       // two sides of one run each, so the variation between runs is unknown
	WarnBudget         = "budget"        // the number of blocks of a run depended on its data
	WarnNoPrediction   = "no-prediction" // a predicted trial failed
	WarnPrediction     = "prediction"    // a warning of a predicted trial
	WarnCosts          = "typical-costs" // the predictions use typical costs, not this machine's

	WarnShort    = "short-command" // much of a command's time is the start of its process
	WarnOutliers = "outliers"      // of a command
	WarnMemory   = "memory-floor"  // a command used less memory than can be measured
)

// Warning is a reason to doubt the values of a whole run.
type Warning struct {
	Kind          string       `json:"kind"` // "warning"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	Run           string       `json:"run,omitempty"` // of two runs: the directory of the affected one
	Warning       string       `json:"warning"`       // name of the warning
	Value         result.Value `json:"value"`         // a fraction, CPUs, a correlation or a count
	Threshold     result.Value `json:"threshold"`     // the limit of Value
	P             result.Value `json:"p"`             // p-value of drift and autocorrelation
	Trials        *int         `json:"trials"`        // number of affected trials; null if the whole run is
	Total         *int         `json:"of"`            // number of trials examined
	Text          string       `json:"text"`          // what happened, how much, and what to do
}

// NewWarning returns a warning without a value.
func NewWarning(workload, name, text string) Warning {
	return Warning{Kind: "warning", SchemaVersion: result.SchemaVersion, Workload: workload, Warning: name, Text: text,
		Value: result.Unavailable, Threshold: result.Unavailable, P: result.Unavailable}
}

// Warnings returns the disturbances of a run, from the counters of its trials and the order of its blocks. Without
// a disturbance, drift or autocorrelation is reported in at most 1 of 100 runs. interims are the planned interim
// analyses of a run with a budget; nil without one.
func Warnings(trials []result.Trial, interims []int) []Warning {
	if len(trials) > 0 && trials[0].World == result.Virtual {
		return nil // nothing disturbs virtual time
	}
	return collectWarnings(trials, otherProcesses, stealTime, throttled, clockDrop, blockOrder,
		func(trials []result.Trial) (Warning, bool) { return fewBlocks(trials, interims) })
}

// DisturbanceWarnings returns the warnings about CPU time taken by other processes, in live trials.
func DisturbanceWarnings(trials []result.Trial) []Warning {
	return collectWarnings(trials, otherProcesses, stealTime, throttled)
}

func collectWarnings(trials []result.Trial, checks ...func([]result.Trial) (Warning, bool)) []Warning {
	var list []Warning
	for _, check := range checks {
		if w, ok := check(trials); ok {
			w.Workload = trials[0].Workload
			list = append(list, w)
		}
	}
	return list
}

func warn(name string, value, threshold float64, format string, args ...any) (Warning, bool) {
	w := NewWarning("", name, fmt.Sprintf(format, args...))
	w.Value, w.Threshold = result.Value(value), result.Value(threshold)
	return w, true
}

func (w *Warning) setTrials(trials, of int) { w.Trials, w.Total = &trials, &of }

// blockOrder tests for drift and, if there is none, for autocorrelation, which drift would cause too.
func blockOrder(trials []result.Trial) (Warning, bool) {
	t := tabulate(trials)
	if len(t.rows) == 0 || len(t.rows[0]) < minBlocksOrder {
		return Warning{}, false
	}
	if change, p := t.trend(); p <= orderAlpha {
		if share := math.Exp(change) - 1; math.Abs(share) >= driftLimit {
			w, ok := warn(WarnDrift, share, driftLimit,
				"speed drifted by %+.1f%% from the first block to the last (p = %.2g; limits: %.0f%% and p <= %g): "+
					"verdicts remain valid, but compare no medians with another run; let the machine warm up first",
				100*share, p, 100*driftLimit, orderAlpha)
			w.P = result.Value(p)
			return w, ok
		}
		return Warning{}, false // a significant but irrelevant drift, which also explains correlated blocks
	}

	// Without a drift, correlated blocks mean that something changes over several blocks.
	r, p := t.serial()
	if p > orderAlpha {
		return Warning{}, false
	}

	w, ok := warn(WarnSerial, r, orderAlpha,
		"neighbouring blocks are correlated (correlation %.2f, p = %.2g; limit: p <= %g): intervals of medians are "+
			"about %.1f times too narrow; stop other programs, or make trials longer",
		r, p, orderAlpha, math.Sqrt((1+r)/(1-min(r, 0.99))))

	w.P = result.Value(p)
	return w, ok
}

// fewBlocks warns if even the row with the most trials has too few. Rows with failed trials say so themselves.
func fewBlocks(trials []result.Trial, interims []int) (Warning, bool) {
	least := stat.MinBlocks(1 - confidence)
	if len(interims) > 0 {
		least = interims[0]
	}

	counts, n := map[key]int{}, 0
	for i := range trials {
		if t := &trials[i]; t.Kind == result.KindTrial && t.Good() {
			k := trialKey(t)
			counts[k]++
			n = max(n, counts[k])
		}
	}

	if n == 0 || n >= least {
		return Warning{}, false
	}

	few := fmt.Sprintf("%d %s", n, map[bool]string{true: "block is too few", false: "blocks are too few"}[n == 1])
	if len(interims) > 0 {
		return warn(WarnFewBlocks, float64(n), float64(least),
			"%s: the first interim analysis of a run with a budget is at block %d: give it more time, fewer designs "+
				"and points, or a shorter duration", few, least)
	}

	return warn(WarnFewBlocks, float64(n), float64(least),
		"%s: intervals and verdicts need at least %d (option count)", few, least)
}

// UnfinishedWarning warns of a run with done of planned complete blocks. how says how to resume it.
func UnfinishedWarning(workload, run, how string, done, planned int) Warning {
	w := NewWarning(workload, WarnPartial,
		fmt.Sprintf("the run is unfinished: %d of %d blocks are complete, and only these are compared; finish it "+
			"with %s",
			done, planned, how))
	w.Run, w.Value, w.Threshold = run, result.Value(done), result.Value(planned)
	return w
}

// OneRunWarning warns of verdicts between sides of one run each. how says how to measure replicates.
func OneRunWarning(workload, how string) Warning {
	return NewWarning(workload, WarnOneRun, "each side is one run, so variation between runs can look like a "+
		"difference: if runs vary by 1%, about 30% of verdicts on equal programs are false; "+how)
}

// BudgetWarning warns of a run with a budget that is compared with another run.
func BudgetWarning(workload, run string) Warning {
	w := NewWarning(workload, WarnBudget, "the run had a budget, so it stopped once its designs looked different or "+
		"equal: more than 5% of the differences between such runs are false; measure a fixed number of blocks")
	w.Run = run
	return w
}
