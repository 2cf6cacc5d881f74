package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// The thresholds of all warnings of a run. A measurement that the platform lacks gives no warning.
const (
	othersLimit   = 0.10  // of a CPU, taken by other processes, on average over the trials
	stealLimit    = 0.01  // of the CPU time that was wanted, taken by the hypervisor
	tickSeconds   = 0.01  // in which the system counts both of these; see beyondTicks
	slowerLimit   = 0.05  // by which a burn takes longer than calibrated, before and after a trial,
	slowTrials    = 0.05  // in more than this share of the trials
	orderAlpha    = 0.005 // false alarms of each of the two tests of the blocks' order in a clean run
	driftLimit    = 0.01  // change of speed from the first block to the last that matters
	leastForOrder = 6     // blocks: with 5 no order of them is rarer than orderAlpha
)

// The names of warnings.
const (
	WarnOthers     = "load-by-others"
	WarnSteal      = "steal"
	WarnThrottled  = "throttled"
	WarnClock      = "clock-drop"
	WarnDrift      = "drift"
	WarnSerial     = "autocorrelation"
	WarnRatios     = "ratio-order" // of the ratios of comparisons; the two before it are of levels
	WarnFewBlocks  = "too-few-blocks"
	WarnSettings   = "settings"      // of two runs: their values cannot be compared
	WarnPartial    = "unfinished"    // a run that lacks blocks
	WarnOneRun     = "one-run"       // of two runs: one on each side, so that nothing shows how runs differ
	WarnBudget     = "budget"        // a run whose blocks were counted by what they showed
	WarnPrediction = "no-prediction" // of a case, whose trial in virtual time goes wrong
	WarnSimulation = "prediction"    // what trials in virtual time warn of
	WarnCosts      = "typical-costs" // the predictions are not made with this machine's
)

// Warning is a reason to doubt the numbers of a run as a whole.
type Warning struct {
	Kind          string       `json:"kind"` // "warning"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	Run           string       `json:"run,omitempty"` // between two runs: the directory of the one it is of
	Warning       string       `json:"warning"`       // its name
	Value         result.Value `json:"value"`         // what was found: a share, CPUs, a correlation, a number
	Threshold     result.Value `json:"threshold"`     // from which it is warned of
	P             result.Value `json:"p"`             // of drift and autocorrelation
	Trials        *int         `json:"trials"`        // in how many it was, and
	Total         *int         `json:"of"`            // of how many; null where it is of the whole run
	Text          string       `json:"text"`          // a sentence: what, how much, what to do
}

// NewWarning is a warning that has no figure.
func NewWarning(workload, name, text string) Warning {
	return Warning{Kind: "warning", SchemaVersion: result.SchemaVersion, Workload: workload, Warning: name, Text: text,
		Value: result.Unavailable, Threshold: result.Unavailable, P: result.Unavailable}
}

// Warnings says what disturbed a run, by what its trials counted and by the order of its blocks. In a run
// whose blocks differ by chance alone, drift or autocorrelation is warned of in at most 1 of 100. looks are
// those of a run with a budget.
func Warnings(trials []result.Trial, looks []int) []Warning {
	if len(trials) > 0 && trials[0].World == result.Virtual {
		return nil // nothing disturbs virtual time
	}
	return warned(trials, others, steal, throttled, clock, order,
		func(trials []result.Trial) (Warning, bool) { return fewBlocks(trials, looks) })
}

// Disturbances are those of the warnings that say what others took of the machine, in trials of real time.
func Disturbances(trials []result.Trial) []Warning { return warned(trials, others, steal, throttled) }

func warned(trials []result.Trial, checks ...func([]result.Trial) (Warning, bool)) []Warning {
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

func (w *Warning) in(trials, of int) { w.Trials, w.Total = &trials, &of }

// share is a quotient of sums over trials, for the run and for the block where it is largest.
type share struct {
	over, under map[int]float64 // by block
	trials      int
}

// seconds is the dividend over all blocks.
func (s share) seconds() float64 {
	sum := 0.0
	for _, b := range slices.Sorted(maps.Keys(s.over)) { // sums of one order are the same each time
		sum += s.over[b]
	}
	return sum
}

// beyondTicks reports whether the dividend is more than counting in ticks may make of nothing: each trial
// is off by up to a tick at either end, by chance and of either sign. 5 such errors are never seen.
func (s share) beyondTicks() bool {
	return s.seconds() > 5*tickSeconds*math.Sqrt(float64(s.trials))
}

// shareOf sums what of says of each trial; ok is false where it does not know.
func shareOf(trials []result.Trial, of func(*result.Trial) (over, under float64, ok bool)) share {
	s := share{map[int]float64{}, map[int]float64{}, 0}
	for i := range trials {
		if over, under, ok := of(&trials[i]); ok && !math.IsNaN(over+under) {
			s.over[trials[i].Block] += over
			s.under[trials[i].Block] += under
			s.trials++
		}
	}
	return s
}

// most is the quotient over all blocks, and the block where it is largest. It is 0 where nothing is known.
func (s share) most() (total float64, block int, worst float64) {
	under := 0.0
	for _, b := range slices.Sorted(maps.Keys(s.under)) {
		under += s.under[b]
		if q := s.over[b] / s.under[b]; q > worst {
			block, worst = b, q
		}
	}
	if under <= 0 {
		return 0, 0, 0
	}
	return s.seconds() / under, block, worst
}

// others is the CPU time of the machine less that of the trial itself.
func others(trials []result.Trial) (Warning, bool) {
	taken := shareOf(trials, func(t *result.Trial) (float64, float64, bool) {
		own := float64(t.Metrics.Get(result.CPUSeconds))
		span := own / float64(t.Metrics.Get(result.Parallelism)) // between the two readings of the counters
		return float64(t.Metrics.Get("machine_cpu_seconds")) - own, span, span > 0
	})
	total, block, worst := taken.most()
	if total <= othersLimit || !taken.beyondTicks() {
		return Warning{}, false
	}
	return warn(WarnOthers, total, othersLimit,
		"other processes used %.2f of a CPU during the trials, most in block %d (%.2f); more than %.2f takes time "+
			"from the designs: stop them, or leave CPUs free for them with fewer --cpus",
		total, block, worst, othersLimit)
}

func steal(trials []result.Trial) (Warning, bool) {
	taken := shareOf(trials, func(t *result.Trial) (float64, float64, bool) {
		stolen, own := float64(t.Metrics.Get("steal_seconds")), float64(t.Metrics.Get(result.CPUSeconds))
		return stolen, own + stolen, own+stolen > 0
	})
	total, block, worst := taken.most()
	if total <= stealLimit || !taken.beyondTicks() {
		return Warning{}, false
	}
	return warn(WarnSteal, total, stealLimit,
		"the hypervisor gave %.1f%% of the CPU time that was wanted to others, most in block %d (%.1f%%); more "+
			"than %.0f%% makes speed depend on the neighbours: measure when they are quiet, or on a "+
			"machine without any",
		100*total, block, 100*worst, 100*stealLimit)
}

func throttled(trials []result.Trial) (Warning, bool) {
	periods, hit, known := 0.0, 0, 0
	for i := range trials {
		v := float64(trials[i].Metrics.Get("throttled_periods"))
		if math.IsNaN(v) {
			continue
		}
		known++
		if v > 0 {
			periods += v
			hit++
		}
	}
	if hit == 0 {
		return Warning{}, false
	}
	w, ok := warn(WarnThrottled, periods, 0,
		"the CPU limit of the container stopped %d of %d trials, in %.0f periods; a single one distorts latencies: "+
			"raise the limit, or give fewer --cpus than it allows",
		hit, known, periods)
	w.in(hit, known)
	return w, ok
}

// clock finds trials before and after which burns took longer than calibrated. One of the two alone is
// an interrupt or a CPU that was just woken; both are a CPU that is slower.
func clock(trials []result.Trial) (Warning, bool) {
	var drops []float64
	known := 0
	for i := range trials {
		m := trials[i].Metrics
		slower := min(float64(m.Get("burn_probe_before")), float64(m.Get("burn_probe_after")))
		if pace := float64(m.Get("burn_pace")); !math.IsNaN(pace) {
			slower *= pace // the probes are beside what the block was set to
		}
		slower--
		if math.IsNaN(slower) {
			continue
		}
		known++
		if slower > slowerLimit {
			drops = append(drops, slower)
		}
	}
	if len(drops) == 0 || float64(len(drops)) <= slowTrials*float64(known) {
		return Warning{}, false
	}
	drop := stat.Median(drops)
	w, ok := warn(WarnClock, drop, slowerLimit,
		"the CPU was slower than calibrated around %d of %d trials, by %.0f%% in the middle one of them; more than "+
			"%.0f%% in more than %.0f%% of the trials is a clock that drops or a CPU that is shared: fix its "+
			"clock, cool it, or stop what shares it",
		len(drops), known, 100*drop, 100*slowerLimit, 100*slowTrials)
	w.in(len(drops), known)
	return w, ok
}

// order tests drift and, where there is none, autocorrelation, which a drift brings along.
func order(trials []result.Trial) (Warning, bool) {
	t := tabulate(trials)
	if len(t.rows) == 0 || len(t.rows[0]) < leastForOrder {
		return Warning{}, false
	}
	if change, p := t.trend(); p <= orderAlpha {
		if share := math.Exp(change) - 1; math.Abs(share) >= driftLimit {
			w, ok := warn(WarnDrift, share, driftLimit,
				"speed drifted by %+.1f%% from the first block to the last (p = %.2g; warned of from %.0f%% on at "+
					"p <= %g): verdicts compare within blocks and stand, but do not compare these medians with "+
					"another run; let the machine warm up or settle first",
				100*share, p, 100*driftLimit, orderAlpha)
			w.P = result.Value(p)
			return w, ok
		}
		return Warning{}, false // it is sure and does not matter, nor does what it does to neighbours
	}
	r, p := t.serial()
	if p > orderAlpha {
		return Warning{}, false
	}
	w, ok := warn(WarnSerial, r, orderAlpha,
		"neighbouring blocks resemble each other (correlation %.2f, p = %.2g; warned of at p <= %g): something "+
			"changes over several blocks, and intervals of medians are too narrow, by a factor of about %.1f: find "+
			"what else runs, or make blocks longer with --duration",
		r, p, orderAlpha, math.Sqrt((1+r)/(1-min(r, 0.99))))
	w.P = result.Value(p)
	return w, ok
}

// fewBlocks is about the largest number of trials of any row: where one failed, its row says so.
func fewBlocks(trials []result.Trial, looks []int) (Warning, bool) {
	least := stat.LeastBlocks(1 - confidence)
	if len(looks) > 0 {
		least = looks[0]
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
	if len(looks) > 0 {
		return warn(WarnFewBlocks, float64(n), float64(least),
			"%s: a run with a budget decides nothing before its first interim analysis, at %d: give it more time, fewer designs "+
				"and points, or a shorter --duration", few, least)
	}
	return warn(WarnFewBlocks, float64(n), float64(least),
		"%s: a median has an interval, and a verdict within the run can be decided, from %d on: measure with "+
			"--count %d or more", few, least, least)
}

// Partial warns of a run that was stopped, where done of its blocks are complete. The command how finishes it.
func Partial(workload, run, how string, done, planned int) Warning {
	w := NewWarning(workload, WarnPartial,
		fmt.Sprintf("the run is unfinished: %d of %d blocks are complete; what it has is compared; finish it with %s",
			done, planned, how))
	w.Run, w.Value, w.Threshold = run, result.Value(done), result.Value(planned)
	return w
}

// OneRun warns of verdicts between sides of one run each, and says how to repeat them.
func OneRun(workload, how string) Warning {
	return NewWarning(workload, WarnOneRun, "each side is one run, so nothing shows how much runs of one program "+
		"differ, and the verdicts take all of it for a difference: where runs differ by 1%, about 30% of the "+
		"verdicts on equal programs are false; "+how)
}

// Budgeted warns of a run with a budget that is compared with another one.
func Budgeted(workload, run string) Warning {
	w := NewWarning(workload, WarnBudget, "the run had a budget and ended where designs happened to look clearly "+
		"apart or equal, so that more than 5% of the differences between such runs are false; measure with --count "+
		"what is to be compared with another run")
	w.Run = run
	return w
}
