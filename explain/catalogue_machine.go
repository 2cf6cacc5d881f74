package explain

import "strconv"

// cpuDocs documents the findings about how many CPUs are used.
func cpuDocs() []Doc {
	return []Doc{
		{Name: CPUSaturated, Meaning: "all CPUs are in use", Evidence: "CPU time, and the execution trace.",
			Thresholds: []string{atLeast("time that all CPUs are wanted", fullTime),
				atLeast("used CPU time", fullUsed),
				atLeast("CPU time of the same work divided by that on one, if CPUs slow each other down", notDouble)},
			Example: "a parallel loop over all rows of an image",
			Fix:     "Use more CPUs, or do less work in the hottest lines."},
		{Name: OneCPUPathology, Meaning: "the program runs on one CPU of several",
			Evidence:   "GOMAXPROCS, and the execution trace: how many goroutines want a CPU.",
			Thresholds: []string{atLeast("time that a goroutine runs, without a trace", minActive)},
			Example:    "runtime.GOMAXPROCS(1) in an init function of a library",
			Fix:        "Raise GOMAXPROCS, or remove the call."},
		{Name: OSOversubscription, Meaning: "the system gives the process fewer CPUs than GOMAXPROCS",
			Evidence: "The throttling counters of the cgroup, and the number of CPUs.",
			Thresholds: []string{atLeast("time that a quota stops the process", throttle),
				"or: GOMAXPROCS above the number of CPUs"},
			Example: "a container with a quota of 2 CPUs and GOMAXPROCS=16",
			Fix:     "Set GOMAXPROCS to the quota, or raise the quota."},
		{Name: WakeLatency, Meaning: "goroutines wait for idle CPUs to wake up",
			Evidence: "The execution trace: CPUs are idle although goroutines are runnable.",
			Thresholds: []string{atLeast("CPU time that is idle although a goroutine is runnable", wakeShare),
				atLeast("time that one goroutine is runnable and none runs", wakeAlone)},
			Example: "two goroutines exchange a value every 10 µs",
			Fix:     "Hand over less often: larger pieces, batches, or one goroutine for both."},
		{Name: WorkInflation, Meaning: "the same work takes more CPU time on several CPUs",
			Evidence: "CPU time on one and on all CPUs, at least 3 runs each; the CPU profile.",
			Thresholds: []string{"CPU time on all CPUs, divided by that on one: at least " + formatNumber(inflated),
				"or at least " + formatNumber(tracedInfl) + " if a trace shows that several goroutines work",
				"or at least " + formatNumber(sharedInfl) + " with one of:",
				atLeast("CPU time on lines that add to memory", sharedCost),
				atLeast("CPU time in loops that update one element of several (adjacent counters)", adjacentCost),
				"or, if the ratio is unknown or at least " + formatNumber(atomicInfl) + ":",
				atLeast("CPU time in atomic additions", atomicCost),
				"or, for the CPU time of the kernel alone: at least " + formatNumber(inflated),
				atLeast("with CPU time of goroutines in system calls", callCost),
				atLeast("and CPU time of the kernel on one CPU", callTime),
				"and CPU time of the kernel, divided by that in system calls: at most " + formatNumber(callUnknown)},
			Example: "counts[worker]++ where the counters share a cache line (false sharing)",
			Fix:     "Pad to 128 bytes, or count in each goroutine and add up once at the end."},
	}
}

// collectorDocs documents the findings about memory.
func collectorDocs() []Doc {
	return []Doc{
		{Name: GCPressure, Meaning: "garbage collection takes much of the CPU time",
			Evidence: "The CPU profile, the execution trace, and the allocation profile.",
			Thresholds: []string{atLeast("CPU time in the collector", gcShare),
				atLeast("or: running time of goroutines in mark assists", gcAssist),
				atLeast("with CPU time in the collector", gcLeast)},
			Example: "strings.Split(line, \",\") for each of a million lines",
			Fix:     "Reuse buffers at its lines. GOGC=400 may save a part of it, with more memory."},
		{Name: GCThrash, Meaning: "the memory limit makes the collector run too often",
			Evidence: "The collector's limiter was active, or the memory limit is nearly reached.",
			Thresholds: []string{atLeast("CPU time in the collector, near the limit", gcShare),
				"or, if the collector's limiter was active: the thresholds of gc-pressure"},
			Example: "GOMEMLIMIT=100MiB with 95 MiB of live data",
			Fix:     "Raise GOMEMLIMIT well above the live heap, or keep less data alive."},
		{Name: PageFaults, Meaning: "the kernel makes memory accessible for much of the CPU time",
			Evidence: "CPU time in the kernel, the kernel's count of page faults, and the CPU profile (Linux).",
			Thresholds: []string{"page faults: at least " + strconv.Itoa(fewestFaults),
				atLeast("CPU time of the kernel outside of calls", faultShare),
				"such time: at most " + formatLimit(longestFault) + " for each fault, and " + formatLimit(hugeFault) +
					" for each huge page that the Go runtime mapped",
				atMost("CPU time of child processes", childCPUTime),
				atLeast("with a gain: faults for memory that the program had before", faultsAgain),
				atLeast("or, without a gain: CPU time of the kernel outside of calls", faultOnce)},
			Example: "debug.FreeOSMemory() after each batch",
			Fix:     "Keep the memory: reuse large buffers, and do not return them to the system."},
		{Name: STWStopping, Meaning: "the world is stopped too often or for too long",
			Evidence: "The execution trace: how long the world is stopped, and why.",
			Thresholds: []string{atLeast("time with the world stopped, mostly by the program", stopShare),
				atLeast("or, mostly by the collector: time with the world stopped", collectorStop),
				atLeast("with 99th percentile of the stops", stopLong)},
			Example: "runtime.ReadMemStats(&m) for each request",
			Fix:     "Stop the world less often: read runtime/metrics instead."},
	}
}

// machineDocs documents the findings about the machine, which have no rule yet.
func machineDocs() []Doc {
	return []Doc{
		reserved("smt-sharing", "two threads of one core slow each other"),
		reserved("clock-drop", "the CPU lowers its clock when several cores work"),
		reserved("numa-or-hybrid", "memory or cores of the machine are not all equal"),
		reserved("memory-bandwidth", "memory delivers no more data"),
	}
}

// runDocs documents the findings about the runs and the profiles.
func runDocs() []Doc {
	return []Doc{
		{Name: TooFewSamples, Meaning: "a run is too short to estimate gains",
			Evidence: "The wall time of the undisturbed runs.",
			Thresholds: []string{"run: shorter than " + formatLimit(minWall),
				"time that starting a process may take: " + formatLimit(startTime)},
			Example: "a command that prints its version",
			Fix:     "Give it more work: more input, more repetitions, or a benchmark."},
		{Name: ProfilerNoise, Meaning: "profilers take much of the CPU time that they measure",
			Evidence:   "The CPU profile has samples of profilers.",
			Thresholds: []string{atLeast("samples of the CPU profile in profilers", noiseShare)},
			Example:    "a program that writes an execution trace during its CPU profile",
			Fix:        "Collect one kind of profile at a time."},
		{Name: None, Meaning: "no rule applies", Evidence: "All that was collected.",
			Thresholds: []string{"predicted gain of every finding: below " + formatLimit(minGain)},
			Example:    "a parallel program that uses all its CPUs well",
			Fix:        "Leave it as it is, or do less work."},
		{Name: TooLittleEvidence, Meaning: "the runs are too short, or were not profiled",
			Evidence: "There are neither a trace nor enough samples.",
			Thresholds: []string{"samples of the CPU profile: fewer than " + formatLimit(minSamples),
				"execution trace: shorter than " + formatLimit(minTrace)},
			Example: "a profile of a server without requests",
			Fix:     "Run it for longer, or on more input."},
	}
}
