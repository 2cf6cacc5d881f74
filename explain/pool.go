package explain

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for worker pools.
const (
	poolWaits  = 0.5 // fraction of the workers' lifetimes in external waits
	poolStarve = 0.2 // largest fraction of their lifetimes that they wait for work
	poolSpare  = 0.4 // fraction of the CPU time that is idle

	// largest number of goroutines in external waits: if there are more, each has its own job, or the other side is the
	// limit
	poolMost = 32
)

// tooFewWorkers finds pools whose workers are all in use while CPUs are idle.
func tooFewWorkers(a *analysis) []Finding {
	if a.trace == nil || a.idleCPU() < poolSpare {
		return nil
	}

	for _, c := range a.classes() {
		at, own := a.goStatement(c) // A library sizes its pools itself, with one goroutine for each connection.
		if isMain(c) || !own || a.handlesConnections(c) || int64(c.Peak) != c.Count && c.Alive == 0 && c.Batches > 1 ||
			len(c.Members) == 0 {
			continue
		}

		// The workers must live long, and wait neither for work nor for locks.
		life, running, queued, channels, locks, outside := lifetimes(c)
		if life < a.trace.Duration/2 || channels > time.Duration(poolStarve*float64(life)) || locks > life/10 {
			continue
		}

		// They are all in use if they wait outside most of the time, or if they compute and are fewer than the CPUs.
		waits := outside > time.Duration(poolWaits*float64(life)) && c.Peak <= poolMost
		works := running+queued > life*85/100 && float64(c.Peak) < a.cpus
		pool := c.Count >= 2 || a.startedInLoop(c)
		if !pool || !waits && !works || a.timerPaced(c) {
			continue
		}

		f := a.newFinding(TooFewWorkers, "%s are all busy, and %s of the CPU time is unused.",
			capitalize(a.className(c)), percent(a.unusedCPU()))
		f.Share = a.unusedCPU()
		f.Where = []string{a.prog.position(at)}
		all := float64(life)
		f.citef("they run for %s of their lifetime, wait externally for %s and for work for %s",
			percent(float64(running)/all), percent(float64(outside)/all), percent(float64(channels)/all))
		f.citef("they are started at %s", a.quote(at))
		most := 1 - a.lowerBound()
		if works {
			most = math.Min(most, 1-float64(c.Peak)/a.cpus)
		}
		f.Gain = newGain(math.Min(0.75, 0.9*most), math.Min(0.4, 0.5*most), most)
		f.Alternative = "The other side serves no more at a time, so more workers only wait longer."
		f.Fix = "Start more workers, until the CPUs or the other side are the limit."
		f.Experiment = "Double the workers: time should halve unless something else is the limit."
		return []Finding{f}
	}

	return nil
}

// goStatement returns the go statement that starts the goroutines of a class, and whether it is the program's own.
func (a *analysis) goStatement(c *evidence.Class) (evidence.Frame, bool) {
	f, ok := starter(c.Created)
	return f, ok && a.prog.mayBeOwn(f)
}

// perCall are packages of the runtime, and those that start goroutines for their callers only, such as
// [context.AfterFunc], [time.AfterFunc] and [iter.Pull].
var perCall = []string{"runtime", "internal/abi", "context", "time", "iter", "sync"}

// starter returns the go statement of a stack that starts a goroutine: the frame above the runtime and the likes of
// WaitGroup.Go.
func starter(stack []evidence.Frame) (evidence.Frame, bool) {
	i := slices.IndexFunc(stack, func(f evidence.Frame) bool {
		path := packagePath(f.Function)
		return !evidence.IsWrapper(f.Function) && !slices.Contains(perCall, path) &&
			!hasAnyPrefix(path, "internal/runtime/", "runtime/internal/") // the latter until Go 1.23
	})
	if i < 0 {
		return evidence.Frame{}, false
	}
	return stack[i], true
}

// byStandardLibrary reports whether the standard library starts the goroutine of a stack for itself. How many it
// starts, and for what, is no choice of the program: net/http starts some for each request.
func (a *analysis) byStandardLibrary(stack []evidence.Frame) bool {
	f, ok := starter(stack)
	return ok && a.prog.isStandard(f)
}

// spawnSite returns the statement by which the program starts the goroutines of a class, or their start function if a
// timer or the standard library starts them. It returns false if they are no choice of the program, or nothing shows
// where they come from.
func (a *analysis) spawnSite(c *evidence.Class) (evidence.Frame, bool) {
	own := a.prog.mayBeOwn(c.Start)
	if !own && a.byStandardLibrary(c.Created) {
		return evidence.Frame{}, false
	}
	if at, ok := a.prog.ownFrame(c.Created); ok {
		return at, true
	}
	return c.Start, own
}

// locateSpawn adds where the goroutines of a class come from: the result of spawnSite.
func (a *analysis) locateSpawn(f *Finding, c *evidence.Class) {
	at, _ := a.spawnSite(c)
	f.Where = []string{a.prog.position(at)}
	if at == c.Start {
		f.citef("they run the function at %s", a.quote(at))
		return
	}
	f.citef("they are started at %s", a.quote(at))
}

// lifetimes sums the times of a class's members and divides them by the number that lived at one time.
func lifetimes(c *evidence.Class) (life, running, queued, channels, locks, outside time.Duration) {
	for _, m := range c.Members {
		life += m.Ended - m.Born
		running += m.Running
		queued += m.Runnable
		channels += m.ChannelWait
		locks += m.LockWait
		outside += m.External
	}
	n := time.Duration(max(1, min(c.Peak, len(c.Members))))
	return life / n, running / n, queued / n, channels / n, locks / n, outside / n
}

// startedInLoop reports whether the go statement of a class is in a loop, as far as the source shows.
func (a *analysis) startedInLoop(c *evidence.Class) bool {
	at, ok := a.prog.ownFrame(c.Created)
	if !ok || a.prog.Source == nil {
		return false
	}
	for back := range 4 {
		if strings.HasPrefix(strings.TrimSpace(a.prog.Source(at.File, at.Line-back)), "for ") {
			return true
		}
	}
	return false
}

// timerPaced reports whether the goroutines of a class run at the pace of a timer, so that no work waits for them.
func (a *analysis) timerPaced(c *evidence.Class) bool {
	for _, w := range a.trace.Waits {
		if w.Op == evidence.OpSend && w.Waited > a.trace.Duration/5 {
			return false // a goroutine has work for them
		}
	}
	return c.Alive > 0 && c.Count == c.Alive
}
