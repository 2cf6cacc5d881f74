package explain

import (
	"regexp"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// minExternalShare is the fraction of the time from which an external wait is reported.
const minExternalShare = 0.3

// dependency finds programs that sleep, or wait for child processes or something else outside, most of the time.
func dependency(a *analysis) []Finding {
	if found := a.childProcesses(); found != nil {
		return found
	}
	if a.trace == nil || a.demandShare(0) < 0.5 || a.unusedCPU() < 0.5 {
		return nil
	}
	if a.serves() {
		return a.dependencyBesideListener()
	}

	var outside *evidence.Class
	var where []evidence.Frame
	requests := time.Duration(0) // the longest wait for a reply, a file or a device
	settled := false
	timed := a.endsByTimer()

	// Look for requests first: timers often run at the same time, and mean less.
	for _, timers := range []bool{false, true} {
		class, at, calls, each := a.externalWait(timers)
		if class == nil {
			continue
		}
		if !timers {
			requests = each
		}

		// A library may read the replies for the program.
		libraryWaits := time.Duration(0)
		if w := a.libraryWait(class); w != nil && !a.handlesConnections(&a.trace.Classes[w.Classes[0]]) {
			class, at, libraryWaits = &a.trace.Classes[w.Classes[0]], w.Stack, w.Waited
			calls = w.Count / int64(max(1, class.Peak))
		}

		if timers && a.isPeriodicJob(class) {
			continue
		}
		if outside == nil {
			outside, where = class, at
		}
		if timed || isMain(class) && a.mainAccepts() {
			// A timer or the accept loop explains the time, and the trace does not show which side speaks first.
			settled = !timers
			break
		}
		if f, ok := a.stopAndWait(class, calls, libraryWaits); ok {
			return []Finding{f}
		}
	}
	s := a.longestSleep(func(c *evidence.Class) bool { return !a.isPeriodicJob(c) })
	if s != nil && !settled && s.each >= 2*requests {
		return []Finding{a.sleepFinding(s, timed)}
	}
	if outside == nil {
		return nil
	}
	return []Finding{a.externalFinding(outside, where, timed)}
}

// externalFinding returns the finding for a class that waits for something external at a stack. timed says that a timer
// of the main goroutine ends the run.
func (a *analysis) externalFinding(outside *evidence.Class, where []evidence.Frame, timed bool) Finding {
	f := a.newFinding(DependencyWait, "Idle for %s of the time: %s %s for something external.",
		percent(a.demandShare(0)), a.className(outside), verb(outside, "waits", "wait"))
	f.Where = a.prog.positions(where)
	f.Share = a.demandShare(0)
	f.citef("no goroutine wanted a CPU for %s of %s", formatDuration(a.trace.Demand.Time[0]),
		formatDuration(a.trace.Duration))
	if at, ok := a.prog.ownFrame(where); ok {
		f.citef("it waits at %s", a.quote(at))
	}

	f.Alternative = "It waits for work, as a server does: then there is nothing to gain."
	if isMain(outside) && a.mainAccepts() {
		f.Confidence = Low
	}
	if timed {
		f.Alternative = meantToLast
	}

	f.Fix = "Make the external side faster, or send several requests concurrently."
	f.Experiment = "Use a stub that replies at once: what remains is the program's own time."
	return f
}

// meantToLast is the alternative explanation of a run that a timer of the main goroutine ends.
const meantToLast = "It is meant to last that long, as a load test is: compare the work done instead."

// timerShare is the fraction of the time that the main goroutine must wait for timers that end the run.
const timerShare = 0.85

// endsByTimer reports whether timers of the main goroutine seem to determine the length of the run. Only waits that
// occur once at their site count: a goroutine that looks at a clock repeatedly waits for something else.
func (a *analysis) endsByTimer() bool {
	waited := time.Duration(0)
	for i := range a.trace.Waits {
		if w := &a.trace.Waits[i]; w.Count == 1 && a.waitsInMain(w) &&
			(w.Op == evidence.OpSleep || a.wokenByTimer(w) || a.awaitsTimer(w)) {
			waited += w.Waited + w.Pending
		}
	}
	return a.fraction(waited) >= timerShare
}

var timerReceive = regexp.MustCompile(`^[^/]*<-[^/]*(time\.After\(|\.C\b)`)

// awaitsTimer reports whether a wait that lasts to the end of the trace is for a timer, by its source line. The trace
// does not show what would have ended it, nor whether a context has a deadline.
func (a *analysis) awaitsTimer(w *evidence.Wait) bool {
	if w.Op != evidence.OpReceive || w.Pending == 0 {
		return false
	}
	at, ok := a.prog.ownFrame(w.Stack)
	return ok && timerReceive.MatchString(a.prog.sourceLine(at))
}

// waitsInMain reports whether the main goroutine waits at a site.
func (a *analysis) waitsInMain(w *evidence.Wait) bool {
	return slices.ContainsFunc(w.Classes, func(i int) bool { return isMain(&a.trace.Classes[i]) })
}

// externalWait returns the class that waits longest for something outside the program, the stack of the wait, and for
// each goroutine the number of waits and their time. External waits are sleeps, the network and system calls that
// block; without timers only the network and system calls.
func (a *analysis) externalWait(timers bool) (class *evidence.Class, where []evidence.Frame, calls int64,
	longest time.Duration) {

	unended, job := false, a.onlyListens()
	consider := func(is func(w *evidence.Wait, c *evidence.Class) bool) {
		for i, s := range a.sumWaits(is, unended) {
			c := &a.trace.Classes[i]
			if each := s.waited / time.Duration(max(1, c.Peak)); each > longest && !(job && a.isPeriodicJob(c)) {
				longest, class, where, calls = each, c, s.where, s.count/int64(max(1, c.Peak))
			}
		}
	}

	consider(func(w *evidence.Wait, c *evidence.Class) bool {
		return w.Op == evidence.OpNetwork || timers && (w.Op == evidence.OpSleep || isMain(c) && a.wokenByTimer(w))
	})

	for i := range a.trace.Syscalls {
		c := &a.trace.Syscalls[i]
		k := &a.trace.Classes[c.Class]
		if each := c.Spent / time.Duration(max(1, k.Peak)); c.Each.P50 >= blockLong && each > longest &&
			!isHook(k.Start) && !a.handlesConnections(k) && !(job && a.isPeriodicJob(k)) {
			longest, class, where, calls = each, k, c.Stack, c.Count/int64(max(1, k.Peak))
		}
	}

	// Timers of other goroutines are often irrelevant, such as a display that is redrawn now and then.
	if timers && a.fraction(longest) < minExternalShare {
		consider(func(w *evidence.Wait, _ *evidence.Class) bool { return a.wokenByTimer(w) })
	}

	// Idle connections wait until the end too, so waits that ended come first.
	if a.fraction(longest) < minExternalShare {
		unended = true
		consider(func(w *evidence.Wait, c *evidence.Class) bool {
			return w.Op == evidence.OpNetwork && a.prog.isOwn(c.Start) || timers && w.Op == evidence.OpSleep
		})
	}
	if a.fraction(longest) < minExternalShare {
		return nil, nil, 0, 0
	}

	return class, where, calls, longest
}

// waitSum is the sum of waits of a class.
type waitSum struct {
	waited time.Duration
	count  int64            // of waits for the network, if all have ended
	where  []evidence.Frame // stack of the longest
	most   time.Duration    // time of the waits at where
}

// sumWaits returns for each class the sum of its waits that a function selects, except those for new connections, and
// with unended those that had not ended. A program may wait for several replies at as many statements.
func (a *analysis) sumWaits(is func(w *evidence.Wait, c *evidence.Class) bool, unended bool) []waitSum {
	sums := make([]waitSum, len(a.trace.Classes))
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if len(w.Classes) == 0 {
			continue
		}
		c := &a.trace.Classes[w.Classes[0]]
		if !is(w, c) || isHook(c.Start) || a.handlesConnections(c) || acceptsConnections(w.Stack) {
			continue
		}

		waited, s := w.Waited, &sums[w.Classes[0]]
		if unended {
			waited += w.Pending
		}
		s.waited += waited
		if waited > s.most {
			s.most, s.where = waited, w.Stack
		}
		if w.Op == evidence.OpNetwork && !unended {
			s.count += w.Count
		}
	}
	return sums
}

// libraryWait returns the site where goroutines of the program wait longest, inside a library, for a library goroutine
// of the class that reads from outside.
func (a *analysis) libraryWait(c *evidence.Class) *evidence.Wait {
	var longest *evidence.Wait
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if by := a.wokenByLibrary(w); by == c && (longest == nil || w.Waited > longest.Waited) {
			longest = w
		}
	}
	return longest
}

// wokenByLibrary returns the class of library goroutines that ends a wait of the program inside that library. It is nil
// for any other wait. Waits for a connection of a pool do not count: another request ends them by giving its connection
// back.
func (a *analysis) wokenByLibrary(w *evidence.Wait) *evidence.Class {
	if w.Op != evidence.OpReceive && w.Op != evidence.OpSelect || len(w.Classes) == 0 ||
		containsAny(w.Stack, httpConnection, databaseConnection) {
		return nil
	}

	in := slices.IndexFunc(w.Stack, func(f evidence.Frame) bool { return !hasAnyPrefix(f.Function, "runtime.") })
	if _, ok := a.prog.ownFrame(w.Stack); !ok || a.prog.isOwn(w.Stack[in]) {
		return nil
	}

	all, most := int64(0), int64(0)
	var by *evidence.Class
	counts := map[*evidence.Class]int64{}
	for _, k := range w.Wakers {
		all += k.Count
		if k.Class < 0 || slices.Contains(w.Classes, k.Class) {
			continue
		}
		c := &a.trace.Classes[k.Class]
		if counts[c] += k.Count; counts[c] > most && !a.prog.isOwn(c.Start) && !isHook(c.Start) &&
			c.Waiting["network"] >= a.trace.Duration/10 {
			by, most = c, counts[c]
		}
	}
	if 4*most < all { // One goroutine sends a request and another reads the answer: each ends a wait.
		return nil
	}

	return by
}

// wokenByTimer reports whether a select or a receive waits for a timer, or for a context with a deadline: in nine of
// ten cases no goroutine of the program sent.
func (a *analysis) wokenByTimer(w *evidence.Wait) bool {
	if w.Op != evidence.OpSelect && w.Op != evidence.OpReceive {
		return false
	}

	var all, timed int64
	for _, k := range w.Wakers {
		all += k.Count
		if k.Class < 0 || hasAnyPrefix(a.trace.Classes[k.Class].Start.Function, "context.WithDeadline") {
			timed += k.Count
		}
	}

	return all > 0 && timed*10 >= all*9
}
