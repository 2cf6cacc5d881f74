package explain

import (
	"regexp"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// outsideLeast is the part of the time for which one waits for what is outside, at least, that is to be named.
const outsideLeast = 0.3

// dependency finds programs that wait for something outside most of the time.
func dependency(v *view) []Finding {
	if v.t == nil || v.wanting(0) < 0.5 || v.unused() < 0.5 {
		return nil
	}
	if v.serves() {
		return nil
	}
	var outside *evidence.Class
	var where []evidence.Frame
	timed := v.timed()
	for _, timers := range []bool{false, true} { // who asks, before who only sleeps beside it
		class, at, calls := v.outside(timers)
		if class == nil {
			continue
		}
		asked := time.Duration(0)
		if w := v.behind(class); w != nil && !v.handles(&v.t.Classes[w.Classes[0]]) {
			class, at, asked = &v.t.Classes[w.Classes[0]], w.Stack, w.Waited
			calls = w.Count / int64(max(1, class.Peak))
		}
		outside, where = class, at
		if timed || isMain(class) && v.mainAccepts() {
			break // whoever asks meanwhile; nor does a trace tell who speaks first
		}
		if f, ok := v.stopAndWait(class, calls, asked); ok {
			return []Finding{f}
		}
	}
	if outside == nil {
		return nil
	}
	f := v.finding(DependencyWait, "Nothing runs for %s of the time: %s %s for something outside.",
		percent(v.wanting(0)), v.name(outside), verb(outside, "waits", "wait"))
	f.Where = v.p.places(where)
	f.Share = v.wanting(0)
	f.says("no goroutine wanted a CPU for %s of %s", span(v.t.Demand.For[0]), span(v.t.Duration))
	if at, ok := v.p.ours(where); ok {
		f.says("it waits at %s", v.quoted(at))
	}
	f.Rival = "It waits for work, as a server does: then there is nothing to gain."
	if isMain(outside) && v.mainAccepts() {
		f.Confidence = Low
	}
	if timed {
		f.Rival = "It is meant to last that long, as a test of load does: what counts is how much is done meanwhile."
	}
	f.Fix = "Make what it waits for faster, ask for several things at once, or do other work meanwhile."
	f.Experiment = "Let the other side answer at once: what remains is the program's own time."
	return []Finding{f}
}

// timedFull is the part of the time for which the main goroutine waits for timers, at least, that end a run.
const timedFull = 0.85

// timed reports whether it seems to be timers of the main goroutine that keep the run, whatever others do meanwhile:
// waits of which each comes once at its place. Who looks at a clock again and again waits for something else.
func (v *view) timed() bool {
	waited := time.Duration(0)
	for i := range v.t.Waits {
		if w := &v.t.Waits[i]; w.Count == 1 && v.ofMain(w) &&
			(w.Op == evidence.OpSleep || v.clocked(w) || v.awaitsClock(w)) {
			waited += w.Waited + w.Pending
		}
	}
	return v.traced(waited) >= timedFull
}

var clocks = regexp.MustCompile(`^[^/]*<-[^/]*(time\.After\(|\.C\b)`)

// awaitsClock reports whether a wait that the trace ends in is one for a timer by its source: what would have ended it
// is not known, nor, of a context, whether it has a deadline.
func (v *view) awaitsClock(w *evidence.Wait) bool {
	if w.Op != evidence.OpReceive || w.Pending == 0 {
		return false
	}
	at, ok := v.p.ours(w.Stack)
	return ok && clocks.MatchString(v.p.line(at))
}

// ofMain reports whether the main goroutine waits there.
func (v *view) ofMain(w *evidence.Wait) bool {
	return slices.ContainsFunc(w.Classes, func(i int) bool { return isMain(&v.t.Classes[i]) })
}

// outside is the class that waits longest for what is not in the program: a sleep, the network, a system call that
// blocks. Calls is how often it does. Without timers it is the network and system calls only.
func (v *view) outside(timers bool) (class *evidence.Class, where []evidence.Frame, calls int64) {
	longest := time.Duration(0)
	unended := false
	look := func(is func(w *evidence.Wait, c *evidence.Class) bool) {
		for i := range v.t.Waits {
			w := &v.t.Waits[i]
			if len(w.Classes) == 0 {
				continue
			}
			c := &v.t.Classes[w.Classes[0]]
			if !is(w, c) || hooked(c.Start) || v.handles(c) || accepts(w.Stack) {
				continue
			}
			waited, turns := w.Waited, w.Count
			if unended {
				waited, turns = waited+w.Pending, 0 // one of them is long
			}
			if each := waited / time.Duration(max(1, c.Peak)); each > longest {
				longest, class, where, calls = each, c, w.Stack, turns/int64(max(1, c.Peak))
				if w.Op != evidence.OpSleep && w.Op != evidence.OpNetwork { // a ticker is asked for nothing
					calls = 0
				}
			}
		}
	}
	look(func(w *evidence.Wait, c *evidence.Class) bool {
		return w.Op == evidence.OpNetwork || timers && (w.Op == evidence.OpSleep || isMain(c) && v.clocked(w))
	})
	for i := range v.t.Calls {
		c := &v.t.Calls[i]
		k := &v.t.Classes[c.Class]
		if each := c.Spent / time.Duration(max(1, k.Peak)); c.Each.P50 >= blockLong && each > longest &&
			!hooked(k.Start) && !v.handles(k) {
			longest, class, where, calls = each, k, c.Stack, c.Count/int64(max(1, k.Peak))
		}
	}
	// timers of other goroutines are often beside the point: a page that is drawn now and then
	if timers && v.traced(longest) < outsideLeast {
		look(func(w *evidence.Wait, _ *evidence.Class) bool { return v.clocked(w) })
	}
	if v.traced(longest) < outsideLeast { // connections that are kept wait until the end, too: first who got an answer
		unended = true
		look(func(w *evidence.Wait, c *evidence.Class) bool {
			return w.Op == evidence.OpNetwork && v.p.own(c.Start) || timers && w.Op == evidence.OpSleep
		})
	}
	if v.traced(longest) < outsideLeast {
		return nil, nil, 0
	}
	return class, where, calls
}

// behind is where goroutines of the program wait longest, in a library, for a library's goroutine of a class to bring
// what that reads from outside.
func (v *view) behind(c *evidence.Class) *evidence.Wait {
	var longest *evidence.Wait
	for i := range v.t.Waits {
		w := &v.t.Waits[i]
		if by := v.brought(w); by == c && (longest == nil || w.Waited > longest.Waited) {
			longest = w
		}
	}
	return longest
}

// brought is the class of a library's goroutines that ends a wait in this library, of goroutines of the program; nil if
// it is no such wait. Those who wait for a connection of a pool are ended by each other, or by a connection that is
// given back.
func (v *view) brought(w *evidence.Wait) *evidence.Class {
	if w.Op != evidence.OpReceive && w.Op != evidence.OpSelect || len(w.Classes) == 0 || has(w.Stack, pools...) {
		return nil
	}
	in := slices.IndexFunc(w.Stack, func(f evidence.Frame) bool { return !startsWith(f.Function, "runtime.") })
	if _, ok := v.p.ours(w.Stack); !ok || v.p.own(w.Stack[in]) {
		return nil
	}
	all, most := int64(0), int64(0)
	var by *evidence.Class
	counts := map[*evidence.Class]int64{}
	for _, k := range w.Wakers {
		all += k.Count
		if k.Class < 0 || slices.Contains(w.Classes, k.Class) {
			continue
		}
		c := &v.t.Classes[k.Class]
		if counts[c] += k.Count; counts[c] > most && !v.p.own(c.Start) && !hooked(c.Start) &&
			c.Waiting["network"] >= v.t.Duration/10 {
			by, most = c, counts[c]
		}
	}
	if 4*most < all { // a request is sent by one and its answer read by another: each ends a wait
		return nil
	}
	return by
}

// clocked reports whether a wait in a select or for a channel is one for a timer, or for a context that has one: nine
// times of ten no goroutine of the program sent.
func (v *view) clocked(w *evidence.Wait) bool {
	if w.Op != evidence.OpSelect && w.Op != evidence.OpReceive {
		return false
	}
	var all, timed int64
	for _, k := range w.Wakers {
		all += k.Count
		if k.Class < 0 || startsWith(v.t.Classes[k.Class].Start.Function, "context.WithDeadline") {
			timed += k.Count
		}
	}
	return all > 0 && timed*10 >= all*9
}

// serves reports whether the program waits for others to connect: idle then is waiting for work.
func (v *view) serves() bool {
	waits := slices.ContainsFunc(v.t.Waits, func(w evidence.Wait) bool { return w.Count > 0 && accepts(w.Stack) })
	if !waits && !v.accepting() || v.mainAsks() {
		return false
	}
	return !slices.ContainsFunc(v.t.Waits, func(w evidence.Wait) bool {
		return has(w.Stack, "net.(*sysDialer)", "net/http.(*persistConn)", "net/http.(*Client)")
	})
}

// mainAccepts reports whether the main goroutine accepts connections: what it then waits for may be requests, as a
// server's, or the answers of its workers.
func (v *view) mainAccepts() bool {
	return slices.ContainsFunc(v.t.Waits, func(w evidence.Wait) bool { return accepts(w.Stack) && v.ofMain(&w) })
}

// mainAsks reports whether the main goroutine waits for what others say most of the time: the other side is in the
// program, or it has a side that serves.
func (v *view) mainAsks() bool {
	for i := range v.t.Waits {
		w := &v.t.Waits[i]
		if v.ofMain(w) && v.traced(w.Waited) >= outsideLeast && (w.Op == evidence.OpNetwork && !accepts(w.Stack) ||
			v.brought(w) != nil) {
			return true
		}
	}
	return false
}

// handles reports whether a class was started by what accepts connections: it waits for others to ask.
func (v *view) handles(c *evidence.Class) bool {
	by, ok := v.p.ours(c.Created)
	return ok && slices.ContainsFunc(v.t.Waits, func(w evidence.Wait) bool {
		at, ok := v.p.ours(w.Stack)
		return ok && at.Function == by.Function && accepts(w.Stack)
	})
}

// stopAndWait is a goroutine that asks over the network and waits for the answer before it asks again: so many turns,
// and for so long by way of a library's goroutine that reads it.
func (v *view) stopAndWait(c *evidence.Class, turns int64, asked time.Duration) (Finding, bool) {
	sent := int64(0)
	var at evidence.Frame
	for _, k := range v.t.Calls {
		if &v.t.Classes[k.Class] == c && has(k.Stack, "net.(*conn).Write", "internal/poll.(*FD).Write") {
			sent += k.Count
			if here, ok := v.p.ours(k.Stack); ok {
				at = here
			}
		}
	}
	each := sent / int64(max(1, c.Peak))
	if c.Waiting["chan receive"]+c.Waiting["select"]-asked > (c.Waiting["network"]+asked)/5 {
		return Finding{}, false // it waits for work as well: the next request is not there yet
	}
	if turns < 20 || each < 10 || float64(each) > 3*float64(turns) || float64(turns) > 3*float64(each) ||
		at.File == "" {
		return Finding{}, false
	}
	f := v.finding(StopAndWait, "%s one request, %s for the answer, and only then %s the next.",
		capital(v.name(c))+" "+verb(c, "sends", "each send"), verb(c, "waits", "wait"), verb(c, "sends", "send"))
	f.Where = []string{v.p.at(at)}
	f.Share = v.wanting(0)
	left := v.floor()
	most := 1 - left
	f.Gain = gain(0.85*most, 0.4*most, most)
	f.says("%d requests and %d waits for answers, in turns", each, turns)
	f.says("no goroutine wanted a CPU for %s of the time", percent(v.wanting(0)))
	f.says("%s", v.quoted(at))
	f.Rival = "Each request needs the answer to the one before."
	f.Fix = "Send without waiting and let another goroutine receive, with a bound on what is outstanding; or send " +
		"several in one message."
	f.Experiment = "Allow two outstanding requests: if the time halves, the wait was the limit."
	return f, true
}
