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
	count   int64
	each    time.Duration // mean running time of the workers for a task
}

// finestTasks returns the tasks that a pool of a library runs most often, if they are small and many.
func (a *analysis) finestTasks() (finest poolTasks, ok bool) {
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if w.Op != evidence.OpReceive || len(w.Classes) != 1 || w.Count <= finest.count ||
			a.rate(w.Count) < fineRate {
			continue
		}
		c := &a.trace.Classes[w.Classes[0]]
		if !a.isForeign(c.Start) || c.Peak < 2 || c.Count > w.Count/10 {
			continue
		}
		at, submitted := a.submitter(w, repository(c.Start))
		each := c.Running / time.Duration(w.Count)
		if float64(submitted) < taskShare*float64(w.Count) || each >= fineBody {
			continue
		}
		finest, ok = poolTasks{c, at, w.Count, each}, true
	}
	return finest, ok
}

// submitter returns the own line of the program that ends most waits of goroutines of a pool, and how many such
// lines end.
func (a *analysis) submitter(w *evidence.Wait, pool string) (at evidence.Frame, submitted int64) {
	by := map[evidence.Frame]int64{}
	for _, k := range w.Wakers {
		own := slices.IndexFunc(k.Stack, a.prog.isOwn)
		if own < 1 || slices.ContainsFunc(k.Stack[:own], func(f evidence.Frame) bool {
			return a.isForeign(f) && repository(f) != pool // another library submits
		}) {
			continue
		}
		line := a.prog.statement(k.Stack, own)
		submitted += k.Count
		if by[line] += k.Count; by[line] > by[at] {
			at = line
		}
	}
	return at, submitted
}

// tooFineTasks finds tasks that take less time than a pool of another module needs for each.
func tooFineTasks(a *analysis) []Finding {
	if a.trace == nil || !a.hasSamples() {
		return nil
	}
	t, ok := a.finestTasks()
	if !ok {
		return nil
	}
	if !slices.ContainsFunc(a.cpu.list, func(w weightedSample) bool { return a.runsTask(w, t.workers) }) {
		return nil
	}
	pool := a.poolCost(t.workers)
	cost := min(1, a.cpu.share(Locks, Channels)+a.scheduling(2*t.count)+pool)
	if pool == 0 || cost < fineCost {
		return nil
	}

	f := a.newFinding(GoroutineTooFine, "%d tasks of a pool run for only %s each: the pool takes %s of the CPU time.",
		t.count, formatDuration(t.each), percent(cost))
	f.Share = cost
	f.Where = []string{a.prog.position(t.at)}
	f.citef("they are submitted at %s", a.quote(t.at))
	f.citef("%.0f tasks start each second; a worker takes %s for each on average", a.rate(t.count),
		formatDuration(t.each))
	f.citef("submitting, queueing and the code of the pool take up to %s of the CPU time", percent(cost))
	f.Gain = a.fineGain(2*t.count, cost, pool)
	f.Confidence = High
	f.Alternative = "They wait for something external, and the CPU time is spent elsewhere."
	f.Fix = "Submit a chunk of the elements as one task, not each element."
	f.Experiment = "Submit ten elements in a task: the pool should cost a tenth."
	return []Finding{f}
}

// runsTask reports whether a sample is in code of the program that goroutines of a class run.
func (a *analysis) runsTask(w weightedSample, c *evidence.Class) bool {
	start := slices.IndexFunc(w.stack, func(f evidence.Frame) bool { return f.Function == c.Start.Function })
	return start > 0 && slices.ContainsFunc(w.stack[:start], a.prog.isOwn)
}
