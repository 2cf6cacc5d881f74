package explain

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Thresholds of input and output. The starting values are those of reviewed cases of one-byte reads and row-wise writes.
const (
	ioShare      = 0.15                  // of the goroutines' CPU time spent on small calls
	ioBytes      = 512.0                 // a call that moves fewer is small
	ioBuffer     = 4096.0                // what package bufio moves at once
	ioRate       = 2000.0                // calls/s below which a call is no habit
	ioShort      = 5 * time.Microsecond  // a call that copies no more than a page takes less
	outsideLeast = 0.3                   // of the time one waits for what is outside
	blockShare   = 0.3                   // of the time in calls that block
	blockLong    = 20 * time.Microsecond // after about which the runtime takes the CPU away (sysmon, runtime/proc.go)
)

// transfers are the functions that move bytes, as the program calls them.
var transfers = []string{"os.(*File).Read", "os.(*File).Write", "os.(*File).ReadAt", "os.(*File).WriteAt", "os.(*File).WriteString", "net.(*conn).Read", "net.(*conn).Write", "syscall.Read", "syscall.Write", "syscall.Pread", "syscall.Pwrite", "internal/poll.(*FD).Read", "internal/poll.(*FD).Write"}

// transfer is the outermost function of a stack that moves bytes, and the place where the program calls for it.
func (p *Program) transfer(stack []Frame) (call int, at Frame, ok bool) {
	call = -1
	for i, f := range stack {
		if startsWith(f.Function, transfers...) {
			call = i
		}
	}
	if call < 0 {
		return call, at, false
	}
	at, ok = p.ours(stack[call:])
	return call, at, ok
}

func writes(function string) bool {
	return strings.Contains(function, ".Write") || strings.Contains(function, "Pwrite")
}

// unbufferedIO finds places that move few bytes with each system call.
func unbufferedIO(v *view) []Finding {
	var out []Finding
	for _, g := range v.ioGroups() {
		i, at, ok := v.p.transfer(g.sample)
		if !ok {
			continue
		}
		name := g.sample[i].Function
		count, each, classCount := v.callsAt(at)
		bytes, known := v.bytesPerCall(writes(name))
		buffered := has(g.sample, "bufio.")
		rate := v.callRate(writes(name), count)
		switch {
		case g.share < ioShare || rate < ioRate,
			known && bytes > ioBytes,
			!known && (buffered || each > ioShort),
			v.talks(at, classCount):
			continue
		}
		out = append(out, v.unbuffered(g, at, name, bytes, known, rate, count, each))
		break
	}
	return out
}

func (v *view) unbuffered(g group, at Frame, name string, bytes float64, known bool, rate float64, count int64, each time.Duration) Finding {
	kept := 1 / 16.0 // where the size is not known, so much of the calls is taken to remain
	if known {
		kept = math.Min(0.5, math.Max(bytes, 1)/ioBuffer)
	}
	verb, reader := "reads", "bufio.NewReader"
	if writes(name) {
		verb, reader = "writes", "bufio.NewWriter, flushed at the end"
	}
	size := "few bytes"
	if known {
		size = plainly(bytes) + " bytes"
	}
	f := v.finding("unbuffered-io", "%s %s %s with each system call.", v.p.at(at), verb, size)
	f.Where = []string{v.p.at(at)}
	f.Share = g.share
	d := v.shareDoubt(g.share)
	b := v.busy() * (1 - kept)
	f.Gain = gain(g.share*b, (g.share-d)*b*0.9, (g.share+d)*b*1.05)
	f.Confidence = High
	f.says("%s of the goroutines' CPU time is in or below %s, called at %s", percent(g.share), short(name), v.quoted(at))
	f.says("%.0f calls a second, %s each", rate, size)
	if count > 0 {
		f.says("the trace has %d calls there, half of them shorter than %s", count, span(each))
	}
	f.Rival = "The other side wants each piece at once, so that it must not wait in a buffer."
	f.Fix = "Put " + reader + " in between: one call moves " + plainly(ioBuffer) + " bytes."
	f.Experiment = "Buffer it and count the system calls: they should fall to " + percent(math.Max(kept, 0.001)) + ", and the time with them."
	return f
}

// ioGroups are the places that spend most CPU time on moving bytes; without a profile, those of the trace's calls.
func (v *view) ioGroups() []group {
	if v.sampled() {
		return v.cpu.groups(func(w *weighed) (Frame, bool) {
			_, at, ok := v.p.transfer(w.stack)
			return at, ok && w.root != ""
		})
	}
	if v.t == nil {
		return nil
	}
	var out []group
	for _, c := range v.t.Calls {
		if _, at, ok := v.p.transfer(c.Stack); ok && c.Each.P50 < blockLong {
			out = append(out, group{at: at, share: float64(c.Spent) / float64(max(1, v.running())), sample: c.Stack})
		}
	}
	return out
}

// callsAt are the calls that the trace has for a place of the program, and the class that makes them.
func (v *view) callsAt(at Frame) (count int64, each time.Duration, class *Class) {
	if v.t == nil {
		return 0, 0, nil
	}
	most := int64(0)
	for _, c := range v.t.Calls {
		if _, here, ok := v.p.transfer(c.Stack); ok && here == at {
			count += c.Count
			if c.Count > most {
				most, each = c.Count, c.Each.P50
				class = &v.t.Classes[c.Class]
			}
		}
	}
	return count, each, class
}

// bytesPerCall is what the kernel counted for the process.
func (v *view) bytesPerCall(write bool) (float64, bool) {
	if v.run == nil {
		return 0, false
	}
	calls, bytes := v.run.Reads, v.run.ReadBytes
	if write {
		calls, bytes = v.run.Writes, v.run.WriteBytes
	}
	if calls <= 0 || bytes < 0 {
		return 0, false
	}
	return float64(bytes) / float64(calls), true
}

func (v *view) callRate(write bool, traced int64) float64 {
	if v.run != nil && v.wall > 0 {
		n := v.run.Reads
		if write {
			n = v.run.Writes
		}
		if n > 0 {
			return float64(n) / v.wall
		}
	}
	if v.t != nil {
		return float64(traced) / v.t.Duration.Seconds()
	}
	return math.Inf(1)
}

// talks reports whether the calls of a place are one side of a conversation: who makes them waits for an answer
// about as often, and no buffer may keep what the other side is to answer.
func (v *view) talks(at Frame, c *Class) bool {
	if v.t == nil || c == nil {
		return false
	}
	waits := int64(0)
	for _, w := range v.t.Waits {
		if w.Op == OpNetwork && slices.ContainsFunc(w.Classes, func(i int) bool { return &v.t.Classes[i] == c }) {
			waits += w.Count
		}
	}
	count, _, _ := v.callsAt(at)
	return count > 0 && float64(waits) > 0.3*float64(count)
}

// blockingCalls finds system calls that keep threads waiting.
func blockingCalls(v *view) []Finding {
	if v.t == nil {
		return nil
	}
	var spent time.Duration
	var worst *Calls
	var lost, count int64
	for i := range v.t.Calls {
		c := &v.t.Calls[i]
		if at, ok := v.p.ours(c.Stack); c.Each.P50 < blockLong || c.Count < 20 || !ok || hooked(at) || has(c.Stack, "os.(*Process)", "os/exec.") {
			continue
		}
		spent += c.Spent
		lost += c.Lost
		count += c.Count
		if worst == nil || c.Spent > worst.Spent {
			worst = c
		}
	}
	if worst == nil || v.traced(spent) < blockShare || v.unused() < blockShare {
		return nil
	}
	at, _ := v.p.ours(worst.Stack)
	f := v.finding("blocking-syscall", "System calls made at %s block their threads for %s each.", v.p.at(at), span(worst.Each.P50))
	f.Where = []string{v.p.at(at)}
	f.Share = v.traced(spent)
	f.says("%d calls took %s, %.1f at a time in the mean; after %d of them the goroutine had to queue for a CPU again", count, span(spent), v.traced(spent), lost)
	f.says("%s", v.quoted(at))
	f.Rival = "The device or file system is the limit, and fewer calls would not move more."
	f.Fix = "Make fewer such calls (put several records into one), or bound how many goroutines make them; where a call can wait by the poller, use that."
	f.Experiment = "Leave out the call, or make one for every ten records: the time should fall by nearly all of its share."
	return []Finding{f}
}

// dependency finds programs that wait for something outside most of the time.
func dependency(v *view) []Finding {
	if v.t == nil || v.wanting(0) < 0.5 || v.unused() < 0.5 {
		return nil
	}
	if v.serves() {
		return nil
	}
	var outside *Class
	var where []Frame
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
		if f, ok := v.stopAndWait(class, calls, asked); ok {
			return []Finding{f}
		}
		outside, where = class, at
	}
	if outside == nil {
		return nil
	}
	f := v.finding("dependency-wait", "Nothing runs for %s of the time: %s waits for something outside.", percent(v.wanting(0)), v.name(outside))
	f.Where = v.p.places(where)
	f.Share = v.wanting(0)
	f.says("no goroutine wanted a CPU for %s of %s", span(v.t.Demand.For[0]), span(v.t.Duration))
	if at, ok := v.p.ours(where); ok {
		f.says("it waits at %s", v.quoted(at))
	}
	f.Rival = "It waits for work, as a server does: then there is nothing to gain."
	f.Fix = "Make what it waits for faster, ask for several things at once, or do other work meanwhile."
	f.Experiment = "Let the other side answer at once: what remains is the program's own time."
	return []Finding{f}
}

// outside is the class that waits longest for what is not in the program: a sleep, the network, a system call that
// blocks. Calls is how often it does. Without timers it is the network and system calls only.
func (v *view) outside(timers bool) (class *Class, where []Frame, calls int64) {
	longest := time.Duration(0)
	look := func(is func(w *Wait, c *Class) bool) {
		for i := range v.t.Waits {
			w := &v.t.Waits[i]
			if len(w.Classes) == 0 {
				continue
			}
			c := &v.t.Classes[w.Classes[0]]
			if !is(w, c) || hooked(c.Start) || v.handles(c) || accepts(w.Stack) {
				continue
			}
			if each := w.Waited / time.Duration(max(1, c.Peak)); each > longest {
				longest, class, where, calls = each, c, w.Stack, w.Count/int64(max(1, c.Peak))
				if w.Op != OpSleep && w.Op != OpNetwork { // a ticker is asked for nothing
					calls = 0
				}
			}
		}
	}
	look(func(w *Wait, c *Class) bool {
		return w.Op == OpNetwork || timers && (w.Op == OpSleep || w.clocked() && c.isMain())
	})
	for i := range v.t.Calls {
		c := &v.t.Calls[i]
		k := &v.t.Classes[c.Class]
		if each := c.Spent / time.Duration(max(1, k.Peak)); c.Each.P50 >= blockLong && each > longest && !hooked(k.Start) && !v.handles(k) {
			longest, class, where, calls = each, k, c.Stack, c.Count/int64(max(1, k.Peak))
		}
	}
	if timers && v.traced(longest) < outsideLeast { // timers of other goroutines are often beside the point: a page that is drawn now and then
		look(func(w *Wait, _ *Class) bool { return w.clocked() })
	}
	if v.traced(longest) < outsideLeast {
		return nil, nil, 0
	}
	return class, where, calls
}

// behind is where goroutines of the program wait longest, in a library, for a library's goroutine of a class to bring what
// that reads from outside.
func (v *view) behind(c *Class) *Wait {
	var longest *Wait
	for i := range v.t.Waits {
		w := &v.t.Waits[i]
		if by := v.brought(w); by == c && (longest == nil || w.Waited > longest.Waited) {
			longest = w
		}
	}
	return longest
}

// brought is the class of a library's goroutines that ends a wait in this library, of goroutines of the program; nil if it is
// no such wait. Those who wait for a connection of a pool are ended by each other, or by a connection that is given back.
func (v *view) brought(w *Wait) *Class {
	if w.Op != OpReceive && w.Op != OpSelect || len(w.Classes) == 0 || has(w.Stack, pools...) {
		return nil
	}
	in := slices.IndexFunc(w.Stack, func(f Frame) bool { return !startsWith(f.Function, "runtime.") })
	if _, ok := v.p.ours(w.Stack); !ok || v.p.own(w.Stack[in]) {
		return nil
	}
	all, most := int64(0), int64(0)
	var by *Class
	counts := map[*Class]int64{}
	for _, k := range w.Wakers {
		all += k.Count
		if k.Class < 0 || slices.Contains(w.Classes, k.Class) {
			continue
		}
		c := &v.t.Classes[k.Class]
		if counts[c] += k.Count; counts[c] > most && !v.p.own(c.Start) && !hooked(c.Start) && c.Waiting["network"] >= v.t.Duration/10 {
			by, most = c, counts[c]
		}
	}
	if 4*most < all { // a request is sent by one and its answer read by another: each ends a wait
		return nil
	}
	return by
}

// clocked reports whether a wait in a select or for a channel is one for a timer: no goroutine sent, nine times of ten.
func (w *Wait) clocked() bool {
	if w.Op != OpSelect && w.Op != OpReceive {
		return false
	}
	var all, timed int64
	for _, k := range w.Wakers {
		all += k.Count
		if k.Class < 0 {
			timed += k.Count
		}
	}
	return all > 0 && timed*10 >= all*9
}

// serves reports whether the program waits for others to connect: idle then is waiting for work.
func (v *view) serves() bool {
	waits := slices.ContainsFunc(v.t.Waits, func(w Wait) bool { return w.Count > 0 && accepts(w.Stack) })
	return (waits || v.accepting()) && !slices.ContainsFunc(v.t.Waits, func(w Wait) bool {
		return has(w.Stack, "net.(*sysDialer)", "net/http.(*persistConn)", "net/http.(*Client)")
	})
}

// handles reports whether a class was started by what accepts connections: it waits for others to ask.
func (v *view) handles(c *Class) bool {
	by, ok := v.p.ours(c.Created)
	return ok && slices.ContainsFunc(v.t.Waits, func(w Wait) bool {
		at, ok := v.p.ours(w.Stack)
		return ok && at.Function == by.Function && accepts(w.Stack)
	})
}

// stopAndWait is a goroutine that asks over the network and waits for the answer before it asks again: so many turns, and
// for so long by way of a library's goroutine that reads it.
func (v *view) stopAndWait(c *Class, turns int64, asked time.Duration) (Finding, bool) {
	sent := int64(0)
	var at Frame
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
	if turns < 20 || each < 10 || float64(each) > 3*float64(turns) || float64(turns) > 3*float64(each) || at.File == "" {
		return Finding{}, false
	}
	f := v.finding("stop-and-wait", "%s sends one request, waits for the answer, and only then sends the next.", capital(v.name(c)))
	f.Where = []string{v.p.at(at)}
	f.Share = v.wanting(0)
	left := v.floor()
	most := 1 - left
	f.Gain = gain(0.85*most, 0.4*most, most)
	f.says("%d requests and %d waits for answers, in turns", each, turns)
	f.says("no goroutine wanted a CPU for %s of the time", percent(v.wanting(0)))
	f.says("%s", v.quoted(at))
	f.Rival = "Each request needs the answer to the one before."
	f.Fix = "Send without waiting and let another goroutine receive, with a bound on what is outstanding; or send several in one message."
	f.Experiment = "Allow two outstanding requests: if the time halves, the wait was the limit."
	return f, true
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// plainly writes a number without needless digits.
func plainly(x float64) string {
	if x >= 10 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}
