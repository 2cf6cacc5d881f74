package gotrace

import "github.com/brewput/brewput/evidence"

// addQueueing adds the time that a goroutine was runnable.
func (a *aggregator) addQueueing(g *goroutine, waited int64) {
	if g.kind != userKind {
		return
	}

	a.queueing[2].add(waited)
	if !g.woken {
		return
	}
	if g.idle {
		a.queueing[0].add(waited)
	} else {
		a.queueing[1].add(waited)
	}
	if g.site != nil {
		g.site.queued += waited
	}
}

// setState changes the state of a goroutine and adds the time in the old one.
func (a *aggregator) setState(g *goroutine, to state) {
	a.leave(g, g.state)
	a.addTime(g)
	if a.now > g.burst && g.burst > 0 && to != inSyscall && to != running {
		g.class.bursts.add(a.now - g.burst)
		g.burst = 0
	}
	g.state, g.since = to, a.now
	a.enter(g, to)
}

// addTime adds the time since the last change to the sums of the current state.
func (a *aggregator) addTime(g *goroutine) {
	d := a.now - g.since
	switch g.state {
	case runnable:
		g.queued += d
		g.class.queued += d
	case running:
		g.running += d
		g.class.running += d
	case inSyscall:
		g.running += d
		g.class.running += d
		g.class.calling += d
	case inSyscallNoCPU:
		g.external += d
		g.class.calling += d
	case waiting:
		a.addWait(g, d)
	}
}

// addWait adds a wait of d ns that ended.
func (a *aggregator) addWait(g *goroutine, d int64) {
	if g.site == nil {
		*g.class.waitSum("other") += d
		return
	}

	g.site.waits.add(d)
	*g.class.waitSum(g.site.reason) += d
	switch g.site.op {
	case evidence.OpSend, evidence.OpReceive, evidence.OpSelect:
		g.channels += d
	case evidence.OpMutex, evidence.OpRWMutex, evidence.OpWaitGroup, evidence.OpCond:
		g.locks += d
	case evidence.OpSleep, evidence.OpNetwork:
		g.external += d
	}
}

// leave and enter count the goroutines that want a CPU, and those that have one.
func (a *aggregator) leave(g *goroutine, s state) { a.count(g, s, -1) }

func (a *aggregator) enter(g *goroutine, s state) { a.count(g, s, 1) }

// count changes the numbers of goroutines that want and have a CPU.
func (a *aggregator) count(g *goroutine, s state, by int) {
	if s != runnable && s != running && s != inSyscall {
		return
	}

	has := s != runnable
	switch {
	case g.kind == userKind:
		a.demand.wants += by
		a.demand.alone += by * g.class.index
		if has {
			a.demand.runs += by
			a.used.users += by
		}
	case has && g.kind == systemKind:
		a.used.systems += by
	case has:
		a.used.collectors += by
	}
}
