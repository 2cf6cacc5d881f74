package explain

import (
	"fmt"

	"github.com/brewput/brewput/evidence"
)

// turnsGain is the fraction that one CPU saves, if goroutines take turns.
const turnsGain = 2 * minGain

// isSlower reports whether the program is clearly slower on several CPUs than on one; see differ.
func (a *analysis) isSlower() bool {
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

	f := a.comparedWithOne()
	if at, ok := a.prog.ownFrame(wide.Created); ok {
		f.Where = []string{a.prog.position(at)}
	}
	if !a.isSlower() && f.Gain.Estimate < minGain {
		return nil
	}
	a.doubtUnclear(&f)
	f.Alternative = "Something shared slows the goroutines down: a lock, a counter, memory."
	f.Fix = "Keep it sequential, or make the pieces of work far larger."
	f.Experiment = "Write the plain loop, and compare the two."
	return []Finding{f}
}

// slowerInTurns finds programs that are slower on several CPUs than on one, although no goroutines of one class work in
// parallel: they take turns.
func (a *analysis) slowerInTurns() []Finding {
	f := a.comparedWithOne()
	if f.Gain.Estimate < turnsGain {
		return nil
	}
	a.doubtUnclear(&f)
	f.Alternative = "Other processes or the machine slow down runs on several CPUs."
	f.Fix = "Run it with GOMAXPROCS=1, or allocate less."
	if waits := a.exchanges(); a.rate(waits) >= turnsRate {
		f.Fix = "Pass values between goroutines in batches, or run with GOMAXPROCS=1."
		f.citef("goroutines waited %d times for each other or for connections", waits)
	}
	f.Experiment = "Run it with GOMAXPROCS=1: the time should equal that on one CPU."
	return []Finding{f}
}

// comparedWithOne returns a finding for a program that takes longer on several CPUs than on one.
func (a *analysis) comparedWithOne() Finding {
	f := a.newFinding(NotWorthParallel, "It is slower on %d CPUs than on one: %s, compared with %s.", a.run.CPUs,
		formatDuration(a.run.Wall), formatDuration(a.oneCPU.Wall))
	f.Share = 1
	f.citef("%d runs each; the slowest on one CPU took %s, the fastest on %d took %s", a.run.Count,
		formatDuration(a.oneCPU.WallHigh), a.run.CPUs, formatDuration(a.run.WallLow))
	f.Gain = newGain(1-a.oneCPU.Wall.Seconds()/a.run.Wall.Seconds(),
		1-a.oneCPU.WallHigh.Seconds()/a.run.WallLow.Seconds(), 1-a.oneCPU.WallLow.Seconds()/a.run.WallHigh.Seconds())
	return f
}

// doubtUnclear changes a finding of comparedWithOne if the program is not clearly slower: it may be chance, or it waits
// for something else than CPUs.
func (a *analysis) doubtUnclear(f *Finding) {
	if a.isSlower() {
		return
	}
	f.Claim = fmt.Sprintf("It is no faster on %d CPUs than on one: %s, compared with %s.", a.run.CPUs,
		formatDuration(a.run.Wall), formatDuration(a.oneCPU.Wall))
	f.Confidence, f.Gain = Low, nil
}

// exchanges returns how often goroutines of the program waited for each other or for connections.
func (a *analysis) exchanges() int64 {
	n := a.parkCount(nil)
	for _, w := range a.trace.Waits {
		if w.Op == evidence.OpNetwork && !acceptsConnections(w.Stack) {
			n += w.Count
		}
	}
	return n
}
