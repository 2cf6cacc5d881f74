package explain

import (
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
		if at, ok := a.prog.ownFrame(c.Stack); c.Each.P50 >= blockLong && c.Count >= 20 && ok && !isHook(at) &&
			!containsAny(c.Stack, "os.(*Process)", "os/exec.") {
			sites = append(sites, c)
		}
	}
	return sites
}

// isBlocked reports whether a goroutine that is the only one of its class waits in system calls most of the time, and
// little CPU time is used.
func (a *analysis) isBlocked(c *evidence.Class) bool {
	spent := time.Duration(0)
	for _, s := range a.blockingSites() {
		if &a.trace.Classes[s.Class] == c {
			spent += s.Spent
		}
	}
	return c.Peak == 1 && a.fraction(spent) >= 0.5 && a.used <= (1-blockShare)*a.wall
}

// blockingCalls finds system calls that block their threads.
func blockingCalls(a *analysis) []Finding {
	if a.trace == nil {
		return nil
	}

	var spent, synced time.Duration
	var worst *evidence.SyscallSite
	var lost, count int64
	for _, c := range a.blockingSites() {
		spent += c.Spent
		lost += c.Lost
		count += c.Count
		if containsAny(c.Stack, syncFunctions...) {
			synced += c.Spent
		}
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
		f.citef("%d calls of one goroutine took %s, %s of the time; after %d it queued for a CPU", count,
			formatDuration(spent), percent(f.Share), lost)
	} else {
		f.citef("%d calls took %s, on average %.1f at a time; after %d the goroutine queued for a CPU", count,
			formatDuration(spent), f.Share, lost)
	}
	f.citef("%s", a.quote(at))
	f.adviseCalls(containsAny(worst.Stack, syncFunctions...), alone)
	if alone {
		a.syncGain(&f, class, synced, count)
	}
	return []Finding{f}
}

// adviseCalls sets what to do about system calls that block. sync says that they wait until a file is on disk, alone
// that one goroutine makes them.
func (f *Finding) adviseCalls(sync, alone bool) {
	f.Alternative = "The device or file system is the limit, and fewer calls would move no more data."
	f.Fix = "Make fewer, larger calls, or bound the goroutines that make them."
	f.Experiment = "Make one call for ten records: most of its share of the time should go."
	if alone {
		f.Fix = "Make fewer, larger calls."
	}
	if !sync {
		return
	}
	f.Alternative = "Each record must be on disk before the next step: then only a faster device helps."
	f.Fix = "Sync once for many records (group commit), or bound the goroutines."
	f.Experiment = "Sync every tenth record: most of its share of the time should go."
	if alone {
		f.Fix = "Sync once for many records (group commit)."
	}
}

// syncGain sets what fewer syncs save in the only goroutine that makes them, if it is the main goroutine or one that
// the main goroutine waits for. A goroutine that waits for others about as often as it syncs may group their records
// already. Other calls that block may wait for another process, so that fewer of them save nothing.
func (a *analysis) syncGain(f *Finding, c *evidence.Class, synced time.Duration, count int64) {
	if !isMain(c) && !a.wakes(c, isMain) || 3*a.parkCount(c) > count {
		return
	}

	// The run takes at least as long as the work of the busiest other goroutine.
	rest := 0.0
	for _, o := range a.classes() {
		if o != c {
			rest = max(rest, a.fraction(o.Running/time.Duration(max(1, o.Peak))))
		}
	}
	most := min(a.fraction(synced), 1-rest)
	if most >= minGain {
		f.Gain = newGain(0.9*most, 0.4*most, most)
	}
}
