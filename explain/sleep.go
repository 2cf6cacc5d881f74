package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/result"
)

// sleeping is a class whose goroutines wait for timers of the program's own code.
type sleeping struct {
	class *evidence.Class
	sites []sleepSite   // the longest first
	count int64         // number of waits
	total time.Duration // of all waits
	each  time.Duration // of the waits of one goroutine

	goroutines int64 // of the classes that sleep: several if class runs tests
}

// sleepSite is one statement that sleeps, or waits for a timer.
type sleepSite struct {
	at       evidence.Frame
	op       evidence.Op
	messages bool // other goroutines end some of the waits
	count    int64
	total    time.Duration
}

// longestSleep returns the class that sleeps longest in the program's own code, or nil if none sleeps for at least
// minExternalShare of the time. A test suite sleeps at many places, so that only their sum counts. It considers the
// classes that a function selects. A class that nothing waits for counts only if there is no other.
func (a *analysis) longestSleep(selects func(c *evidence.Class) bool) *sleeping {
	for _, background := range []bool{false, true} {
		var longest *sleeping
		for i := range a.trace.Classes {
			c := &a.trace.Classes[i]
			if isHook(c.Start) || !selects(c) || !background && !isMain(c) && !isTest(c) && a.isBackground(c) {
				continue
			}
			s := a.sleeps(i)
			if a.fraction(s.each) >= minExternalShare && (longest == nil || s.each > longest.each) {
				longest = s
			}
		}
		if longest != nil {
			return longest
		}
	}
	return nil
}

// sleeps returns the sleeps of a class, and for one that runs tests those of all tests.
func (a *analysis) sleeps(class int) *sleeping {
	s := &sleeping{class: &a.trace.Classes[class]}
	asleep := map[*evidence.Class]bool{}
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if len(w.Classes) == 0 {
			continue
		}
		by := &a.trace.Classes[w.Classes[0]]
		if by != s.class && !(isTest(by) && isTest(s.class)) {
			continue
		}
		at, ok := a.ownSleep(w)
		if !ok {
			continue
		}
		asleep[by] = true
		k := slices.IndexFunc(s.sites, func(x sleepSite) bool { return x.at == at })
		if k < 0 { // other callers have other stacks
			k = len(s.sites)
			s.sites = append(s.sites, sleepSite{at: at, op: w.Op})
		}
		s.sites[k].messages = s.sites[k].messages || a.wokenByMessages(w)
		s.sites[k].count += w.Count
		s.sites[k].total += w.Waited + w.Pending
	}

	// Leave out short waits of the runtime, such as those of an allocation for the collector.
	slices.SortStableFunc(s.sites, func(x, y sleepSite) int { return cmp.Compare(y.total, x.total) })
	s.sites = slices.DeleteFunc(s.sites, func(x sleepSite) bool {
		return x.op != evidence.OpSleep && x.total < s.sites[0].total/100
	})
	for _, x := range s.sites {
		s.count += x.count
		s.total += x.total
	}
	for by := range asleep {
		s.goroutines += by.Count
	}

	s.each = s.total / time.Duration(max(1, s.class.Peak))
	if isTest(s.class) { // tests wait for their subtests, so that their number at one time means little
		s.each = min(s.total, a.trace.Duration)
	}
	return s
}

// ownSleep returns the position of a sleep, or of a wait for a timer, in the program's own code. The sleeps of a
// library are not the program's, nor is the deadline of a context: it waits for whatever the deadline bounds.
func (a *analysis) ownSleep(w *evidence.Wait) (evidence.Frame, bool) {
	by := slices.IndexFunc(w.Stack, func(f evidence.Frame) bool {
		return f.Function != "time.Sleep" && !hasAnyPrefix(f.Function, "runtime.")
	})
	if by < 0 || !a.prog.isOwn(w.Stack[by]) {
		return evidence.Frame{}, false
	}

	all, deadlines := int64(0), int64(0)
	for _, k := range w.Wakers {
		all += k.Count
		if a.isDeadline(k) {
			deadlines += k.Count
		}
	}
	deadline := deadlines > 0 && 10*deadlines >= all // a polling loop may have one, too
	return a.prog.statement(w.Stack, by), w.Op == evidence.OpSleep || a.wokenByTimer(w) && !deadline
}

// isDeadline reports whether the deadline of a context ends a wait.
func (a *analysis) isDeadline(k evidence.Waker) bool {
	return k.Class >= 0 && hasAnyPrefix(a.trace.Classes[k.Class].Start.Function, "context.WithDeadline")
}

// wokenByMessages reports whether a goroutine ends some of the waits of a select, other than by canceling a context.
func (a *analysis) wokenByMessages(w *evidence.Wait) bool {
	return w.Op == evidence.OpSelect && slices.ContainsFunc(w.Wakers, func(k evidence.Waker) bool {
		return k.Class >= 0 && !a.isDeadline(k) && !containsAny(k.Stack, "context.(*cancelCtx).cancel")
	})
}

// isPeriodicJob reports whether a class may be a periodic job of a service, which waits for requests and has no run
// that could end sooner: its goroutines live at the end, and none of the program's own waits long for them. Workers of
// a batch job that also listens usually end before.
func (a *analysis) isPeriodicJob(c *evidence.Class) bool {
	return c.Alive > 0 && !isMain(c) && !isTest(c) && a.accepts() &&
		!a.wakes(c, func(woken *evidence.Class) bool { return a.prog.mayBeOwn(woken.Start) })
}

// citeSleep adds the longest sleep to a finding that asks for requests: a periodic job, or a goroutine that polls.
func (a *analysis) citeSleep(f *Finding) {
	s := a.longestSleep(func(*evidence.Class) bool { return true })
	if s == nil || a.endsByTimer() {
		return
	}
	x := s.sites[0]
	f.citef("%s %s for %s of the time at %s", a.className(s.class), verb(s.class, "sleeps", "sleep"),
		percent(min(1, a.fraction(x.total/time.Duration(max(1, s.class.Peak))))), a.quote(x.at))
	f.Fix = "Send it more requests, or sleep for less at " + a.prog.position(x.at) + " if work waits."
}

// isBackground reports whether nothing waits long for the goroutines of a class, which live at the end, as those do
// that display the progress. Most of them wake no other.
func (a *analysis) isBackground(c *evidence.Class) bool {
	return c.Alive > 0 && !a.wakes(c, func(*evidence.Class) bool { return true })
}

// wakes reports whether others wait for the goroutines of a class for at least minExternalShare of the time: those of
// one of the classes that a function selects. A signal at the start says nothing about the rest of the run, nor does an
// unlock of a mutex now and then.
func (a *analysis) wakes(c *evidence.Class, selects func(woken *evidence.Class) bool) bool {
	return a.waitFor(c, selects) >= minExternalShare
}

// waitFor returns the fraction of the time that a goroutine waits for those of a class, on average in its own class. It
// is the largest of the classes that a function selects. The trace does not show which waker ended the long waits of a
// site, so that all its waits count as equally long.
func (a *analysis) waitFor(c *evidence.Class, selects func(woken *evidence.Class) bool) (most float64) {
	waited := make([]time.Duration, len(a.trace.Classes))
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		all, by := int64(0), int64(0)
		for _, k := range w.Wakers {
			all += k.Count
			if a.isIn(c, k.Class) {
				by += k.Count
			}
		}
		if by > 0 && len(w.Classes) > 0 {
			waited[w.Classes[0]] += time.Duration(float64(w.Waited) * float64(by) / float64(all))
		}
	}
	for i := range waited {
		if woken := &a.trace.Classes[i]; selects(woken) {
			most = max(most, a.fraction(waited[i]/time.Duration(max(1, woken.Peak))))
		}
	}
	return most
}

// isTest reports whether a class runs tests.
func isTest(c *evidence.Class) bool { return c.Start.Function == "testing.tRunner" }

// hasTests reports whether the program runs tests or benchmarks.
func (a *analysis) hasTests() bool {
	return slices.ContainsFunc(a.trace.Classes, func(c evidence.Class) bool {
		return isTest(&c) || isBenchmark(c.Start.Function)
	})
}

// isBenchmark reports whether a start function runs benchmarks.
func isBenchmark(function string) bool {
	return function == "testing.(*B).launch" || function == "testing.(*B).run1.func1"
}

// sleepFinding returns the finding for a program that sleeps. timed says that a timer of the main goroutine ends the
// run. It has no gain: the trace shows neither what a sleep is for nor how long the event takes that ends a loop.
func (a *analysis) sleepFinding(s *sleeping, timed bool) Finding {
	f := a.newFinding(DependencyWait, "Idle for %s of the time: %s %s in the program's own code.",
		percent(a.demandShare(0)), a.className(s.class), verb(s.class, "sleeps", "sleep"))
	f.Share = a.demandShare(0)
	most := min(f.Share, a.fraction(s.total))
	f.citef("%s, %s on average: at most %s of the time can be saved; how much is unknown",
		result.Count(int(s.count), "sleep"), formatDuration(s.total/time.Duration(max(1, s.count))), percent(most))
	f.citef("no goroutine wanted a CPU for %s of %s", formatDuration(a.trace.Demand.Time[0]),
		formatDuration(a.trace.Duration))
	for _, x := range s.sites[:min(3, len(s.sites))] {
		f.Where = append(f.Where, a.prog.position(x.at))
		f.citef("%s of %s in all at %s", result.Count(int(x.count), "sleep"), formatDuration(x.total), a.quote(x.at))
	}

	if isTest(s.class) {
		upTo := ""
		if s.total > a.trace.Demand.Time[0] { // some at the same time
			upTo = "up to "
		}
		f.Claim, f.Share = fmt.Sprintf("Tests sleep for %s%s of the time.", upTo, percent(most)), most
		if len(f.Where) > 1 {
			f.Claim = strings.TrimSuffix(f.Claim, ".") + ", also at " + strings.Join(f.Where[1:], " and ") + "."
		}
	}

	f.Alternative = "The sleep must last that long, as a rate limit does, or stands for a device or service."
	switch {
	case s.sites[0].messages:
		f.Confidence = Low
		f.Alternative = "The select also waits for work or messages, as a server does: then there is nothing to gain."
	case (isMain(s.class) || s.class.Alive > 0 && !a.hasTests()) && a.accepts():
		f.Confidence = Low
		f.Alternative = "It is the periodic job of a service that waits for requests: then there is nothing to gain."
	case s.sites[0].op == evidence.OpSelect:
		f.Alternative = "The wait must last that long, as a rate limit does, or it is for work that never came."
	}
	if timed {
		f.Alternative = meantToLast
	}

	f.Fix = "Block until the event (channel, sync.Cond, context), or sleep for less."
	if strings.HasSuffix(s.sites[0].at.File, "_test.go") {
		f.Fix = "Wait for a signal (channel, WaitGroup), or use testing/synctest."
		inTurn := s.total <= a.trace.Demand.Time[0]*11/10
		if isTest(s.class) && s.goroutines > 1 && s.count > 1 && inTurn {
			f.Fix = "Wait for a signal (a channel), use testing/synctest, or call t.Parallel."
		}
	}
	f.Experiment = "Halve each sleep: the run should take up to " + percent(most/2) + " less time."
	return f
}
