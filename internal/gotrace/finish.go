package gotrace

import (
	"cmp"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// finish returns the summary of all events.
func (t *aggregator) finish() *evidence.Trace {
	t.resources.advance(0, false)
	t.survivors()
	duration := t.now - t.start
	out := &evidence.Trace{
		Duration: time.Duration(duration), CPUs: max(t.most, t.cpus), Events: t.events,
		Demand: t.demand.export(duration),
		Idle:   time.Duration(t.used.idle), Running: time.Duration(t.used.user),
		Searching:  time.Duration(t.used.searching),
		Background: time.Duration(t.used.system),
		WakeIdle:   t.queueing[0].export(), WakeBusy: t.queueing[1].export(), Scheduling: t.queueing[2].export(),
	}

	t.exportClasses(out)
	t.exportSites(out)
	t.exportResources(out)
	t.exportGC(out)
	return out
}

// survivors adds the times of the goroutines that live at the end. Waits that have not ended are counted separately.
func (t *aggregator) survivors() {
	long := (t.now - t.start) / 10
	stuck := map[*class]map[*site]int64{}
	for _, g := range t.goroutines {
		if g.kind != userKind {
			continue
		}
		if g.state == waiting && g.site != nil && t.now-g.since >= long {
			if stuck[g.class] == nil {
				stuck[g.class] = map[*site]int64{}
			}
			stuck[g.class][g.site]++
		}
		if g.state != waiting {
			t.addTime(g)
		} else if g.site != nil {
			*g.class.waitSum(g.site.reason) += t.now - g.since
			g.site.pending += t.now - g.since
		}
		g.class.keepMember(g, t.now, t.start)
	}

	for c, at := range stuck {
		for s, n := range at {
			if n > c.stuck || n == c.stuck && s.stack < c.stuckAt.stack {
				c.stuck, c.stuckAt = n, s
			}
		}
	}
}

func (t *aggregator) exportClasses(out *evidence.Trace) {
	at := map[*site]int{}
	for i, s := range t.sites.list {
		at[s] = i
	}

	for _, c := range t.classes.list {
		stuckAt := -1
		if c.stuckAt != nil {
			stuckAt = at[c.stuckAt]
		}
		system, _ := isSystem(c.start.Function)
		if system {
			c.count, c.running, c.queued, c.calling, c.alone = 0, 0, 0, 0, 0
		}
		slices.SortFunc(c.members, func(a, b evidence.Member) int { return cmp.Compare(b.Running, a.Running) })
		out.Classes = append(out.Classes, evidence.Class{
			Start: c.start, Created: t.stacks.frames(c.created), Count: c.count, Peak: int(c.peak),
			Running: time.Duration(c.running), Runnable: time.Duration(c.queued), Waiting: c.waitTimes(),
			Syscall: time.Duration(c.calling), Lifetime: c.lifetime.export(), Bursts: c.bursts.export(),
			Busy:  c.busy.export(),
			Alone: time.Duration(c.alone), Tail: time.Duration(c.tail), Batches: c.batches,
			First: time.Duration(max(0, c.firstBorn-t.start)), Last: time.Duration(max(0, c.lastBorn-t.start)),
			Alive: c.live, Stuck: c.stuck, StuckAt: stuckAt, Members: c.members,
		})
	}

	for s, n := range t.spawns {
		out.Spawns = append(out.Spawns, evidence.Spawn{Stack: t.stacks.frames(s.stack), Class: s.class.index, Count: n})
	}

	slices.SortFunc(out.Spawns, func(a, b evidence.Spawn) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class))
	})
}

func (t *aggregator) exportSites(out *evidence.Trace) {
	for _, s := range t.sites.list {
		w := evidence.Wait{
			Reason: s.reason, Op: s.op, Stack: t.stacks.frames(s.stack), Count: s.count,
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
			w.Wakers = append(w.Wakers, evidence.Waker{Stack: t.stacks.frames(stack), Count: k.count, Class: class})
		}
		slices.SortFunc(w.Wakers, func(a, b evidence.Waker) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class), compareStacks(a.Stack, b.Stack))
		})
		out.Waits = append(out.Waits, w)
	}

	for stack, c := range t.calls {
		out.Syscalls = append(out.Syscalls, evidence.SyscallSite{
			Stack: t.stacks.frames(stack), Count: c.each.count, Spent: time.Duration(c.each.sum), Lost: c.lost,
			Each:  c.each.export(),
			Class: c.class.index,
		})
	}

	slices.SortFunc(out.Syscalls, func(a, b evidence.SyscallSite) int {
		return cmp.Or(cmp.Compare(b.Spent, a.Spent), compareStacks(a.Stack, b.Stack))
	})
}

func compareStacks(a, b []evidence.Frame) int {
	return slices.CompareFunc(a, b, func(a, b evidence.Frame) int {
		return cmp.Or(cmp.Compare(a.Function, b.Function), cmp.Compare(a.Line, b.Line))
	})
}

func (t *aggregator) exportResources(out *evidence.Trace) {
	waits := map[stackID][]int{}
	for i, s := range t.sites.list {
		waits[s.stack] = append(waits[s.stack], i)
	}

	place := map[int32]int{}
	for i := range t.resources.nodes {
		n := &t.resources.nodes[i]
		root := t.resources.find(int32(i) << 1)
		at, ok := place[root]
		if !ok {
			at = len(out.Resources)
			place[root] = at
			out.Resources = append(out.Resources, t.resource(&t.resources.nodes[root]))
		}
		r := &out.Resources[at]
		r.Sites = append(r.Sites, t.stacks.frames(n.stack))
		r.Waits = append(r.Waits, waits[n.stack]...)
	}

	slices.SortStableFunc(out.Resources, func(a, b evidence.Resource) int { return cmp.Compare(b.Busy, a.Busy) })
}

func (t *aggregator) resource(n *node) evidence.Resource {
	for s := range n.sides {
		n.sides[s].flush(&t.resources)
	}
	n.any.flush(&t.resources)
	return evidence.Resource{
		Kind: n.kind, Busy: time.Duration(n.any.busy), Starved: time.Duration(n.any.starved), Count: n.any.count,
		Full: time.Duration(n.sides[0].busy), FullCount: n.sides[0].count,
		Empty: time.Duration(n.sides[1].busy), EmptyCount: n.sides[1].count,
		Holds: n.holds.export(), HeldRunning: time.Duration(n.heldRan),
	}
}

func (t *aggregator) exportGC(out *evidence.Trace) {
	if t.gc.markedFrom >= 0 {
		t.gc.marking += t.now - t.gc.markedFrom
	}

	out.GC = evidence.GC{
		Marking: time.Duration(t.gc.marking), Assists: time.Duration(t.gc.assists),
		Workers: time.Duration(t.used.collector),
		Cycles:  t.gc.cycles, Stopped: time.Duration(t.gc.stops.sum), StopLatency: t.gc.stops.export(),
	}

	for k, s := range t.gc.reasons {
		out.GC.Stops = append(out.GC.Stops,
			evidence.Stop{Reason: k.reason, Stack: t.stacks.frames(k.stack), Count: s.count,
				Spent: time.Duration(s.spent)})
	}

	slices.SortFunc(out.GC.Stops, func(a, b evidence.Stop) int {
		return cmp.Or(cmp.Compare(b.Spent, a.Spent), cmp.Compare(a.Reason, b.Reason))
	})
}
