package sim

// Timer is an event at a time: a goroutine wakes up, or a function is called. Each goroutine has one of its own.
type Timer struct {
	slot  int32 // of its event
	owner int32 // the CPU on which it was started; its scheduler checks it
	g     *G
	f     func() // called on the CPU that notices the timer, in place of waking g
	watch func() // called at the exact time, outside of the machine
	link  *Timer
}

// timerQueue holds the timers of a CPU that have expired and that no CPU has noticed yet.
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

// times is a heap of the times of a CPU's timers, with the first at due[0]. Timers expire in order, so it need not
// know which time belongs to which.
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

// timerSlot returns a new slot for a timer.
func (k *Kernel) timerSlot(t *Timer) int32 {
	s := k.slot()
	i := int(s) - len(k.cpus)
	if i == len(k.timers) {
		k.timers, k.owners = append(k.timers, nil), append(k.owners, nil)
	}
	k.timers[i], k.owners[i] = t, nil
	return s
}

// later returns the time d from now, at most the end of time.
func (k *Kernel) later(d int64) int64 {
	at := k.now + max(0, d)
	if at < 0 || at == never {
		return never - 1
	}
	return at
}

// after starts a timer on the CPU that has its turn. If it is the first one of this CPU, a thread must wait for it in
// the network poller: maybeAdd, wakeNetPoller.
func (k *Kernel) after(t *Timer, d int64) {
	at, c := k.later(d), k.cpu
	t.owner = c.id
	k.set(t.slot, at)
	if k.unlimited {
		return
	}
	if t.polled() { // it parks on a descriptor, which no other thread needs to know
		k.nhear++
		return
	}
	first := c.expired.n == 0 && (len(c.due) == 0 || at < c.due[0])
	c.due.push(at)
	k.armed++
	switch {
	case first && !k.polling:
		k.wakeIdleFrom(c)
	case k.polling && !k.called && at < k.pollUntil: // netpollBreak ends its sleep early
		c.owed += k.costs.Waker.draw(&k.draws)
		k.callPoller(false)
	}
}

// polled reports whether the timer stands for network input.
func (t *Timer) polled() bool { return t.g != nil && t.g.polled }

// NewTimer creates a timer that calls f once after it has been started with [After] and its time has come, on the CPU
// that notices it. f may make operations that concern no goroutine, such as [TrySend] or [Close].
func (k *Kernel) NewTimer(f func()) *Timer {
	t := &Timer{f: f}
	t.slot = k.timerSlot(t)
	return t
}

// Watch calls f at a time, not before now, between two events. The machine does not notice it: no CPU wakes up, and f
// must make no operation. So f can observe everything without a disturbance.
func (k *Kernel) Watch(at int64, f func()) {
	t := &Timer{watch: f}
	t.slot = k.timerSlot(t)
	k.set(t.slot, max(at, k.now))
}

// fire handles the event of a timer. It returns a goroutine that continues at once, or nil.
//
// As in Go, timers belong to the CPU that started them, which checks them when it schedules. Other CPUs check them
// when they find nothing else. A thread without a CPU waits in the network poller until the first timer is due, and
// then takes an idle CPU to look for work. If all CPUs are in use, a timer waits until its CPU, or one without work,
// checks it.
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

// poll is what the thread that gave up CPU c does: it waits in the network poller if no thread does.
func (k *Kernel) poll(c *cpu, spun bool) {
	if !k.polling && (k.nhear > 0 || len(c.due) > 0 || spun && k.armed > 0) {
		k.polling, k.pollSince, k.pollSpun = true, k.now, spun
		if k.costs.PollGrain > 0 || !k.costs.Waker.none() { // otherwise ending its sleep early would change nothing
			k.pollFrom, k.pollUntil = k.now, never
			for i := range k.cpus {
				if due := k.cpus[i].due; len(due) > 0 {
					k.pollUntil = min(k.pollUntil, due[0])
				}
			}
		}
	}
}

// callPoller wakes the thread in the network poller, either because a timer is due or because another thread calls
// it. It stays in the poller until it has woken up.
func (k *Kernel) callPoller(due bool) {
	if !k.polling || k.called {
		return
	}
	k.called = true
	k.pollLate = k.latency(k.pollSince)
	wakes := k.now + k.pollLate
	if grain := k.costs.PollGrain; grain > 0 && due {
		// netpoll sleeps whole grains of the time left, at least one, checks, and sleeps again.
		for wakes = k.pollFrom; wakes < k.now; {
			left := k.now - wakes
			wakes += max(grain, left-left%grain) + k.pollLate
		}
	}
	k.pollEnds = wakes - k.pollLate
	k.set(k.poller.slot, wakes)
}

// pollerHears is network input. It ends the poller's sleep at once, even if that would last to the end of a grain
// although a timer is due.
func (k *Kernel) pollerHears() {
	k.callPoller(false)
	if k.polling && k.now < k.pollEnds {
		k.pollEnds = k.now
		k.set(k.poller.slot, k.now+k.pollLate)
	}
}

// pollerWakes is the end of netpoll in findRunnable: the thread takes an idle CPU, if there is one.
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
	k.cpu, c.mode = c, modeSchedule
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

// run wakes the goroutine of a timer, or calls its function.
func (k *Kernel) run(t *Timer, c *cpu) {
	k.decided(didTimer, c.id, int64(t.slot))
	if t.f == nil {
		k.ready(t.g)
		return
	}
	k.forget(t)
	t.f()
}

// forget releases the slot of a timer.
func (k *Kernel) forget(t *Timer) {
	k.timers[int(t.slot)-len(k.cpus)] = nil
	k.release(t.slot)
}
