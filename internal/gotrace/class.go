package gotrace

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// class is the set of goroutines with one start function and creation site. Times are in ns.
type class struct {
	index   int
	start   evidence.Frame
	wrapped bool // start is a wrapper: a later stack shows the real start function
	created stackID

	count, live, peak  int64 // goroutines: all, those that live, and the largest number of these
	batches, batchPeak int64 // batches, and the largest number in the current batch

	// Sums over all goroutines.
	running, queued, calling int64
	waited                   map[string]*int64 // by reason
	lifetime, bursts, busy   latencies

	// Time with one goroutine that wanted a CPU, and the part after others of the batch had ended.
	alone, tail int64
	tailing     bool // some goroutines of the current batch have ended, so that alone counts as tail

	firstBorn, lastBorn int64
	stuck               int64 // goroutines that have long waited at stuckAt
	stuckAt             *site
	members             []evidence.Member

	// Cache of waitSum.
	lastReason string
	lastSum    *int64
}

// classes holds all classes. The first is for goroutines with an unknown start, and for those beyond the limit.
type classes struct {
	list []*class
	by   map[classKey]*class
}

// classKey identifies a class.
type classKey struct {
	start   string
	created stackID
}

func (c *classes) init() {
	c.by = map[classKey]*class{}
	c.class("", 0, evidence.Frame{}) // for unknown starts, and beyond the limit
}

// class returns the class with a start function and a creation site. Beyond the limit it returns the first class.
func (c *classes) class(start string, created stackID, f evidence.Frame) *class {
	key := classKey{start, created}
	if found := c.by[key]; found != nil {
		return found
	}
	if len(c.list) == maxClasses {
		return c.list[0]
	}

	made := &class{index: len(c.list), start: f, wrapped: evidence.IsWrapper(f.Function), created: created,
		waited: map[string]*int64{}}
	c.list = append(c.list, made)
	c.by[key] = made
	return made
}

// add records a new goroutine of the class.
func (c *class) add(now int64) {
	if c.live == 0 {
		c.batches++
		c.batchPeak = 0
		c.tailing = false
	}
	if c.count == 0 {
		c.firstBorn = now
	}

	c.lastBorn = now
	c.count++
	c.live++
	c.peak = max(c.peak, c.live)
	c.batchPeak = max(c.batchPeak, c.live)
}

// remove records that a goroutine ended or changed its class.
func (c *class) remove(_ int64, cpus int) {
	c.live--
	c.tailing = c.live > 0 && c.batchPeak > 1 && c.live < min(c.batchPeak, int64(cpus))
}

// waitSum returns the counter of the waiting time for a reason. It remembers the last one, which is usually asked for
// again.
func (c *class) waitSum(reason string) *int64 {
	if c.lastSum != nil && c.lastReason == reason {
		return c.lastSum
	}
	sum := c.waited[reason]
	if sum == nil {
		sum = new(int64)
		c.waited[reason] = sum
	}
	c.lastReason, c.lastSum = reason, sum
	return sum
}

// addAlone adds time during which only one goroutine, of this class, wanted a CPU.
func (c *class) addAlone(dt int64) {
	c.alone += dt
	if c.tailing {
		c.tail += dt
	}
}

// addEnded adds the times of a goroutine that has ended.
func (c *class) addEnded(g *goroutine, _ int64) {
	c.lifetime.add(g.since - g.born)
	c.busy.add(g.running)
}

// keepMember keeps a goroutine among the members if it ran longer than one of them.
func (c *class) keepMember(g *goroutine, now, start int64) {
	least := -1
	if len(c.members) == maxMembers {
		least = 0
		for i, m := range c.members {
			if m.Running < c.members[least].Running {
				least = i
			}
		}
		if time.Duration(g.running) <= c.members[least].Running {
			return
		}
	}

	m := evidence.Member{
		Born: time.Duration(g.born - start), Ended: time.Duration(now - start), Running: time.Duration(g.running),
		Runnable: time.Duration(g.queued), ChannelWait: time.Duration(g.channels), LockWait: time.Duration(g.locks),
		External: time.Duration(g.external),
	}
	if least < 0 {
		c.members = append(c.members, m)
	} else {
		c.members[least] = m
	}
}

// site is a stack at which goroutines park for one reason.
type site struct {
	reason  string
	op      evidence.Op
	stack   stackID
	count   int64
	queued  int64
	waits   latencies
	pending int64 // total time of waits that have not ended, ns
	wakers  map[stackID]*waker
	classes []*class
	node    int32 // index of the resource plus 1; 0 if there is none yet
	latest  *waker
	wokenAt stackID // stack of latest
}

// waker counts the wake-ups by one site.
type waker struct {
	count int64
	class *class
}

// sites holds all sites.
type sites struct {
	list []*site
	by   map[siteKey]*site
}

// siteKey identifies a site.
type siteKey struct {
	reason string
	stack  stackID
}

func (s *sites) init() { s.by = map[siteKey]*site{} }

// at returns the site with a reason and a stack. Sites beyond the limit are one for each reason.
func (s *sites) at(all *stacks, reason string, stack stackID) *site {
	key := siteKey{reason, stack}
	if found := s.by[key]; found != nil {
		return found
	}
	if len(s.list) >= maxSites { // sites beyond the limit are one for each reason
		key.stack = 0
		if found := s.by[key]; found != nil || len(s.list) >= 2*maxSites {
			return cmp.Or(found, s.list[0])
		}
	}

	made := &site{reason: reason, op: op(reason, all.frames(key.stack)), stack: key.stack, wakers: map[stackID]*waker{}}
	s.list = append(s.list, made)
	s.by[key] = made
	return made
}

// addWaker counts a waker. Stack 0 stands for a timer, the network poller or the runtime.
func (s *site) addWaker(stack stackID, by *class) {
	if s.latest != nil && s.wokenAt == stack {
		s.latest.count++
		return
	}

	w := s.wakers[stack]
	if w == nil {
		if len(s.wakers) == maxWakers {
			return
		}
		w = &waker{class: by}
		s.wakers[stack] = w
	}

	s.latest, s.wokenAt = w, stack
	w.count++
}

// addClass records a class whose goroutines wait here.
func (s *site) addClass(c *class) {
	if len(s.classes) < maxWakers && !slices.Contains(s.classes, c) {
		s.classes = append(s.classes, c)
	}
}

// waitTimes returns the waiting time by reason.
func (c *class) waitTimes() map[string]time.Duration {
	out := make(map[string]time.Duration, len(c.waited))
	for reason := range maps.Keys(c.waited) {
		out[reason] = time.Duration(*c.waited[reason])
	}
	return out
}

// addSpawn counts a started goroutine, up to the limit of sites.
func (a *aggregator) addSpawn(s spawn) {
	if _, ok := a.spawns[s]; ok || len(a.spawns) < maxSites {
		a.spawns[s]++
	}
}
