package explain

// notStandard says which goroutines do not count.
const notStandard = "Those that the standard library starts for itself are left out."

// workDocs documents the findings about what the program does.
func workDocs() []Doc {
	return []Doc{
		{Name: UnbufferedIO, Meaning: "each system call reads or writes only a few bytes",
			Evidence: "The CPU profile, and the kernel's count of calls and bytes.",
			Thresholds: []string{atLeast("CPU time of goroutines in the calls", ioShare),
				atMost("bytes a call", ioBytes), atLeast("calls a second", ioRate),
				atMost("or, if its size is unknown: time of a call", ioShort)},
			Example: "for { n, err := f.Read(b[:1]); ... } on an *os.File",
			Fix:     "Use bufio.NewReader; or bufio.NewWriter and Flush, unless each write is needed at once."},
		{Name: EscapePerOp, Meaning: "each operation allocates a value that could be reused",
			Evidence: "The allocation profile, and the compiler's escape analysis.",
			Thresholds: []string{atLeast("objects that one line allocates", allocShare),
				atLeast("or: time for values that the standard library makes at a line, to allocate", makerShare),
				"these are timers, contexts, tables and buffers that could be kept, and values of a sync.Pool",
				atLeast("with number of objects for them, if there is a heap profile", madeValues),
				atLeast("and bytes that a pool makes anew, if they are values of a pool", poolMisses)},
			Example: "for _, r := range records { buf := new(bytes.Buffer); encode(buf, r) }",
			Fix:     "Allocate once before the loop and reuse it, or keep the value from escaping."},
		{Name: HotFunction, Meaning: "an avoidable call or a linear search takes much CPU time",
			Evidence: "The CPU profile, and the source of the loop.",
			Thresholds: []string{atLeast("CPU time of goroutines in one avoidable call", hotShare),
				atLeast("or: CPU time of goroutines in one linear search", searchShare),
				atLeast("or: time for tables that the standard library makes at a line", makerShare)},
			Example: "regexp.MustCompile(pattern).MatchString(line) for each line",
			Fix:     "Keep the result of the call, or search by an index: a map, or slices.BinarySearch."},
		{Name: BusyWait, Meaning: "a loop polls instead of blocking",
			Evidence: "The CPU profile and the source: the loop only reads a condition.",
			Thresholds: []string{atLeast("CPU time in the loop", spinShare),
				atMost("non-blocking channel operations that found the channel ready, by their CPU time", readyShare),
				atLeast("calls of runtime.Gosched a second that are cited", yieldRate)},
			Example: "for !done.Load() { runtime.Gosched() }",
			Fix:     "Block: receive from a channel, or wait on a sync.Cond or sync.WaitGroup."},
		{Name: BlockingSyscall, Meaning: "system calls block threads, such as an fsync per record",
			Evidence: "The execution trace: the time in system calls, and how often a CPU was taken away.",
			Thresholds: []string{atLeast("time in such calls, and idle CPU time", blockShare),
				atLeast("time of a call", blockLong),
				atLeast("or, without a trace: CPU time in system calls", syscallShare),
				atLeast("with time without computing", blockShare)},
			Example: "for _, r := range records { f.Write(r); f.Sync() }",
			Fix:     "Make fewer, larger calls, or bound the goroutines that make them."},
	}
}

// splitDocs documents the findings about how work is divided among goroutines.
func splitDocs() []Doc {
	return []Doc{
		{Name: SingleThreaded, Meaning: "one goroutine does all the work, such as serial tests",
			Evidence: "The execution trace: how many goroutines want a CPU.",
			Thresholds: []string{atLeast("active time with only one goroutine that wants a CPU", aloneShare),
				atLeast("time that a goroutine runs", minActive),
				atMost("waits a second of a goroutine that works alone, unless it is main", fewParks),
				atLeast("time of an operation of a benchmark", minDivisible)},
			Example: "for i := range rows { render(i) }; or tests without t.Parallel; or a process for each file",
			Fix:     "Divide the loop among as many goroutines as CPUs, each with results of its own."},
		{Name: SerialPhase, Meaning: "one goroutine works alone for part of the time",
			Evidence: "The execution trace: phases with one goroutine between phases with several.",
			Thresholds: []string{atLeast("time in serial phases", phaseShare),
				atLeast("time in parallel phases", phaseWide), atLeast("gain that is predicted", phaseGain)},
			Example: "results := parallel(parts); sort.Slice(results, less)",
			Fix:     "Divide the phase as well, or overlap it with the parallel part."},
		{Name: LoadImbalance, Meaning: "one goroutine works while its siblings lack work or ended",
			Evidence: "The execution trace: when the goroutines of a group end, or what 2 to 16 of them wait for.",
			Thresholds: []string{atLeast("time in which one goroutine of a group remains", tailShare),
				"running time of the longest, divided by the mean: at least " + formatNumber(uneven),
				atLeast("shortest tail of a group", tailLong),
				atLeast("or: time in which the busiest worker computes or waits for a CPU", skewBusy),
				atLeast("with time that all others wait for work", skewStarve),
				atLeast("of which at one line", skewSite),
				atLeast("with pieces of work that others gave them there", skewPieces),
				atLeast("and idle CPU time", skewIdle)},
			Example: "each of 4 goroutines renders a quarter of the rows, of which one is much harder",
			Fix:     "Hand out smaller pieces to free workers, the largest first."},
	}
}

// workerDocs documents the findings about how many goroutines there are.
func workerDocs() []Doc {
	return []Doc{
		{Name: GoroutineTooFine, Meaning: "goroutines do less work than it costs to start them",
			Evidence: "The execution trace: how long goroutines run; the CPU profile: what starting them costs. " +
				notStandard,
			Thresholds: []string{atLeast("goroutines a second", fineRate), atMost("median running time", fineBody),
				atLeast("CPU time for starting, queueing and joining them", fineCost),
				atLeast("or, without a trace: CPU time for starting, queueing and ending them", spawnShare),
				atLeast("with CPU time of goroutines in one go statement", spawnLineShare)},
			Example: "for _, x := range xs { wg.Go(func() { sum.Add(x) }) }",
			Fix:     "Use a worker pool, and give each goroutine a chunk."},
		{Name: UnboundedSpawn, Meaning: "far more goroutines than CPUs are runnable at once",
			Evidence:   "The execution trace: how many goroutines exist, and how many wait for a CPU. " + notStandard,
			Thresholds: []string{atLeast("goroutines for each CPU", queueRoom)},
			Example:    "for _, url := range urls { go parse(url) }",
			Fix:        "Bound them by a worker pool or errgroup: it saves memory, not time."},
		{Name: TooFewWorkers, Meaning: "all workers are in use while CPUs are idle",
			Evidence: "The execution trace: what the workers do, and whether they wait for work.",
			Thresholds: []string{atLeast("idle CPU time", poolSpare),
				atMost("time that the workers wait for work", poolStarve),
				atLeast("with time of the workers in external waits", poolWaits), atMost("and workers", poolMost),
				"or: fewer workers than CPUs, which compute or queue nearly all the time",
				atLeast("or: time that goroutines wait for a slot", lockBusy),
				atLeast("with idle CPU time", stepIdle),
				atLeast("or: time that a goroutine waits to start another", lockBusy),
				atLeast("with idle CPU time", stageIdle)},
			Example: "2 workers fetch pages, each of which takes 50 ms of network time",
			Fix:     "Start more workers, until the CPUs or the other side are the limit."},
		{Name: NotWorthParallel, Meaning: "the program is slower on several CPUs than on one",
			Evidence:   "Runs on one and on all CPUs, at least 3 of each: medians. No gain if the times overlap.",
			Thresholds: []string{atLeast("difference of the medians, if the times overlap", minGain)},
			Example:    "8 goroutines increment one counter under a lock",
			Fix:        "Keep it sequential, or make the pieces of work far larger."},
	}
}
