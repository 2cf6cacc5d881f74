package explain

import (
	"cmp"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// taskShare is the fraction of the tasks of a pool that the program must submit at lines of its own.
const taskShare = 0.8

// poolTasks are the tasks that the program submits to a pool of another module, whose goroutines run many of them.
type poolTasks struct {
	workers *evidence.Class
	at      evidence.Frame // the line that submits most
	count   int64          // at least: a worker that finds a task waiting does not park
}

// each returns an upper bound of the mean running time for a task, since count is a lower bound.
func (t poolTasks) each() time.Duration { return t.workers.Running / time.Duration(t.count) }

// busiestPool returns the tasks for which goroutines of a pool of another module park most often, if they are small and
// many, and neither sleep nor wait for a connection or a system call.
func (a *analysis) busiestPool() (busiest poolTasks, ok bool) {
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if w.Op != evidence.OpReceive || len(w.Classes) != 1 || w.Count <= busiest.count ||
			a.rate(w.Count) < fineRate {
			continue
		}
		c := &a.trace.Classes[w.Classes[0]]
		if !a.prog.isForeign(c.Start) || !a.waitsForTasks(w, repository(c.Start)) || c.Peak < 2 ||
			c.Count > w.Count/10 || c.Waiting["network"]+c.Waiting["sleep"]+c.Syscall > c.Running {
			continue
		}
		submitted := int64(0)
		list := a.submissions(repository(c.Start), w)
		for _, s := range list {
			submitted += s.count
		}
		t := poolTasks{workers: c, count: w.Count}
		if len(list) == 0 || float64(submitted) < taskShare*float64(w.Count) || t.each() >= fineBody {
			continue
		}
		t.at = list[0].at
		busiest, ok = t, true
	}
	return busiest, ok
}

// workSource returns the program's own line where the work of a class comes from, and how: the go statement that starts
// its goroutines, or, if a pool of another module runs tasks of the program in them, the line that submits most or the
// call that starts them. Goroutines that serve connections have no such line.
func (a *analysis) workSource(c *evidence.Class) (at evidence.Frame, how string, ok bool) {
	if at, own := a.goStatement(c); own {
		return at, "they are started", true
	}
	if !a.runsTasks(c) || a.servesConnections(c) {
		return evidence.Frame{}, "", false
	}
	s, how := a.submitted(c), "their tasks are submitted"
	if i := slices.IndexFunc(c.Created, a.prog.isOwn); i >= 0 && s.count == 0 {
		s, how = submission{a.prog.statement(c.Created, i), c.Created[i:], c.Count}, "they are started by the call"
	}
	return s.at, how, s.count > 0 && !a.acceptIn(s.from)
}

// submission is how often a line of the program submits tasks to a pool of another module.
type submission struct {
	at    evidence.Frame
	from  []evidence.Frame // its function, and what calls that
	count int64
}

// submitted returns where the program submits most tasks to the goroutines of a class of a pool, or to other goroutines
// of the pool, which start them or pass the tasks on. The count is 0 if it is not known.
func (a *analysis) submitted(c *evidence.Class) submission {
	pool := repository(c.Start)
	most, seen := submission{}, map[*evidence.Class]bool{c: true}
	for next := []*evidence.Class{c}; len(next) > 0; {
		var givers []*evidence.Class
		var waits []*evidence.Wait
		for i := range a.trace.Waits {
			w := &a.trace.Waits[i]
			if !slices.ContainsFunc(next, func(o *evidence.Class) bool { return a.isIn(o, w.Classes) }) ||
				!a.waitsForTasks(w, pool) || a.sharesWait(c, w) {
				continue
			}
			waits = append(waits, w)
			for _, k := range w.Wakers {
				if k.Class >= 0 {
					givers = append(givers, &a.trace.Classes[k.Class])
				}
			}
		}
		if list := a.submissions(pool, waits...); len(list) > 0 && list[0].count > most.count {
			most = list[0]
		}
		for _, o := range next {
			givers = append(givers, a.starters(o)...)
		}
		next = nil
		for _, o := range givers {
			if !seen[o] && repository(o.Start) == pool {
				seen[o] = true
				next = append(next, o)
			}
		}
	}
	return most
}

// sharesWait reports whether goroutines of several pools may wait at one place, which does not tell them apart: the
// program starts those of a class, and of another one, by the same call of the library from two places.
func (a *analysis) sharesWait(c *evidence.Class, w *evidence.Wait) bool {
	call, byLibrary := a.prog.libraryPart(c.Created)
	if byLibrary || !a.isIn(c, w.Classes) {
		return false
	}
	return slices.ContainsFunc(w.Classes, func(k int) bool {
		created := a.trace.Classes[k].Created
		other, byLibrary := a.prog.libraryPart(created)
		return !byLibrary && !slices.Equal(c.Created[len(call):], created[len(other):]) &&
			slices.EqualFunc(call, other, func(f, g evidence.Frame) bool { return f.Function == g.Function })
	})
}

// isIn reports whether a class is among some, which are indices of Trace.Classes; negative ones are unknown.
func (a *analysis) isIn(c *evidence.Class, classes []int) bool {
	return slices.ContainsFunc(classes, func(k int) bool { return k >= 0 && &a.trace.Classes[k] == c })
}

// waitsForTasks reports whether goroutines of a pool wait in its own code, and not in a task that they run.
func (a *analysis) waitsForTasks(w *evidence.Wait, pool string) bool {
	in := slices.IndexFunc(w.Stack, a.prog.isOutsideStandard)
	return in >= 0 && repository(w.Stack[in]) == pool && !slices.ContainsFunc(w.Stack, a.prog.mayBeOwn) &&
		(w.Op == evidence.OpReceive || w.Op == evidence.OpSelect || w.Op == evidence.OpCond) &&
		slices.ContainsFunc(w.Classes, func(k int) bool { return repository(a.trace.Classes[k].Start) == pool })
}

// taskWaits returns how often the goroutines of a class of a pool wait for tasks, with those of other classes that wait
// at the same places.
func (a *analysis) taskWaits(c *evidence.Class) (n int64) {
	for i := range a.trace.Waits {
		if w := &a.trace.Waits[i]; a.isIn(c, w.Classes) && a.waitsForTasks(w, repository(c.Start)) {
			n += w.Count
		}
	}
	return n
}

// submissions returns the lines of the program that wake the goroutines of a pool in waits for tasks, by a call of the
// pool or a send on a channel, those that do so most often first. A select of the program that ends one of the pool may
// send or receive, and does not count.
func (a *analysis) submissions(pool string, waits ...*evidence.Wait) (list []submission) {
	for _, w := range waits {
		for _, k := range w.Wakers {
			call, whole := a.prog.libraryPart(k.Stack)
			own := len(call)
			either := w.Op == evidence.OpSelect && containsAny(call, "runtime.selectgo") &&
				!slices.ContainsFunc(call, a.prog.isForeign)
			if whole || own == 0 || either || containsAny(call, "runtime.closechan", "runtime.chanrecv") ||
				slices.ContainsFunc(call, func(f evidence.Frame) bool {
					return a.prog.isForeign(f) && repository(f) != pool // another library makes the call
				}) {
				continue
			}
			line := a.prog.statement(k.Stack, own)
			i := slices.IndexFunc(list, func(s submission) bool { return s.at == line })
			if i < 0 {
				i, list = len(list), append(list, submission{at: line, from: k.Stack[own:]})
			}
			list[i].count += k.Count
		}
	}
	slices.SortStableFunc(list, func(s, o submission) int { return cmp.Compare(o.count, s.count) })
	return list
}

// runsTasks reports whether the goroutines of a class, which a third-party module starts, run code of the program.
func (a *analysis) runsTasks(c *evidence.Class) bool {
	return a.prog.isForeign(c.Start) && a.cpu != nil && slices.ContainsFunc(a.cpu.list, func(w weightedSample) bool {
		return w.root == c.Start.Function && slices.ContainsFunc(w.stack, a.prog.isOwn)
	})
}

// poolCost returns the fraction of the CPU time in a third-party module that starts the goroutines of a class for the
// program, and in what the library calls, without the functions of the program that it calls; handoffs is that of its
// locks and channels. Both are 0 if the library calls no function of the program: then it does work of its own. They
// are 0 too if the program does not start the goroutines by a call of the library, as a server that calls handlers.
func (a *analysis) poolCost(c *evidence.Class) (code, handoffs float64) {
	caller := slices.IndexFunc(c.Created, a.prog.mayBeOwn)
	if !a.hasSamples() || caller < 0 {
		return 0, 0
	}
	repositories := map[string]bool{}
	for _, f := range append([]evidence.Frame{c.Start}, c.Created[:caller]...) {
		if a.prog.isForeign(f) {
			repositories[repository(f)] = true
		}
	}
	ofPool := func(f evidence.Frame) bool { return repositories[repository(f)] }
	tasks := false
	for _, w := range a.cpu.list {
		i := slices.IndexFunc(w.stack, a.prog.isOutsideStandard)
		switch {
		case i < 0:
		case a.prog.mayBeOwn(w.stack[i]):
			tasks = tasks || slices.ContainsFunc(w.stack[i+1:], ofPool)
		case !ofPool(w.stack[i]) || w.allocatesGoroutine():
		case slices.Contains([]string{UserCode, Allocation, SystemCalls}, w.category):
			code += w.weight / a.cpu.total
		case w.category == Locks || w.category == Channels:
			handoffs += w.weight / a.cpu.total
		}
	}
	if !tasks {
		return 0, 0
	}
	return code, handoffs
}

// tooFineTasks finds tasks that take less time than a pool of another module needs for each.
func tooFineTasks(a *analysis) []Finding {
	if a.trace == nil || !a.hasSamples() {
		return nil
	}
	t, ok := a.busiestPool()
	if !ok || !a.runsTasks(t.workers) {
		return nil
	}
	pool, handoffs := a.poolCost(t.workers)
	cost := min(1, handoffs+a.scheduling(2*t.count)+pool)
	if pool == 0 || cost < fineCost {
		return nil
	}

	f := a.newFinding(GoroutineTooFine,
		"Tasks of a pool run for at most %s on average: the pool takes up to %s of the CPU time.",
		formatDuration(t.each()), percent(cost))
	f.Share = cost
	f.Where = []string{a.prog.position(t.at)}
	f.citef("they are submitted at %s", a.quote(t.at))
	f.citef("at least %d tasks ran, %.0f each second; the workers ran for %s", t.count, a.rate(t.count),
		formatDuration(t.workers.Running))
	f.citef("submitting, queueing and the code of the pool take up to %s of the CPU time", percent(cost))
	f.Gain = a.fineGain(2*t.count, cost, pool)
	f.Confidence = High
	f.Alternative = "Each task must start at once: its latency matters more than CPU time."
	f.Fix = "Submit a chunk of the elements as one task, not each element."
	f.Experiment = "Submit ten elements as one task: the pool's cost should fall to a tenth."
	return []Finding{f}
}
