package explain

import (
	"math"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for child processes that run one after the other.
const (
	childShare = 0.5 // fraction of the time that one goroutine waits for child processes
	childCount = 4   // number of them
	childCPUs  = 1.3 // number of CPUs that the program and its children use; if more, they run at the same time
)

// childProcesses finds a goroutine that starts child processes one after the other, and waits for each.
func (a *analysis) childProcesses() []Finding {
	if a.trace == nil || a.run == nil || a.cpus < 2 || a.used > childCPUs*a.wall {
		return nil // without a run, the CPU time of children is unknown
	}
	spent, count := map[int]time.Duration{}, map[int]int64{}
	var longest *evidence.SyscallSite
	for i := range a.trace.Syscalls {
		k := &a.trace.Syscalls[i]
		if !containsAny(k.Stack, "os.(*Process).Wait", "os.(*Process).wait") {
			continue
		}
		spent[k.Class] += k.Spent
		count[k.Class] += k.Count
		if longest == nil || k.Spent > longest.Spent {
			longest = k
		}
	}
	if longest == nil {
		return nil
	}
	c := &a.trace.Classes[longest.Class]
	share := a.fraction(spent[longest.Class])
	// If they were all started before the first wait, that one takes longer than most.
	inTurn := longest.Each.P50*time.Duration(longest.Count) >= longest.Spent/3
	if c.Peak != 1 || len(spent) > 1 || share < childShare || count[longest.Class] < childCount || !inTurn {
		return nil
	}

	f := a.newFinding(DependencyWait, "%s runs child processes one after the other, and waits for each.",
		capitalize(a.className(c)))
	f.Share = share
	f.Where = a.prog.positions(longest.Stack)
	if at, ok := a.loopAround(longest.Stack); ok {
		f.Where = []string{a.prog.position(at)}
		f.citef("they are started in a loop, by %s", a.quote(at))
	}
	f.citef("it waited for %d child processes, for %s of the time", count[longest.Class], percent(share))
	f.citef("they and the program used %.2f of %.0f CPUs", a.used/a.wall, a.cpus)
	most := math.Min(share*(1-1/math.Min(a.cpus, float64(count[longest.Class]))), 1-a.used/(a.cpus*a.wall))
	f.Gain = newGain(0.85*most, 0.3*most, most)
	f.Alternative = "Each needs what the one before wrote, or each uses all CPUs itself."
	f.Fix = "Run as many at a time as there are CPUs, and use the results in order."
	f.Experiment = "Start two at a time: the time in which it waits for them should halve."
	return []Finding{f}
}

// loopAround returns the innermost statement of the program in a stack that a loop surrounds.
func (a *analysis) loopAround(stack []evidence.Frame) (evidence.Frame, bool) {
	for i, f := range stack {
		if a.prog.isOwn(f) && a.prog.innermostLoop(f) != nil {
			return a.prog.statement(stack, i), true
		}
	}
	return evidence.Frame{}, false
}
