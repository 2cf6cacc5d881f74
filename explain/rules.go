package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// rule finds one family of causes.
type rule func(v *analysis) []Finding

// rules lists all rules.
var rules = []rule{
	unbufferedIO, escapes, madeByLibrary, gcRules, tooFine, tooFineTasks, spawnByProfile, convoyByProfile,
	externalByProfile, unboundedSpawn,
	lockRules, rwMutex, handoff, channelRules, lockstepByProfile, tooFewWorkers,
	singleThreaded, serialPhase, loadImbalance, skewed, oneCPU, busyWait, workInflation, notWorthParallel,
	blockingCalls, dependency, requestTurns, httpTurns, newConnections,
	hotFunction, pageFaults,
	wakeLatency, stopTheWorld, leak, cpuSaturated, oversubscribed, profilerNoise,
}

// Minimum values. A gain below minGain is not worth a change. With fewer samples than minSamples, the 95% confidence
// interval of a share of 30% is wider than 9 points to each side. A trace shorter than minTrace shows too little.
const (
	minGain    = 0.05
	minSamples = 40
	minTrace   = 5 * time.Millisecond
	minWall    = 100 * time.Millisecond // shortest run for which gains are predicted; see startTime
)

// report applies the rules.
func (a *analysis) report() Report {
	r := Report{CPUTime: a.cpuTime(), Parallelism: a.parallelism(), Phases: a.phases()}

	var found []Finding
	for _, apply := range rules {
		found = append(found, apply(a)...)
	}

	found = worthwhile(found)

	// Drop what the machine or the kind of program makes meaningless.
	if a.isLoaded() {
		why := "other processes used some"
		if a.traced > 0 {
			why = a.traceDiffers()
		}
		r.Notes = append(r.Notes, "findings that need all CPUs are left out, because "+why)
		found = a.discountLoad(found)
	}
	if a.e.Program.MultipleBenchmarks {
		r.Phases = nil
		r.Parallelism.SerialFraction, r.Parallelism.MaxSpeedup, r.Parallelism.Speedup = math.NaN(), math.NaN(),
			math.NaN()
		found = slices.DeleteFunc(found, func(f Finding) bool { return traits[f.Name].oneProgram })
	}

	// Keep the causes. The findings that remain may still predict no gain.
	r.Findings = rank(a.correct(dropSymptoms(found)))
	if a.isBrief() {
		r.Findings = a.withoutGains(r.Findings)
	}
	a.addLeft(r.Findings)

	// A run that a timer ends cannot become shorter, so that the gain is in work done.
	if a.trace != nil && a.endsByTimer() && !a.serves() && slices.ContainsFunc(r.Findings,
		func(f Finding) bool { return f.Gain != nil }) {
		r.Notes = append(r.Notes, "a timer in the main goroutine seems to end the run: its wall time is fixed, and a "+
			"gain means more work in that time")
	}
	if len(r.Findings) == 0 {
		r.Findings = []Finding{a.noFinding()}
	}

	// Fill in what programs that read the JSON rely on.
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Kind, f.Rank = "finding", i+1
		f.quoteGain()
		f.Share = newGain(f.Share, 0, 1).Estimate
		if f.Where == nil {
			f.Where = []string{}
		}
		f.Functions = make([]string, len(f.Where))
		for k, at := range f.Where {
			f.Functions[k] = a.prog.functions[at]
		}
	}

	return r
}

// worthwhile returns the findings without those that gain too little.
func worthwhile(found []Finding) []Finding {
	return slices.DeleteFunc(found, func(f Finding) bool { return f.Gain != nil && f.Gain.Estimate < minGain })
}

// isLoaded reports whether other processes took CPUs that the program might have used. Without a run, a CPU profile
// with clearly less CPU time than the trace suggests it.
func (a *analysis) isLoaded() bool {
	return a.traced > 0 || a.run != nil && a.run.OtherCPUs >= otherLoad
}

// traceDiffers returns in words that the trace has more CPU time than the CPU profile, and why that may be.
func (a *analysis) traceDiffers() string {
	return fmt.Sprintf("goroutines ran on %.2f CPUs in the trace, but used %.2f in the CPU profile: other processes "+
		"took CPUs, system calls waited, or the load changed", a.traced, a.used/a.wall)
}

// discountLoad returns the findings that remain valid on a loaded machine, with low confidence, but for defects.
func (a *analysis) discountLoad(found []Finding) []Finding {
	found = slices.DeleteFunc(found, func(f Finding) bool { return traits[f.Name].allCPUs })
	for i := range found {
		if !traits[found[i].Name].defect {
			found[i].Confidence = Low
		}
	}
	return found
}

// minCauseRatio is the smallest ratio of a cause's gain to that of its symptom. A symptom that alone would gain far
// more is a cause of its own.
const minCauseRatio = 0.6

// dropSymptoms drops findings that are symptoms of another.
func dropSymptoms(found []Finding) []Finding {
	hides := func(cause, f Finding) bool {
		switch {
		case !slices.Contains(traits[cause.Name].symptoms, f.Name) || f.local || cause.local && f.Name != CPUSaturated:
			return false
		case cause.Gain != nil:
			return f.Gain == nil || cause.Gain.Estimate >= minCauseRatio*f.Gain.Estimate
		// A finding without a gain explains no gain. The exception is busy waiting, whose cost for others is unknown
		// without a trace.
		case f.Gain != nil:
			return cause.Name == BusyWait && cause.Level == ProfileLevel && cause.Share >= f.Share
		}
		return !traits[cause.Name].detail
	}

	found = dropSameChange(found)
	explained := func(i int, f Finding) bool {
		if f.Name == NotWorthParallel && slices.ContainsFunc(found,
			func(o Finding) bool { return o.Name != f.Name && o.Gain != nil && o.Gain.Estimate >= 2*minGain }) {
			return true // Every problem with several CPUs shows itself as a slow parallel program.
		}
		for k, cause := range found {
			if !hides(cause, f) {
				continue
			}
			// If two findings explain each other, only one stays.
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

// dropSameChange drops findings about the same change as one that gains more: of the same name at the same line, or of
// calls at the same line and their garbage.
func dropSameChange(found []Finding) []Finding {
	same := func(f, o Finding) bool {
		return len(f.Where) > 0 && len(o.Where) > 0 && f.Where[0] == o.Where[0] &&
			(f.Name == o.Name || traits[f.Name].calls && traits[o.Name].calls)
	}
	var kept []Finding
	for i, f := range found {
		better := func(k int) bool { return gainsMore(found[k], f) || !gainsMore(f, found[k]) && k < i }
		dropped := false
		for k, o := range found {
			dropped = dropped || k != i && same(f, o) && better(k)
		}
		if !dropped {
			kept = append(kept, f)
		}
	}
	return kept
}

// gainsMore reports whether a finding predicts a larger gain than another.
func gainsMore(a, b Finding) bool {
	return a.Gain != nil && (b.Gain == nil || a.Gain.Estimate > b.Gain.Estimate)
}

// rank sorts findings: defects, and then the others by gain; see callsBeforeCPUs for the exception. Those without a
// gain follow, and those without a gain and with low confidence come last.
func rank(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		switch {
		case a.IsDefect() != b.IsDefect():
			return compareBool(b.IsDefect(), a.IsDefect())
		case a.Gain == nil && b.Gain == nil:
			return compareBool(a.Confidence == Low, b.Confidence == Low)
		case a.Gain == nil:
			return 1
		case b.Gain == nil:
			return -1
		}
		return cmp.Compare(b.Gain.Estimate, a.Gain.Estimate)
	})
	return callsBeforeCPUs(found)
}

// callsBeforeCPUs moves an avoidable call or search before more CPUs for it, unless these gain far more.
func callsBeforeCPUs(found []Finding) []Finding {
	i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == SingleThreaded && f.Gain != nil })
	for k := i + 1; i >= 0 && k < len(found) && found[k].Gain != nil &&
		found[k].Gain.Estimate >= minCauseRatio*found[i].Gain.Estimate; k++ {
		if found[k].Name == HotFunction {
			less := found[k]
			found = slices.Insert(slices.Delete(found, k, k+1), i, less)
			break
		}
	}
	return found
}

// idleServer is the fraction of the time from which a server without demand for a CPU had hardly any requests.
const idleServer = 0.95

// noFinding returns the finding for a program to which no rule applies.
func (a *analysis) noFinding() Finding {
	if !a.hasLongTrace() && !a.hasSamples() {
		f := a.newFinding(TooLittleEvidence, "There is too little evidence for a finding.")
		f.Confidence = Low
		if a.trace != nil {
			f.citef("the execution trace covers %s; %s are needed", formatDuration(a.trace.Duration),
				formatDuration(minTrace))
		}
		if a.cpu != nil {
			f.citef("the CPU profile has %d samples; %d are needed", a.cpu.samples, minSamples)
		}
		if a.trace == nil && a.cpu == nil {
			f.citef("there is neither an execution trace nor a CPU profile with samples")
		}

		f.Alternative = "Any cause is possible."
		f.Fix = "Run it for longer, or on more input."
		f.Experiment = "Take an execution trace of a longer run."
		return f
	}

	f := a.newFinding(None, "Nothing was found that limits it.")
	f.Fix = "Leave it as it is, or do less work."
	f.citef("%s", a.usage())
	f.Experiment = "Run it on fewer CPUs: it should slow down in proportion."
	a.citeSlower(&f)
	if a.trace == nil {
		f.citef("only profiles were read; an execution trace would show which goroutines wait for each other")
		f.Confidence = Low
		f.Fix = "Take an execution trace, which shows what goroutines wait for."
	}
	if a.isLoaded() {
		if a.traced > 0 {
			f.citef("%s", a.traceDiffers())
		} else {
			f.citef("other processes used %.1f CPUs", a.run.OtherCPUs)
		}
		f.Confidence = Low
		f.Fix = "Run it again on an idle machine."
	}
	unasked := a.trace != nil && (a.serves() || a.accepts()) && !a.hasTests() &&
		!a.onlyListens() && a.demandShare(0) > idleServer
	if unasked { // even on a loaded machine: the client that sends requests may be the load
		f.citef("it accepts connections, and was idle for %s of the time", percent(a.demandShare(0)))
		f.Confidence = Low
		f.Fix = "Send it more requests while explain runs."
		a.citeSleep(&f)
	}

	f.Alternative = "A cause that neither profiles nor traces show, such as memory bandwidth."
	switch {
	case unasked:
		f.Experiment = "Send it twice the requests: it should use twice the CPU time."
	case a.cpus == 1:
		f.Experiment = "Give it half the work: it should take half the time."
	}
	return f
}
