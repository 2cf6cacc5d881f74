package explain

import (
	"slices"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for goroutines that take turns.
const (
	turnsGain = 2 * minGain // fraction that one CPU saves
	turnsIdle = 0.5         // fraction of the time in which none wants a CPU, if the difference is not clear
)

// isClearlySlower reports whether the program is slower on several CPUs than on one, by differ.
func (a *analysis) isClearlySlower() bool {
	return a.slowsDown() && a.run.CPUs >= 2 && differ(a.oneCPU, a.run)
}

// notWorthParallel finds programs that are no faster on several CPUs than on one, although several goroutines work.
func notWorthParallel(a *analysis) []Finding {
	if a.trace == nil || !a.slowsDown() || a.run.CPUs < 2 || a.run.Count < 3 || a.oneCPU.Count < 3 {
		return nil
	}
	wide := a.widestClass()
	if wide == nil || wide.Running < a.totalRunning()/3 {
		return a.slowerInTurns()
	}

	f, saved := a.comparedWithOne()
	if f.Gain == nil && saved < minGain {
		return nil
	}
	if at, ok := a.prog.ownFrame(wide.Created); ok {
		f.Where = []string{a.prog.position(at)}
	}
	f.Alternative = "Something shared slows the goroutines down: a lock, a counter, memory."
	f.Fix = "Keep it sequential, or make the pieces of work far larger."
	f.Experiment = "Write the plain loop, and compare the two."
	return []Finding{f}
}

// slowerInTurns finds programs that are slower on several CPUs than on one, although no class of goroutines does much
// of the work in parallel: they take turns. If it is not clear, they must exchange much, or it may be chance.
func (a *analysis) slowerInTurns() []Finding {
	f, saved := a.comparedWithOne()
	waits := a.exchanges()
	if saved < turnsGain || f.Gain == nil && (a.rate(waits) < turnsRate || a.demandShare(0) > turnsIdle) {
		return nil
	}
	f.Alternative = "Other processes or the machine slow down runs on several CPUs."
	f.Fix = "Run it with GOMAXPROCS=1, or allocate less."
	if a.rate(waits) >= turnsRate {
		f.Fix = "Pass values between goroutines in batches, or run with GOMAXPROCS=1."
		f.citef("goroutines waited %d times for each other or for connections", waits)
	}
	f.Experiment = "Time it with GOMAXPROCS=1 and without, in turns: 1 should win each time."
	return []Finding{f}
}

// comparedWithOne returns a finding for a program that takes longer on several CPUs than on one, and the fraction that
// one CPU saves. If it is not clearly slower, the finding has no gain: it may be chance, or the program waits for
// something else than CPUs.
func (a *analysis) comparedWithOne() (f Finding, saved float64) {
	saved = 1 - a.oneCPU.Wall.Seconds()/a.run.Wall.Seconds()
	word, sure := "slower", a.isClearlySlower()
	if !sure {
		word = "no faster"
	}
	f = a.newFinding(NotWorthParallel, "It is %s on %d CPUs than on one: %s, compared with %s.", word, a.run.CPUs,
		formatDuration(a.run.Wall), formatDuration(a.oneCPU.Wall))
	f.Share = 1
	f.citef("slowest of %d runs on one CPU: %s; fastest of %d on %d CPUs: %s", a.oneCPU.Count,
		formatDuration(a.oneCPU.WallHigh), a.run.Count, a.run.CPUs, formatDuration(a.run.WallLow))
	if !sure {
		f.Confidence = Low
		return f, saved
	}
	f.Gain = newGain(saved, 1-a.oneCPU.WallHigh.Seconds()/a.run.WallLow.Seconds(),
		1-a.oneCPU.WallLow.Seconds()/a.run.WallHigh.Seconds())
	return f, saved
}

// citeSlower doubts that there is nothing to gain if one CPU was at least minGain faster in the median, though that may
// be chance.
func (a *analysis) citeSlower(f *Finding) {
	if a.cpus == 1 || !a.slowsDown() || min(a.run.Count, a.oneCPU.Count) < 3 ||
		a.oneCPU.Wall.Seconds() > (1-minGain)*a.run.Wall.Seconds() {
		return
	}
	f.citef("but it took %s on %d CPUs and %s on one, in the median", formatDuration(a.run.Wall), a.run.CPUs,
		formatDuration(a.oneCPU.Wall))
	f.Confidence = Low
	f.Fix = "Time it with GOMAXPROCS=1 and without, in turns: 1 may be faster."
	f.Experiment = "Run each ten times: the slowest on one CPU should beat the fastest other."
}

// exchanges returns how often goroutines of the program waited for each other or for connections.
func (a *analysis) exchanges() (n int64) {
	for _, w := range a.trace.Waits {
		own := slices.ContainsFunc(w.Classes, func(i int) bool { return !isHook(a.trace.Classes[i].Start) })
		if own && (parks(w.Op) || w.Op == evidence.OpNetwork && !acceptsConnections(w.Stack)) {
			n += w.Count
		}
	}
	return n
}
