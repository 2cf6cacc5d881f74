package gotrace

import (
	"cmp"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// finish returns the summary of all events.
func (a *aggregator) finish() *evidence.Trace {
	a.resources.advance(0, false)
	a.survivors()
	duration := a.now - a.start
	out := &evidence.Trace{
		Duration: time.Duration(duration), CPUs: max(a.maxCPUs, a.cpus), Events: a.events,
		Demand: a.demand.export(duration),
		Idle:   time.Duration(a.used.idle), Running: time.Duration(a.used.user),
		Searching:  time.Duration(a.used.searching),
		Background: time.Duration(a.used.system),
		WakeIdle:   a.queueing[0].export(), WakeBusy: a.queueing[1].export(), Scheduling: a.queueing[2].export(),
	}

	a.exportClasses(out)
	a.exportSites(out)
	a.exportResources(out)
	a.exportGC(out)
	return out
}

// survivors adds the times of the goroutines that live at the end. Waits that have not ended are counted separately.
func (a *aggregator) survivors() {
	long := (a.now - a.start) / 10
	stuck := map[*class]map[*site]int64{}
	for _, g := range a.goroutines {
		if g.kind != userKind {
			continue
		}
		if g.state == waiting && g.site != nil && a.now-g.since >= long {
			if stuck[g.class] == nil {
				stuck[g.class] = map[*site]int64{}
			}
			stuck[g.class][g.site]++
		}
		if g.state != waiting {
			a.addTime(g)
		} else if g.site != nil {
			*g.class.waitSum(g.site.reason) += a.now - g.since
			g.site.pending += a.now - g.since
		}
		g.class.keepMember(g, a.now, a.start)
	}

	for c, at := range stuck {
		for s, n := range at {
			if n > c.stuck || n == c.stuck && s.stack < c.stuckAt.stack {
				c.stuck, c.stuckAt = n, s
			}
		}
	}
}

func (a *aggregator) exportClasses(out *evidence.Trace) {
	at := map[*site]int{}
	for i, s := range a.sites.list {
		at[s] = i
	}

	for _, c := range a.classes.list {
		stuckAt := -1
		if c.stuckAt != nil {
			stuckAt = at[c.stuckAt]
		}
		system, _ := isSystem(c.start.Function)
		if system {
			c.count, c.running, c.queued, c.calling, c.alone = 0, 0, 0, 0, 0
		}
		slices.SortFunc(c.members, func(x, y evidence.Member) int { return cmp.Compare(y.Running, x.Running) })
		out.Classes = append(out.Classes, evidence.Class{
			Start: c.start, Created: a.stacks.frames(c.created), Count: c.count, Peak: int(c.peak),
			Running: time.Duration(c.running), Runnable: time.Duration(c.queued), Waiting: c.waitTimes(),
			Syscall: time.Duration(c.calling), Lifetime: c.lifetime.export(), Bursts: c.bursts.export(),
			Busy:  c.busy.export(),
			Alone: time.Duration(c.alone), Tail: time.Duration(c.tail), Batches: c.batches,
			First: time.Duration(max(0, c.firstBorn-a.start)), Last: time.Duration(max(0, c.lastBorn-a.start)),
			Alive: c.live, Stuck: c.stuck, StuckAt: stuckAt, Members: c.members,
		})
	}

	for s, n := range a.spawns {
		out.Spawns = append(out.Spawns, evidence.Spawn{Stack: a.stacks.frames(s.stack), Class: s.class.index, Count: n})
	}

	slices.SortFunc(out.Spawns, func(x, y evidence.Spawn) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Class, y.Class))
	})
}

func (a *aggregator) exportSites(out *evidence.Trace) {
	for _, s := range a.sites.list {
		w := evidence.Wait{
			Reason: s.reason, Op: s.op, Stack: a.stacks.frames(s.stack), Count: s.count,
			Waited: time.Duration(s.waits.sum), Pending: time.Duration(s.pending), Queued: time.Duration(s.queued),
			Waits: s.waits.export(),
		}
		for _, c := range s.classes {
			w.Classes = append(w.Classes, c.index)
		}
		for stack, k := range s.wakers {
			class := -1
			if k.class != nil {
				class = k.class.index
			}
			w.Wakers = append(w.Wakers, evidence.Waker{Stack: a.stacks.frames(stack), Count: k.count, Class: class})
		}
		slices.SortFunc(w.Wakers, func(x, y evidence.Waker) int {
			return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Class, y.Class), compareStacks(x.Stack, y.Stack))
		})
		out.Waits = append(out.Waits, w)
	}

	for stack, c := range a.calls {
		out.Syscalls = append(out.Syscalls, evidence.SyscallSite{
			Stack: a.stacks.frames(stack), Count: c.each.count, Spent: time.Duration(c.each.sum), Lost: c.lost,
			Each:  c.each.export(),
			Class: c.class.index,
		})
	}

	slices.SortFunc(out.Syscalls, func(x, y evidence.SyscallSite) int {
		return cmp.Or(cmp.Compare(y.Spent, x.Spent), compareStacks(x.Stack, y.Stack))
	})
}

// compareStacks orders stacks by function and line, so that the summary is deterministic.
func compareStacks(a, b []evidence.Frame) int {
	return slices.CompareFunc(a, b, func(a, b evidence.Frame) int {
		return cmp.Or(cmp.Compare(a.Function, b.Function), cmp.Compare(a.Line, b.Line))
	})
}

func (a *aggregator) exportResources(out *evidence.Trace) {
	waits := map[stackID][]int{}
	for i, s := range a.sites.list {
		waits[s.stack] = append(waits[s.stack], i)
	}

	place := map[int32]int{}
	for i := range a.resources.nodes {
		n := &a.resources.nodes[i]
		root := a.resources.find(int32(i) << 1)
		at, ok := place[root]
		if !ok {
			at = len(out.Resources)
			place[root] = at
			out.Resources = append(out.Resources, a.resource(&a.resources.nodes[root]))
		}
		r := &out.Resources[at]
		r.Sites = append(r.Sites, a.stacks.frames(n.stack))
		r.Waits = append(r.Waits, waits[n.stack]...)
	}

	slices.SortStableFunc(out.Resources, func(x, y evidence.Resource) int { return cmp.Compare(y.Busy, x.Busy) })
}

// resource returns the summary of the set with root n.
func (a *aggregator) resource(n *node) evidence.Resource {
	for s := range n.sides {
		n.sides[s].flush(&a.resources)
	}
	n.any.flush(&a.resources)
	return evidence.Resource{
		Kind: n.kind, Busy: time.Duration(n.any.busy), Starved: time.Duration(n.any.starved), Count: n.any.count,
		Full: time.Duration(n.sides[0].busy), FullCount: n.sides[0].count,
		Empty: time.Duration(n.sides[1].busy), EmptyCount: n.sides[1].count,
		Holds: n.holds.export(), HeldRunning: time.Duration(n.heldRan),
	}
}

func (a *aggregator) exportGC(out *evidence.Trace) {
	if a.gc.markedFrom >= 0 {
		a.gc.marking += a.now - a.gc.markedFrom
	}

	out.GC = evidence.GC{
		Marking: time.Duration(a.gc.marking), Assists: time.Duration(a.gc.assists),
		Workers: time.Duration(a.used.collector),
		Cycles:  a.gc.cycles, Stopped: time.Duration(a.gc.stops.sum), StopLatency: a.gc.stops.export(),
	}

	for k, s := range a.gc.reasons {
		out.GC.Stops = append(out.GC.Stops,
			evidence.Stop{Reason: k.reason, Stack: a.stacks.frames(k.stack), Count: s.count,
				Spent: time.Duration(s.spent)})
	}

	slices.SortFunc(out.GC.Stops, func(x, y evidence.Stop) int {
		return cmp.Or(cmp.Compare(y.Spent, x.Spent), cmp.Compare(x.Reason, y.Reason))
	})
}
