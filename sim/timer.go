package sim

// Timer is what happens at a time: a goroutine wakes up, or a function is called. Each goroutine has
// one of its own.
type Timer struct {
	slot  int32 // of its event
	owner int32 // CPU on which it was started; its scheduler looks at it
	g     *G
	f     func() // called on the CPU that notices the timer, in place of waking g
	link  *Timer
}

// timerQueue holds the timers whose time has come and which no CPU has noticed yet.
type timerQueue struct {
	head, tail *Timer
	n          int
}

func (k *Kernel) timerSlot(t *Timer) int32 {
	s := k.slot()
	i := int(s) - len(k.cpus)
	if i == len(k.timers) {
		k.timers = append(k.timers, nil)
	}
	k.timers[i] = t
	return s
}

// after starts a timer.
func (k *Kernel) after(t *Timer, d int64) {
	t.owner = k.cpu.id
	k.set(t.slot, k.later(d))
}

// later is the time d from now; beyond the end of time it is the end of time.
func (k *Kernel) later(d int64) int64 {
	at := k.now + max(0, d)
	if at < 0 || at == never {
		return never - 1
	}
	return at
}

// NewTimer makes a timer that calls f once when it has been started with [After] and its time has come, on
// whichever CPU notices that: f may make operations that do not park.
func (k *Kernel) NewTimer(f func()) *Timer {
	t := &Timer{f: f}
	t.slot = k.timerSlot(t)
	return t
}

// fire is the event of a timer. It returns a goroutine that goes on at once, which only one that
// comes back from a system call does.
//
// As in Go, timers belong to the CPU where they were started, which looks at them when it schedules. An
// idle CPU, whose thread waits in the network poller until the earliest, takes any; if all are
// busy, a timer waits until its CPU, or one that is out of work, looks.
func (k *Kernel) fire(t *Timer) *G {
	if k.unlimited {
		return k.goOn(t)
	}
	if t.g != nil && t.g.then == thenSyscall {
		return k.exitSyscall(t.g)
	}
	t.link = nil
	if k.expired.tail == nil {
		k.expired.head = t
	} else {
		k.expired.tail.link = t
	}
	k.expired.tail = t
	k.expired.n++
	if k.timerWaker != nil || k.notice() {
		return nil
	}
	if c := k.unidle(); c != nil {
		k.timerWaker = c
		k.spin(c)
		k.wake(c)
	}
	return nil
}

// runTimers runs the expired timers of a CPU, or of all, in the order of their times.
func (k *Kernel) runTimers(c *cpu, all bool) {
	q := k.expired
	k.expired = timerQueue{}
	for t := q.head; t != nil; {
		next := t.link
		t.link = nil
		switch {
		case all || t.owner == c.id:
			k.run(t, c)
		case k.expired.tail == nil:
			k.expired.head, k.expired.tail, k.expired.n = t, t, 1
		default:
			k.expired.tail.link = t
			k.expired.tail = t
			k.expired.n++
		}
		t = next
	}
}

// run lets one timer do what it is for.
func (k *Kernel) run(t *Timer, c *cpu) {
	k.decided(didTimer, c.id, int64(t.slot))
	if t.f == nil {
		k.ready(t.g)
		return
	}
	k.timers[int(t.slot)-len(k.cpus)] = nil
	k.release(t.slot)
	t.f()
}
