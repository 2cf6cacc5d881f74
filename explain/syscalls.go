package explain

import (
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// syncFunctions wait until a file is on disk.
var syncFunctions = []string{"os.(*File).Sync", "syscall.Fsync", "syscall.Fdatasync", "golang.org/x/sys/unix.Fsync",
	"golang.org/x/sys/unix.Fdatasync"}

// blockingSites returns the sites of the program's own system calls that block their threads.
func (a *analysis) blockingSites() (sites []*evidence.SyscallSite) {
	for i := range a.trace.Syscalls {
		c := &a.trace.Syscalls[i]
		if _, ok := a.prog.ownFrame(c.Stack); c.Each.P50 >= blockLong && c.Count >= 20 && ok &&
			!containsAny(c.Stack, "os.(*Process)", "os/exec.") {
			sites = append(sites, c)
		}
	}
	return sites
}

// blocked returns the fraction of the time in which goroutines of a class are in system calls that block.
func (a *analysis) blocked(c *evidence.Class) float64 {
	spent := time.Duration(0)
	for _, s := range a.blockingSites() {
		if a.isIn(c, s.Class) {
			spent += s.Spent
		}
	}
	return a.fraction(spent)
}

// isBlocked reports whether a goroutine that is the only one of its class waits in system calls most of the time, and
// little CPU time is used.
func (a *analysis) isBlocked(c *evidence.Class) bool {
	return c.Peak == 1 && a.blocked(c) >= 0.5 && a.used <= (1-blockShare)*a.wall
}

// blockingCalls finds system calls that block their threads.
func blockingCalls(a *analysis) []Finding {
	if a.trace == nil {
		return nil
	}

	var spent time.Duration
	var worst *evidence.SyscallSite
	var lost, count int64
	for _, c := range a.blockingSites() {
		spent += c.Spent
		lost += c.Lost
		count += c.Count
		if worst == nil || c.Spent > worst.Spent {
			worst = c
		}
	}
	if worst == nil || a.fraction(spent) < blockShare || a.unusedCPU() < blockShare {
		return nil
	}

	at, _ := a.prog.ownFrame(worst.Stack)
	class := &a.trace.Classes[worst.Class]
	alone := class.Peak == 1 && class.Syscall >= spent*9/10 // a site may have callers of several classes

	f := a.newFinding(BlockingSyscall, "System calls block their threads for %s each.", formatDuration(worst.Each.P50))
	f.Where = []string{a.prog.position(at)}
	f.Share = a.fraction(spent)
	if alone {
		one := "one goroutine"
		if class.Count > 1 { // as of tests, of which each has one
			one += " at a time"
		}
		f.citef("%d calls, almost all of %s, took %s, %s of the time", count, one, formatDuration(spent),
			percent(f.Share))
	} else {
		f.citef("%d calls took %s, on average %.1f at a time; after %d the goroutine queued for a CPU", count,
			formatDuration(spent), f.Share, lost)
	}
	f.citef("%s", a.quote(at))
	f.adviseCalls(containsAny(worst.Stack, syncFunctions...), alone)
	if alone {
		a.syncGain(&f, worst.Class)
	}
	return []Finding{f}
}

// adviseCalls sets what to do about system calls that block. sync says that they wait until a file is on disk, alone
// that one goroutine makes them.
func (f *Finding) adviseCalls(sync, alone bool) {
	f.Alternative = "The device or file system is the limit, and fewer calls would move no more data."
	f.Fix = "Make fewer, larger calls, or bound the goroutines that make them."
	f.Experiment = "Make one call for ten records: the time should fall."
	if alone {
		f.Fix = "Make fewer, larger calls."
	}
	if !sync {
		return
	}
	f.Alternative = "Each record must be on disk before the next step: then only a faster device helps."
	f.Fix = "Sync once for many records (group commit), or from fewer goroutines."
	f.Experiment = "In a throwaway run, sync every tenth record: most of its time should go."
	if alone {
		f.Fix = "Sync once for many records (group commit)."
	}
}

// smallSync is the number of bytes for each sync up to which fewer syncs save time. The device must move more bytes
// anyway.
const smallSync = 64 << 10

// syncGain sets what fewer syncs save in the only goroutine that makes them, if it is the main goroutine or one that
// the main goroutine waits for. A goroutine that waits for others about as often as it syncs may group their records
// already. Other calls that block may wait for another process, so that fewer of them save nothing.
func (a *analysis) syncGain(f *Finding, class int) {
	c := &a.trace.Classes[class]
	var synced time.Duration
	var syncs int64
	for _, s := range a.blockingSites() {
		if s.Class == class && containsAny(s.Stack, syncFunctions...) {
			synced += s.Spent
			syncs += s.Count
		}
	}
	parks := a.parkCount(c)
	for _, w := range a.trace.Waits {
		if (w.Op == evidence.OpWaitGroup || w.Op == evidence.OpNetwork) && slices.Contains(w.Classes, class) {
			parks += w.Count
		}
	}
	if syncs == 0 || 3*parks > syncs {
		return
	}

	most := a.fraction(synced)
	if !isMain(c) {
		most = min(most, a.waitFor(c, isMain))
	}
	for _, o := range a.classes() { // the run takes at least as long as the busiest other goroutine
		if o != c {
			most = min(most, 1-a.fraction(a.busiest(o)))
		}
	}
	gain := newGain(0.9*most, 0.4*most, most)
	if gain.Estimate < minGain { // which would drop the finding
		return
	}
	switch each := a.bytesForEach(syncs); {
	case each > smallSync:
		f.Alternative = "The device may be the limit: the program writes over 64 KB for each sync."
		return
	case each < 0:
		f.Confidence = Low
	}
	f.Gain = gain
}

// busiest returns how long the busiest goroutine of a class works. If the main goroutine waits for the class, this
// includes what the goroutine waits for outside the program, such as requests that it sends meanwhile.
func (a *analysis) busiest(c *evidence.Class) time.Duration {
	awaited := a.waitFor(c, isMain) >= minGain
	most := c.Running / time.Duration(max(1, c.Peak)) // of goroutines that follow each other
	for _, m := range c.Members {
		if awaited {
			m.Running += m.External
		}
		most = max(most, m.Running)
	}
	return most
}

// bytesForEach returns how many bytes the program writes for each of the calls of the trace; -1 if that is unknown.
func (a *analysis) bytesForEach(calls int64) float64 {
	if a.run == nil || a.run.WriteBytes < 0 || a.run.Wall <= 0 {
		return -1
	}
	return float64(a.run.WriteBytes) / a.run.Wall.Seconds() / (float64(calls) / a.trace.Duration.Seconds())
}
