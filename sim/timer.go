package sim

// Timer is what happens at a time: a goroutine wakes up, or a function is called. Each goroutine has
// one of its own.
type Timer struct {
	slot  int32 // of its event
	owner int32 // CPU on which it was started; its scheduler looks at it
	g     *G
	f     func() // called on the CPU that notices the timer, in place of waking g
	watch func() // called at the very instant, outside of the machine
	link  *Timer
}

// timerQueue holds the timers of a CPU whose time has come and which no CPU has noticed yet.
type timerQueue struct {
	head, tail *Timer
	n          int
}

func (q *timerQueue) push(t *Timer) {
	t.link = nil
	if q.tail == nil {
		q.head = t
	} else {
		q.tail.link = t
	}
	q.tail = t
	q.n++
}

// times is a heap of the times of a CPU's timers, the first of which is due[0]. Timers come to their times in
// order, so that it need not know which is which.
type times []int64

func (h *times) push(at int64) {
	s := append(*h, at)
	i := len(s) - 1
	for i > 0 && s[(i-1)/2] > at {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = at
	*h = s
}

func (h *times) pop() {
	s := *h
	n := len(s) - 1
	at := s[n]
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && s[child+1] < s[child] {
			child++
		}
		if s[child] >= at {
			break
		}
		s[i] = s[child]
		i = child
	}
	s[i] = at
	*h = s[:n]
}

func (k *Kernel) timerSlot(t *Timer) int32 {
	s := k.slot()
	i := int(s) - len(k.cpus)
	if i == len(k.timers) {
		k.timers, k.owners = append(k.timers, nil), append(k.owners, nil)
	}
	k.timers[i], k.owners[i] = t, nil
	return s
}

// later is the time d from now; beyond the end of time it is the end of time.
func (k *Kernel) later(d int64) int64 {
	at := k.now + max(0, d)
	if at < 0 || at == never {
		return never - 1
	}
	return at
}

// after starts a timer on the CPU whose turn it is. If it is the first of this CPU, somebody must wait for it in the
// network poller: maybeAdd, wakeNetPoller.
func (k *Kernel) after(t *Timer, d int64) {
	at, c := k.later(d), k.cpu
	t.owner = c.id
	k.set(t.slot, at)
	if k.unlimited {
		return
	}
	if t.polled() { // it parks on a descriptor, which nobody needs to know
		k.nhear++
		return
	}
	first := c.expired.n == 0 && (len(c.due) == 0 || at < c.due[0])
	c.due.push(at)
	k.armed++
	switch {
	case first && !k.polling:
		k.wakeIdleFrom(c)
	case k.polling && !k.called && at < k.pollUntil: // netpollBreak: it comes, looks around, and sleeps again for less
		c.owed += k.costs.Waker.draw(&k.draws)
		k.callPoller(false)
	}
}

// polled reports whether the timer stands for word from outside.
func (t *Timer) polled() bool { return t.g != nil && t.g.polled }

// NewTimer makes a timer that calls f once when it has been started with [After] and its time has come, on
// whichever CPU notices that: f may make operations that concern no goroutine, such as [TrySend] or [Close].
func (k *Kernel) NewTimer(f func()) *Timer {
	t := &Timer{f: f}
	t.slot = k.timerSlot(t)
	return t
}

// Watch calls f at a time, not before now, between two events. Nothing notices it: no CPU wakes up, and f makes
// no operations. So it may look at anything without disturbing what it sees.
func (k *Kernel) Watch(at int64, f func()) {
	t := &Timer{watch: f}
	t.slot = k.timerSlot(t)
	k.set(t.slot, max(at, k.now))
}

// fire is the event of a timer. It returns a goroutine that goes on at once.
//
// As in Go, timers belong to the CPU where they were started, which looks at them when it schedules; others
// look when they find nothing else. A thread without a CPU waits in the network poller until the first is due, and
// then takes an idle CPU to look. If all are busy, a timer waits until its CPU, or one that is out of work, looks.
func (k *Kernel) fire(t *Timer) *G {
	if t.watch != nil {
		k.forget(t)
		t.watch()
		return nil
	}
	if t == &k.poller {
		return k.pollerWakes()
	}
	if t.g != nil && t.g.then == thenSyscall {
		return k.exitSyscall(t.g)
	}
	c := &k.cpus[t.owner]
	c.expired.push(t)
	k.nexpired++
	k.notice()
	if t.polled() {
		k.nhear--
		k.pollerHears()
		return nil
	}
	c.due.pop() // events come in the order of their times
	k.armed--
	k.callPoller(true)
	return nil
}

// poll is what a thread does that gave up CPU c: if nobody waits in the network poller yet it waits there.
func (k *Kernel) poll(c *cpu, spun bool) {
	if !k.polling && (k.nhear > 0 || len(c.due) > 0 || spun && k.armed > 0) {
		k.polling, k.pollSince, k.pollSpun = true, k.now, spun
		if k.costs.PollGrain > 0 || !k.costs.Waker.none() { // else breaking its sleep would change nothing
			k.pollFrom, k.pollUntil = k.now, never
			for i := range k.cpus {
				if due := k.cpus[i].due; len(due) > 0 {
					k.pollUntil = min(k.pollUntil, due[0])
				}
			}
		}
	}
}

// callPoller lets the thread in the network poller wake up, by itself because a timer is due, or because it is called.
// Until it has, it is still there.
func (k *Kernel) callPoller(due bool) {
	if !k.polling || k.called {
		return
	}
	k.called = true
	k.pollLate = k.latency(k.pollSince)
	wakes := k.now + k.pollLate
	if grain := k.costs.PollGrain; grain > 0 && due {
		// netpoll: it sleeps whole grains of what is left, and at least one, looks, and sleeps again.
		for wakes = k.pollFrom; wakes < k.now; {
			left := k.now - wakes
			wakes += max(grain, left-left%grain) + k.pollLate
		}
	}
	k.pollEnds = wakes - k.pollLate
	k.set(k.poller.slot, wakes)
}

// pollerHears is word from outside: it ends the poller's sleep at once, also where that would go on to the end of a
// grain though a timer is due.
func (k *Kernel) pollerHears() {
	k.callPoller(false)
	if k.polling && k.now < k.pollEnds {
		k.pollEnds = k.now
		k.set(k.poller.slot, k.now+k.pollLate)
	}
}

// pollerWakes is what follows netpoll in findRunnable: the thread takes an idle CPU, if there is one.
func (k *Kernel) pollerWakes() *G {
	k.polling, k.called = false, false
	c := k.unidle()
	if c == nil {
		return nil
	}
	k.decided(didWake, c.id, 1)
	if k.pollSpun {
		k.spin(c)
	} else if c.sliceEnd <= k.now { // as in scheduleFrom
		c.sliceEnd = k.now + slice
	}
	k.cpu, c.mode = c, modeLook
	return k.schedule(c)
}

// runTimers runs the expired timers of p on c, in the order of their times, and reports whether there were any.
func (k *Kernel) runTimers(p, c *cpu) bool {
	q := p.expired
	if q.n == 0 {
		return false
	}
	p.expired = timerQueue{}
	k.nexpired -= q.n
	for t := q.head; t != nil; {
		next := t.link
		t.link = nil
		k.run(t, c)
		t = next
	}
	return true
}

// run lets one timer do what it is for.
func (k *Kernel) run(t *Timer, c *cpu) {
	k.decided(didTimer, c.id, int64(t.slot))
	if t.f == nil {
		k.ready(t.g)
		return
	}
	k.forget(t)
	t.f()
}

// forget gives the slot of a timer back.
func (k *Kernel) forget(t *Timer) {
	k.timers[int(t.slot)-len(k.cpus)] = nil
	k.release(t.slot)
}
