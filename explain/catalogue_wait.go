package explain

// asCoarseLock names the alternatives for a lock that limits the program, of whatever kind.
const asCoarseLock = "with idle CPUs, parked goroutines, or CPU time in locks, as for coarse-lock"

// lockDocs documents the findings about locks.
func lockDocs() []Doc {
	return []Doc{
		{Name: CoarseLock, Meaning: "a lock is held for most of what its users do",
			Evidence: "The execution trace: which goroutines wait for the lock, and how long; or the mutex profile.",
			Thresholds: []string{atLeast("by a trace: running time of its users under the lock", lockInside),
				atLeast("with time that a goroutine waits for the lock", lockBusy),
				atLeast("and time that it waits while a CPU is idle", lockStarved),
				atLeast("or: time that a goroutine waits for the lock", lockFull),
				atLeast("with idle CPU time", lockIdle), atLeast("and other goroutines parked for it", lockParked),
				atLeast("or: time that a goroutine waits for the lock", lockBusy),
				atLeast("with CPU time in locks and the scheduler", lockCost),
				"or, by a mutex profile: waiting goroutines on average: at least " + formatNumber(delayed),
				atLeast("with idle CPU time", lockIdle) + "; " + atLeast("or CPU time in locks", lockCost)},
			Example: "mu.Lock(); total += price(item); mu.Unlock()",
			Fix:     "Hold it only to access shared data, compute outside, or use a lock for each shard."},
		{Name: SaturatedResource, Meaning: "a lock or pool guards a resource that is always in use",
			Evidence: "The execution trace: the holder is blocked, or other locks of the kind are free.",
			Thresholds: []string{atLeast("time that a goroutine waits for the lock", lockBusy), asCoarseLock,
				atMost("with running time of its users under it, unless the holder is blocked", lockInside),
				atLeast("or: time that a goroutine waits for the slots of a channel", lockBusy),
				atLeast("with idle CPU time", stepIdle),
				"or, by a mutex profile: the thresholds of coarse-lock, and less than half a CPU in use"},
			Example: "one database connection for all requests",
			Fix:     "Use more than one (shards, a larger pool), or hold it for less time."},
		{Name: LockConvoy, Meaning: "a lock is held briefly, but goroutines park for it",
			Evidence: "The execution trace and the CPU profile: the cost of parking and waking.",
			Thresholds: []string{atLeast("time that a goroutine waits for the lock", lockBusy),
				atMost("median and mean time that it is held", lockShort),
				atLeast("CPU time in locks and the scheduler, if there is a CPU profile", lockCost),
				atLeast("or, without a trace, if no faster on several CPUs: CPU time in locks", convoyShare)},
			Example: "mu.Lock(); hits[key]++; mu.Unlock() for each request, on all CPUs",
			Fix:     "Take it less often: batch operations, use shards, or use an atomic."},
		{Name: RWMutexMisuse, Meaning: "an RWMutex costs more than the section that it guards",
			Evidence: "The CPU profile: the time in RLock and RUnlock.",
			Thresholds: []string{atLeast("CPU time of goroutines in an RWMutex", rwCost),
				"or: an RWMutex with the thresholds of lock-convoy"},
			Example: "mu.RLock(); v := cache[key]; mu.RUnlock() on all CPUs",
			Fix:     "Use an atomic.Pointer to data that is never changed, shards, or a Mutex."},
		{Name: LibraryLimit, Meaning: "a lock or a cost inside a library limits the program",
			Evidence: "The execution trace: the lock is taken by the standard library; the CPU profile.",
			Thresholds: []string{atLeast("time that a goroutine waits for the lock", lockBusy), asCoarseLock,
				atLeast("or: time for timers, contexts or connections of database/sql that a line makes, not to "+
					"allocate", makerShare)},
			Example: "all goroutines write to one log.Logger",
			Fix:     "Call it less often, or give each goroutine its own instance."},
	}
}

// channelDocs documents the findings about channels.
func channelDocs() []Doc {
	return []Doc{
		{Name: ChanHandoff, Meaning: "sending values over channels costs more than their work",
			Evidence: "The execution trace: waits on channels; the CPU profile: channels and the scheduler.",
			Thresholds: []string{atLeast("CPU time in channels and the scheduler", handoffCost),
				atMost("with computing time between two channel waits", handoffBurst),
				atLeast("and channel waits a second", handoffRate),
				atLeast("or: CPU time in channels alone", handoffCost),
				atMost("or, if no faster on several CPUs: computing time", stallBurst),
				atLeast("with channel waits a second", stallRate),
				atLeast("and time on all CPUs, of that on one", stallWall),
				atLeast("and idle CPU time", stageIdle)},
			Example: "for b := range in { out <- b + 1 } with one byte at a time",
			Fix:     "Send batches of 100 items or more, or do both sides in one goroutine."},
		{Name: UnbufferedLockstep, Meaning: "two pipeline stages wait for each other in turns",
			Evidence: "The execution trace: a channel without a buffer is full and empty in turns.",
			Thresholds: []string{atLeast("time that a sender, and a receiver, waits", stepWaits),
				atLeast("time that one waits while a CPU is idle", stepIdle),
				atLeast("or, without a trace: time that goroutines wait to send, and to receive", stepWaits*profiled),
				atLeast("with idle CPU time", stageIdle), atMost("and CPU time of one goroutine", stageFull)},
			Example: "c := make(chan Item) between stages whose times vary",
			Fix:     "Give the channel a buffer of 1 to 16."},
		{Name: UndersizedBuffer, Meaning: "a channel buffer is too small for the stages' variation",
			Evidence: "The execution trace: a channel with a buffer is full and empty in turns.",
			Thresholds: []string{atLeast("time that a sender, and a receiver, waits", stepWaits),
				atLeast("time that one waits while a CPU is idle, and idle CPU time", stepIdle),
				atLeast("or, without a trace: time that goroutines wait to send, and to receive", stepWaits*profiled),
				atLeast("with idle CPU time", stageIdle), atMost("and CPU time of one goroutine", stageFull)},
			Example: "c := make(chan Item, 1) between stages whose times vary tenfold",
			Fix:     "Make the buffer several times larger."},
		{Name: StageLimited, Meaning: "one stage limits the throughput of a pipeline",
			Evidence: "The execution trace: the utilization of each stage.",
			Thresholds: []string{atLeast("utilization of the stage in its lifetime", stageFull),
				atMost("utilization of the next stage", stageNext), atLeast("idle CPU time", stageIdle),
				atLeast("time that others wait to send to it, if it waits externally", stagePushed)},
			Example: "read -> compress -> write, where compress takes 90% of the time",
			Fix:     "Run several goroutines for this stage."},
		reserved("buffer-irrelevant", "a larger buffer would change nothing"),
	}
}

// waitDocs documents the findings about waits for something outside the program.
func waitDocs() []Doc {
	return []Doc{
		{Name: StopAndWait, Meaning: "a client waits for each reply before its next request",
			Evidence: "The execution trace: requests and waits for the network alternate.",
			Thresholds: []string{atLeast("time in external waits", minExternalShare),
				atLeast("or, with client and server in one program: exchanges a second", turnsRate),
				atLeast("with time in which at most one goroutine wants a CPU", turnsAlone),
				atMost("and time that either of them computes", turnsEither)},
			Example: "for _, k := range keys { conn.Write(get(k)); conn.Read(reply) }",
			Fix:     "Pipeline requests with a bound on those outstanding, or batch them."},
		{Name: DependencyWait, Meaning: "the program waits for a server, a child process or a sleep",
			Evidence: "The execution trace: no goroutine wants a CPU; or little CPU time is used.",
			Thresholds: []string{atLeast("time in external waits", minExternalShare),
				atMost("or, without a trace: CPU time, of the wall time", externalUsed)},
			Example: "resp, err := http.Get(url) takes 200 ms; or for !ready() { time.Sleep(10ms) }; or a slow " +
				"process for each file; or serial tests that sleep",
			Fix: "Make the external side faster, or send requests concurrently; do not sleep to poll."},
		{Name: GoroutineLeak, Meaning: "goroutines are started and never end",
			Evidence:   "The execution trace: goroutines that wait to the end; or the goroutine profile.",
			Thresholds: []string{atLeast("goroutines at one place, without a trace", leakCount)},
			Example:    "go func() { result <- fetch(url) }() after whose timeout nobody receives",
			Fix:        "Let them end: use a context, a closed channel, or a buffer of 1."},
	}
}
