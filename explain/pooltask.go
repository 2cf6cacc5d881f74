package explain

import (
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
// many, and neither sleep nor wait for I/O.
func (a *analysis) busiestPool() (busiest poolTasks, ok bool) {
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if w.Op != evidence.OpReceive || len(w.Classes) != 1 || w.Count <= busiest.count ||
			a.rate(w.Count) < fineRate {
			continue
		}
		c := &a.trace.Classes[w.Classes[0]]
		if !a.prog.isForeign(c.Start) || !a.waitsForTasks(w, repository(c.Start)) || c.Peak < 2 ||
			c.Count > w.Count/10 || a.outside(c) > c.Running {
			continue
		}
		submitted := int64(0)
		list := a.submissions(repository(c.Start), taskWait{w, w.Count})
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

// outside returns how long the goroutines of a class sleep or wait for I/O: for system calls, connections, a free
// connection of a client's pool, and goroutines of libraries that wait for connections.
func (a *analysis) outside(c *evidence.Class) time.Duration {
	waited := c.Waiting["network"] + c.Waiting["sleep"] + c.Syscall
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		pooled := (w.Op == evidence.OpSelect || w.Op == evidence.OpReceive) &&
			containsAny(w.Stack, httpConnection, databaseConnection)
		if !a.isIn(c, w.Classes...) || !pooled && a.wokenByLibrary(w) == nil {
			continue
		}
		// In floating point, because the product of a time and a count may be too large for an integer.
		waited += time.Duration(float64(w.Waited) * float64(c.Count) / float64(max(1, a.countOf(w.Classes))))
	}
	return waited
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
