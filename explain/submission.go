package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// workSource returns the program's own line where the work of a class comes from, and how. It is, in this order:
//   - the go statement that starts its goroutines;
//   - for goroutines of another module that run tasks of the program, the call that starts them, if no submission is
//     known, or if each task starts a goroutine, so that no line wakes them more often than they are;
//   - the line that submits most tasks to them.
//
// Goroutines that serve connections have no such line.
func (a *analysis) workSource(c *evidence.Class) (at evidence.Frame, how string, ok bool) {
	if at, own := a.goStatement(c); own {
		return at, "they are started", true
	}
	if !a.runsTasks(c) || a.servesConnections(c) {
		return evidence.Frame{}, "", false
	}
	s := a.submitted(c)
	call, byLibrary := a.prog.libraryPart(c.Created)
	if !byLibrary && (s.count == 0 || s.count <= c.Count && !isConstructor(call)) {
		from := c.Created[len(call):]
		return a.prog.statement(c.Created, len(call)), "they are started by the call", !a.acceptIn(from)
	}
	return s.at, "their tasks are submitted", s.count > 0 && !a.acceptIn(s.from)
}

// isConstructor reports whether the program makes a pool by a call of a library, which starts goroutines without tasks.
func isConstructor(call []evidence.Frame) bool {
	return len(call) > 0 && foreignConstructor.MatchString(functionName(call[len(call)-1].Function))
}

// submission is how often a line of the program wakes goroutines of a pool of another module, to give them tasks.
type submission struct {
	at             evidence.Frame
	from           []evidence.Frame // its function, and what calls that, where it does so most often
	count, largest int64            // largest is the part with the stack from
	wakes          int64            // not limited by how many tasks the goroutines pass on
}

// submitted returns the line of the program that most often wakes the goroutines of a class of a pool for tasks, or
// other goroutines of the pool, which may start them or pass the tasks on. What wakes the latter counts no more often
// than they do so. A line that wakes the class itself at most once for each of its goroutines, as to stop them, and
// less often than others of the pool do, counts only if no other line is known. The count is 0 if none is.
func (a *analysis) submitted(c *evidence.Class) (most submission) {
	levels, passed, fed := a.passTasks(c)
	signals := false // most may only stop each goroutine
	for i, level := range levels {
		list := a.submissions(repository(c.Start), a.taskWaitsOf(level, repository(c.Start), passed)...)
		if len(list) > 0 && (signals || list[0].count > most.count) {
			most, signals = list[0], false
		}
		if i == 0 {
			signals = most.count <= c.Count && fed > most.count
		}
	}
	return most
}

// passTasks returns the class of a pool, the classes of the pool that wake or start its goroutines, those that do so to
// these, and so on; how many tasks each class may have passed on to one of its own level or of those before; and how
// often classes of the second level woke or started goroutines of the first.
func (a *analysis) passTasks(c *evidence.Class) (levels [][]*evidence.Class, passed map[*evidence.Class]int64,
	fed int64) {
	pool := repository(c.Start)
	passed = map[*evidence.Class]int64{c: math.MaxInt64}
	depth := map[*evidence.Class]int{c: 0}
	walk(c, func(level []*evidence.Class) (givers []*evidence.Class) {
		next := len(levels) + 1
		levels = append(levels, level)
		give := func(o *evidence.Class, n int64) {
			if repository(o.Start) != pool {
				return
			}
			at, seen := depth[o]
			if !seen {
				at, depth[o] = next, next
				givers = append(givers, o)
			}
			if o == c || at < next-1 {
				return
			}
			passed[o] += n
			if next == 1 {
				fed += n
			}
		}
		for _, w := range a.taskWaitsOf(level, pool, passed) {
			for _, k := range w.Wakers {
				if k.Class >= 0 && !(len(w.Classes) == 1 && w.Classes[0] == k.Class) { // it passes nothing on
					give(&a.trace.Classes[k.Class], min(k.Count, w.limit))
				}
			}
		}
		for _, o := range level {
			for _, s := range a.starters(o) {
				give(s, o.Count)
			}
		}
		return givers
	})
	return levels, passed, fed
}

// taskWait is how goroutines of a pool wait for tasks. What wakes them counts no more often than limit.
type taskWait struct {
	*evidence.Wait
	limit int64
}

// taskWaitsOf returns the waits for tasks of some classes of a pool, but for those that may also be of other pools, and
// as limits how many tasks the classes may have passed on.
func (a *analysis) taskWaitsOf(classes []*evidence.Class, pool string, passed map[*evidence.Class]int64) (
	waits []taskWait) {
	for i := range a.trace.Waits {
		w := taskWait{Wait: &a.trace.Waits[i]}
		of, shared := false, false
		for _, o := range classes {
			if a.isIn(o, w.Classes...) {
				of, shared, w.limit = true, shared || a.sharesWait(o, w.Wait), w.limit+passed[o]
			}
		}
		if of && !shared && a.waitsForTasks(w.Wait, pool) {
			waits = append(waits, w)
		}
	}
	return waits
}

// sharesWait reports whether goroutines of several pools may wait at one place, which does not tell them apart: the
// program starts those of a class, and of another one, by the same call of the library at two lines, or by way of
// different lines of its own if the call makes a pool.
func (a *analysis) sharesWait(c *evidence.Class, w *evidence.Wait) bool {
	call, byLibrary := a.prog.libraryPart(c.Created)
	if byLibrary || !a.isIn(c, w.Classes...) {
		return false
	}
	lines := a.ownLines(c.Created, isConstructor(call))
	return slices.ContainsFunc(w.Classes, func(k int) bool {
		created := a.trace.Classes[k].Created
		other, byLibrary := a.prog.libraryPart(created)
		return !byLibrary && !slices.Equal(lines, a.ownLines(created, isConstructor(call))) &&
			slices.EqualFunc(call, other, func(f, g evidence.Frame) bool { return f.Function == g.Function })
	})
}

// ownLines returns the statements of the program in a stack, or the innermost of them only.
func (a *analysis) ownLines(stack []evidence.Frame, all bool) (lines []evidence.Frame) {
	for i, f := range stack {
		if a.prog.isOwn(f) && (all || lines == nil) {
			lines = append(lines, a.prog.statement(stack, i))
		}
	}
	return lines
}

// waitsForTasks reports whether the goroutines of a wait, which are those of a pool, wait in its own code, and not in a
// task that they run.
func (a *analysis) waitsForTasks(w *evidence.Wait, pool string) bool {
	in := slices.IndexFunc(w.Stack, a.prog.isOutsideStandard)
	return in >= 0 && repository(w.Stack[in]) == pool && !slices.ContainsFunc(w.Stack, a.prog.mayBeOwn) &&
		(w.Op == evidence.OpReceive || w.Op == evidence.OpSelect || w.Op == evidence.OpCond)
}

// taskWaits returns how often the goroutines of a class of a pool wait for tasks. Where those of other classes wait,
// too, it is the larger of two estimates: all do so equally often, or the others once each.
func (a *analysis) taskWaits(c *evidence.Class) (n int64) {
	for i := range a.trace.Waits {
		if w := &a.trace.Waits[i]; a.isIn(c, w.Classes...) && a.waitsForTasks(w, repository(c.Start)) {
			all := a.countOf(w.Classes)
			n += max(w.Count*c.Count/max(1, all), w.Count-(all-c.Count))
		}
	}
	return n
}

// submissions returns the lines of the program that wake the goroutines of a pool in waits for tasks, to submit some,
// those that do so most often first. Of lines with equal counts, the one that wakes least often comes first,
// because the others also wake for something else.
func (a *analysis) submissions(pool string, waits ...taskWait) (list []submission) {
	for _, w := range waits {
		before := map[evidence.Frame]int64{}
		for _, s := range list {
			before[s.at] = s.count
		}
		for _, k := range w.Wakers {
			if !a.isSubmission(w.Wait, k, pool) {
				continue
			}
			own := slices.IndexFunc(k.Stack, a.prog.isOwn)
			line := a.prog.statement(k.Stack, own)
			i := slices.IndexFunc(list, func(s submission) bool { return s.at == line })
			if i < 0 {
				i, list = len(list), append(list, submission{at: line})
			}
			list[i].count = min(list[i].count+k.Count-before[line], w.limit) + before[line]
			list[i].wakes += k.Count
			if k.Count > list[i].largest {
				list[i].from, list[i].largest = k.Stack[own:], k.Count
			}
		}
	}
	slices.SortStableFunc(list, func(s, o submission) int {
		return cmp.Or(cmp.Compare(o.count, s.count), cmp.Compare(s.wakes, o.wakes))
	})
	return list
}

// isSubmission reports whether a waker of goroutines of a pool, which wait for tasks, is the program that submits one,
// by a call of the pool or a send on a channel.
func (a *analysis) isSubmission(w *evidence.Wait, k evidence.Waker, pool string) bool {
	call, whole := a.prog.libraryPart(k.Stack)
	switch {
	case whole, len(call) == 0: // the program makes no call, as far as is known
		return false
	case containsAny(call, "runtime.closechan", "runtime.chanrecv"): // the end, or results
		return false
	case slices.ContainsFunc(call, func(f evidence.Frame) bool { return a.prog.isForeign(f) && repository(f) != pool }):
		return false // another library makes the call
	case w.Op == evidence.OpSelect && containsAny(call, "runtime.selectgo"):
		return slices.ContainsFunc(call, a.prog.isForeign) // a select of the program may send or receive
	}
	return true
}

// runsTasks reports whether the goroutines of a class, which a third-party module starts, run code of the program.
func (a *analysis) runsTasks(c *evidence.Class) bool {
	return a.prog.isForeign(c.Start) && a.cpu != nil && slices.ContainsFunc(a.cpu.list, func(w weightedSample) bool {
		return w.root == c.Start.Function && slices.ContainsFunc(w.stack, a.prog.isOwn)
	})
}
