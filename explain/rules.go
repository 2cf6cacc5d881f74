package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// rule looks for one family of troubles.
type rule func(v *analysis) []Finding

// rules are all of them.
var rules = []rule{
	unbufferedIO, escapes, gcRules, tooFine, spawnByProfile, convoyByProfile, externalByProfile, unboundedSpawn,
	lockRules, rwMutex, handoff, channelRules, lockstepByProfile, tooFewWorkers,
	singleThreaded, serialPhase, loadImbalance, oneCPU, busyWait, workInflation, notWorthParallel, blockingCalls, dependency,
	hotFunction,
	wakeLatency, stopTheWorld, leak, cpuSaturated, oversubscribed, profilerNoise,
}

// Below these nothing is said. A gain below minGain is not worth a change; fewer samples of a CPU profile than
// minSamples tell a share of 30 % only to +-9 % (95 %); a trace shorter than minTrace has seen too little of anything.
const (
	minGain    = 0.05
	minSamples = 40
	minTrace   = 5 * time.Millisecond
	minWall    = 100 * time.Millisecond // of a run: see startTime
)

// Explain says what holds a program back, by rank.
func Explain(e *evidence.Evidence) Report {
	e, left := dropImplausible(e)
	a := newAnalysis(e)
	r := Report{Notes: slices.Concat(e.Notes, left), CPUTime: a.cpuTime(), Parallelism: a.parallelism(),
		Phases: a.phases()}
	var found []Finding
	for _, look := range rules {
		found = append(found, look(a)...)
	}

	found = slices.DeleteFunc(found, func(f Finding) bool { return f.Gain != nil && f.Gain.Estimate < minGain })
	if a.isLoaded() {
		r.Notes = append(r.Notes, fmt.Sprintf("other processes used %.1f CPUs meanwhile: what rests on all CPUs "+
			"being there is left out", a.run.OtherCPUs))
		found = a.discountLoad(found)
	}
	if e.Program.MultipleBenchmarks {
		r.Phases = nil
		r.Parallelism.SerialFraction, r.Parallelism.MaxSpeedup, r.Parallelism.Speedup = math.NaN(), math.NaN(), math.NaN()
		found = slices.DeleteFunc(found, func(f Finding) bool { return traits[f.Name].oneProgram })
	}

	r.Findings = rank(dropSymptoms(found))
	if a.isBrief() {
		r.Findings = a.withoutGains(r.Findings)
	}
	if a.trace != nil && a.endsByTimer() && !a.serves() && slices.ContainsFunc(r.Findings,
		func(f Finding) bool { return f.Gain != nil }) {
		r.Notes = append(r.Notes, "a timer of the main goroutine seems to end the run, which then takes as long "+
			"whatever is changed: what a change saves is of the time for as much work")
	}
	if len(r.Findings) == 0 {
		r.Findings = []Finding{a.noFinding()}
	}

	for i := range r.Findings {
		f := &r.Findings[i]
		f.Kind, f.Rank = "finding", i+1
		f.Share = newGain(f.Share, 0, 1).Estimate
		if f.Where == nil {
			f.Where = []string{}
		}
	}

	return r
}

// brief reports whether a whole run is so short that what it takes to start, and chance, are a good part of it.
func (a *analysis) isBrief() bool { return a.run != nil && a.run.Wall > 0 && a.run.Wall < minWall }

// startTime is what starting a process and its runtime takes at most. It is in the wall time of a run, and with it in
// what a finding makes of shares of CPU time: of a brief run less than that share is nothing that a change would show.
const startTime = 15 * time.Millisecond

// unpromised is what is left of findings on a brief run: they promise nothing, but for what was counted and is more
// than the start.
func (a *analysis) withoutGains(found []Finding) []Finding {
	var sure, rest []Finding
	for _, f := range found {
		if traits[f.Name].counted && f.Gain != nil &&
			f.Gain.Estimate > startTime.Seconds()/a.run.Wall.Seconds() {
			sure = append(sure, f)
			continue
		}
		f.Gain, f.Confidence = nil, Low
		rest = append(rest, f)
	}

	f := a.newFinding(TooFewSamples, "A run takes %s: too short to say what a change would gain.", formatDuration(a.run.Wall))
	f.Level = ProfileLevel
	f.Share = 1
	f.citef("starting a process and its runtime alone takes 5 to %s; nothing is promised below %s", formatDuration(startTime),
		formatDuration(minWall))
	if a.cpu != nil {
		f.citef("the CPU profile has %d samples, of several runs", a.cpu.samples)
	}

	f.Alternative = "It is always as short: then only its start is worth a look."
	f.Fix = "Give it more to do: more input, more repetitions, a benchmark."
	f.Experiment = "With ten times the work, what follows should be found again, with a gain."
	f.Confidence = High
	return append(append(sure, f), rest...)
}

// loaded reports whether other processes took what the program might have used.
func (a *analysis) isLoaded() bool { return a.run != nil && a.run.OtherCPUs >= otherLoad }

// doubted is what is left of findings on a loaded machine.
func (a *analysis) discountLoad(found []Finding) []Finding {
	found = slices.DeleteFunc(found, func(f Finding) bool { return traits[f.Name].allCPUs })
	for i := range found {
		found[i].Confidence = Low
	}
	return found
}

// dominant is by how much the gain of a cause must stand against what it explains: where that alone would gain far
// more, it is no mere symptom.
const minCauseRatio = 0.6

// dominate drops what another finding explains.
func dropSymptoms(found []Finding) []Finding {
	hides := func(cause, f Finding) bool {
		switch {
		case !slices.Contains(traits[cause.Name].symptoms, f.Name):
			return false
		case cause.Gain != nil:
			return f.Gain == nil || cause.Gain.Estimate >= minCauseRatio*f.Gain.Estimate
		// what promises nothing explains no gain; but what spinning costs others is not known without a trace
		case f.Gain != nil:
			return cause.Name == BusyWait && cause.Level == ProfileLevel && cause.Share >= f.Share
		}
		return !traits[cause.Name].detail
	}

	explained := func(i int, f Finding) bool {
		if f.Name == NotWorthParallel && slices.ContainsFunc(found,
			func(o Finding) bool { return o.Name != f.Name && o.Gain != nil && o.Gain.Estimate >= 2*minGain }) {
			return true // that is what any trouble with several CPUs looks like from outside
		}
		for k, cause := range found {
			if !hides(cause, f) {
				continue
			}
			// of two that explain each other one stays
			if !hides(f, cause) || gainsMore(cause, f) || !gainsMore(f, cause) && k < i {
				return true
			}
		}
		return false
	}

	var kept []Finding
	for i, f := range found {
		if !explained(i, f) {
			kept = append(kept, f)
		}
	}

	return kept
}

// better reports whether a finding promises more than another.
func gainsMore(a, b Finding) bool {
	return a.Gain != nil && (b.Gain == nil || a.Gain.Estimate > b.Gain.Estimate)
}

// rank sorts by gain; what only diagnoses comes after what gains, what is unsure of it last.
func rank(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		switch {
		case a.Gain == nil && b.Gain == nil:
			return compareBool(a.Confidence == Low, b.Confidence == Low)
		case a.Gain == nil:
			return 1
		case b.Gain == nil:
			return -1
		}
		return cmp.Compare(b.Gain.Estimate, a.Gain.Estimate)
	})

	return found
}

// nothing is the answer where no rule has one.
func (a *analysis) noFinding() Finding {
	if a.trace == nil && !a.hasSamples() || a.trace != nil && a.trace.Duration < minTrace && a.cpu == nil {
		f := a.newFinding(TooLittleEvidence, "There is too little evidence to say anything.")
		f.Confidence = Low
		if a.cpu != nil {
			f.citef("the CPU profile has %d samples; %d are needed", a.cpu.samples, minSamples)
		} else {
			f.citef("there is neither an execution trace nor a CPU profile with samples")
		}

		f.Alternative = "anything"
		f.Fix = "Run it for longer, or on more input."
		f.Experiment = "A longer run with an execution trace."
		return f
	}

	f := a.newFinding(None, "Nothing was found that holds it back.")
	f.citef("it used %.2f of %.0f CPUs", a.used/max(a.wall, 1e-9), a.cpus)
	if a.trace == nil {
		f.citef("only profiles were looked at: who waits for whom an execution trace would tell")
		f.Confidence = Low
	}

	f.Alternative = "A cause that neither profiles nor traces show: caches, memory bandwidth, other machines."
	f.Fix = "Leave it as it is, or do less work."
	f.Experiment = fmt.Sprintf("Run it on fewer CPUs: it should slow down in proportion from %.0f.", a.cpus)
	return f
}
