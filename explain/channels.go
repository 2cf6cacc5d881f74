package explain

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Thresholds of channels.
const (
	handoffBurst = 20 * time.Microsecond  // computed between two operations
	handoffCost  = 0.3                    // of CPU time, in channels and the scheduler
	handoffRate  = 3000.0                 // parkings/s
	stallBurst   = 100 * time.Microsecond // and this, where several CPUs are no faster than one: waking one takes tens of us
	stallRate    = 5000.0                 // parkings/s there
	stallWall    = 0.9                    // of the time on one CPU
	parkMost     = 50 * time.Microsecond  // of CPU time at most, for parking, waking and the search for work meanwhile
	parkCost     = 1500e-9                // s of CPU time for parking and waking once, where no profile tells
	stageFull    = 0.85                   // of its life a stage is occupied
	stageNext    = 0.75                   // the next one at most
	stagePushed  = 0.3                    // of the time others wait to hand something to one that is outside
	stageIdle    = 0.2                    // of the CPUs' time is unused
	stepWaits    = 0.05                   // of the time a sender, and a receiver, is parked
	stepIdle     = 0.08                   // of the CPUs' time is unused
)

// handoff finds goroutines that hand over so little at a time that handing over is the work.
func handoff(v *view) []Finding {
	var parks int64
	var worst *Wait
	stalls := v.stalls()
	longest := handoffBurst
	if stalls {
		longest = stallBurst
	}
	if v.t != nil {
		for i := range v.t.Waits {
			w := &v.t.Waits[i]
			if w.Op != OpSend && w.Op != OpReceive && w.Op != OpSelect || len(w.Classes) == 0 || v.t.Classes[w.Classes[0]].Bursts.P50 >= longest {
				continue
			}
			if _, ok := v.p.ours(w.Stack); !ok {
				continue
			}
			parks += w.Count
			if worst == nil || w.Count > worst.Count {
				worst = w
			}
		}
		if worst == nil && (v.cpu == nil || v.cpu.share(Channels) < handoffCost) {
			return nil
		}
	}
	cost, source := 0.0, ""
	if stalls && worst != nil && v.rate(parks) >= stallRate {
		rate := v.rate(parks)
		f := v.handedOver(worst, parks, v.handingOver(), "in the CPU profile")
		f.Claim = fmt.Sprintf("Handing over through channels keeps the CPUs from working beside each other: %.0f parkings a second, and it is no faster on %.0f CPUs than on one.", rate, v.cpus)
		f.says("it takes %s on %d CPUs and %s on one, and %s of the CPUs' time is unused", span(v.run.Wall), v.run.CPUs, span(v.one.Wall), percent(v.unused()))
		busy := v.used
		if v.sampled() {
			busy *= 1 - v.handingOver()
		}
		most := 1 - busy/(v.cpus*v.wall)
		f.Gain = gain(0.7*most, 0.1*most, most)
		f.Confidence = Medium
		return []Finding{f}
	}
	switch {
	case v.sampled():
		cost, source = v.cpu.share(Channels)+v.scheduling(parks), "in the CPU profile"
		if v.cpu.share(Channels) < 0.1 {
			return nil
		}
	case v.t != nil:
		cost, source = math.Min(0.9, float64(parks)*parkCost/v.t.Duration.Seconds()/math.Max(0.1, v.used/v.wall)), "at 1.5 us for each parking"
	}
	if cost < handoffCost || v.t != nil && float64(parks)/v.t.Duration.Seconds() < handoffRate && (v.cpu == nil || v.cpu.share(Channels) < handoffCost) {
		return nil
	}
	return []Finding{v.handedOver(worst, parks, cost, source)}
}

// stalls reports whether several CPUs are no faster than one, and are not used either, though no goroutine runs all the
// time: one that does is the limit by itself. Where others take a CPU, that is why.
func (v *view) stalls() bool {
	return v.t != nil && v.one != nil && v.run != nil && !v.loaded() && v.run.Count >= 3 && v.one.Count >= 3 && v.one.Wall > 0 &&
		v.run.Wall.Seconds() > stallWall*v.one.Wall.Seconds() && v.unused() >= stageIdle &&
		(v.one.User+v.one.System).Seconds() > stallWall*v.one.Wall.Seconds() && v.wanting(0) < stepWaits &&
		!slices.ContainsFunc(v.classes(), func(c *Class) bool {
			return slices.ContainsFunc(c.Members, func(m Member) bool { return v.traced(m.Running) >= stageFull })
		})
}

// rate of something that was counted in the trace, a second.
func (v *view) rate(n int64) float64 { return float64(n) / v.t.Duration.Seconds() }

// scheduling is the part of the CPU time in the scheduler that so many parkings in the trace can have taken: it works for
// others too, the collector's workers above all.
func (v *view) scheduling(parks int64) float64 {
	all := v.cpu.share(Scheduler)
	if v.t == nil {
		return all
	}
	return math.Min(all, v.rate(parks)*parkMost.Seconds()*v.wall/math.Max(v.used, 1e-9))
}

// elsewhere is the rest of the scheduler's time as a fraction of the wall time on all CPUs: it stays.
func (v *view) elsewhere(parks int64) float64 {
	if !v.sampled() {
		return 0
	}
	return (v.cpu.share(Scheduler) - v.scheduling(parks)) * v.used / math.Max(v.cpus*v.wall, 1e-9)
}

// handingOver is the share of CPU time in channels and the scheduler.
func (v *view) handingOver() float64 {
	if !v.sampled() {
		return 0
	}
	return v.cpu.share(Channels, Scheduler)
}

func (v *view) handedOver(worst *Wait, parks int64, cost float64, source string) Finding {
	f := v.finding("chan-handoff", "Handing over through channels takes up to %s of the CPU time: each piece is too small.", percent(cost))
	f.Share = cost
	if worst != nil {
		f.Where = v.p.places(worst.Stack)
		for _, w := range worst.Wakers[:min(1, len(worst.Wakers))] {
			for _, at := range v.p.places(w.Stack) {
				if !slices.Contains(f.Where, at) {
					f.Where = append(f.Where, at)
				}
			}
		}
		if at, ok := v.p.ours(worst.Stack); ok {
			f.says("goroutines parked %d times, most at %s", parks, v.quoted(at))
		}
		f.says("between two parkings they compute for %s (median)", span(v.t.Classes[worst.Classes[0]].Bursts.P50))
	} else if v.cpu != nil {
		for _, g := range v.cpu.groups(func(w *weighed) (Frame, bool) {
			if w.what != Channels {
				return Frame{}, false
			}
			return v.p.ours(w.stack)
		}) {
			if len(f.Where) < 2 {
				f.Where = append(f.Where, v.p.at(g.at))
			}
		}
	}
	f.says("channels, and parking and waking for them, take up to %s of the CPU time, %s", percent(cost), source)
	left := math.Min(1, v.coreAfter(cost)+v.elsewhere(parks))
	most := 1 - left
	f.Gain = gain(0.9*most, math.Min(0.5*most, cost*v.busy()*0.5), math.Min(0.97, most+0.1))
	f.Confidence = High
	f.Rival = "What is computed for each piece is slow, and the channel only waits for it."
	f.Fix = "Send batches: a slice of 100 pieces or more at a time, or let one goroutine do both sides."
	f.Experiment = "Send two pieces at a time: the parkings should halve and the time fall."
	return f
}

// coreAfter is the fraction of the wall time that the work itself takes when handing over costs nothing: shared by the CPUs,
// but no shorter than what the busiest single goroutine computes.
func (v *view) coreAfter(cost float64) float64 {
	if !v.sampled() {
		longest := 0.0
		for _, c := range v.classes() {
			if c.Peak == 1 {
				longest = math.Max(longest, v.traced(c.Running)*(1-cost))
			}
		}
		return math.Min(1, math.Max(longest, (1-cost)*v.used/(v.cpus*v.wall)))
	}
	single := map[string]bool{}
	for _, c := range v.classes() {
		single[c.Start.Function] = c.Count == 1
	}
	by := map[string]float64{}
	longest := 0.0
	for _, w := range v.cpu.list {
		if w.root != "" && w.what != Channels && w.what != Scheduler && w.what != Locks && w.what != Collector && single[w.root] {
			by[w.root] += w.weight
			longest = math.Max(longest, by[w.root])
		}
	}
	return v.floor(longest / v.cpu.total * v.used / v.wall)
}

// buffers is the size that the name of a design gives for its channels.
var buffers = regexp.MustCompile(`\bbuffer=(\d+)\b`)

var making = regexp.MustCompile(`([A-Za-z_][A-Za-z_0-9.]*)\s*:?=\s*make\(chan `)

// buffered reports whether the channels in the files where a resource is used are made with a buffer, as far as the source
// says. What is made with a computed size counts as buffered.
func (v *view) buffered(r *Resource) bool {
	if m := buffers.FindStringSubmatch(v.p.Name); m != nil {
		return m[1] != "0"
	}
	unbuffered, buffered := 0, 0
	var files []string
	for _, s := range r.Sites {
		at, ok := v.p.ours(s)
		if !ok || slices.Contains(files, at.File) {
			continue
		}
		files = append(files, at.File)
		u, b := v.p.channelsOf(at.File)
		unbuffered += u
		buffered += b
		for _, s := range r.Sites {
			if is, known := v.madeWith(s); known {
				return is
			}
		}
	}
	return buffered > unbuffered
}

// madeWith looks for the place where the channel of a site is made under the same name in the same file.
func (v *view) madeWith(stack []Frame) (buffered, known bool) {
	at, ok := v.p.ours(stack)
	if !ok || v.p.Source == nil {
		return false, false
	}
	line := v.p.line(at)
	for n := 1; n < 3000; n++ {
		text := v.p.Source(at.File, n)
		m := making.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		name := text[m[2]:m[3]]
		name = name[strings.LastIndexByte(name, '.')+1:]
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(line) {
			continue
		}
		size := capacity(text[m[1]:])
		return size != "" && size != "0", true
	}
	return false, false
}

// tokens is a channel that those who share it both take from and give back to: a semaphore, or a pool of connections.
func (v *view) tokens() (Finding, bool) {
	if f, ok := v.selected(); ok {
		return f, true
	}
	for i := range v.t.Resources {
		r := &v.t.Resources[i]
		if r.Kind != OpChannel || r.Count < 10 || v.traced(r.Busy) < lockBusy || min(r.FullCount, r.EmptyCount) > max(r.FullCount, r.EmptyCount)/10 {
			continue
		}
		waits, waited := v.waitsOf(r)
		spawned := v.spawnedBy(waits)
		if len(waits) == 0 || spawned == nil && !v.sharedByItsUsers(waits) {
			continue
		}
		queue := float64(waited) / float64(v.t.Duration)
		most := 1 - v.floor(1/(queue+1))
		if most < 2*minGain {
			continue
		}
		outside := v.wanting(0) > 0.3
		name := Name("too-few-workers")
		claim := "Few at a time may go on: the others wait for a place at %s while CPUs are unused."
		if outside {
			name = "saturated-resource"
			claim = "All that the channel at %s gives out is in use, all the time: goroutines wait for it."
		}
		where := v.p.places(r.Sites...)
		if len(where) == 0 {
			continue
		}
		f := v.finding(name, claim, where[0])
		if spawned != nil {
			if v.idle() < stageIdle || spawned.Peak < 2 || outside && spawned.Peak > poolMost || v.handles(spawned) || v.heldUp(spawned) > poolStarve {
				continue
			}
			f.Name, most = "too-few-workers", 1-v.floor()
			f.Claim = fmt.Sprintf("At most %d goroutines of %s live at a time: who starts them waits for a place at %s while CPUs are unused.",
				spawned.Peak, short(spawned.Start.Function), where[0])
		}
		f.Where = where
		f.Share = v.traced(r.Busy)
		v.tokenWords(&f, queue, r.Count, most)
		return f, true
	}
	return Finding{}, false
}

// spawnedBy is the class of goroutines, one for each piece of work, whose ends make place for those that the waiting one starts next.
func (v *view) spawnedBy(waits []*Wait) *Class {
	var by *Class
	for _, w := range waits {
		if w.Op != OpSend || len(w.Classes) != 1 {
			return nil
		}
		for _, k := range w.Wakers {
			if k.Class < 0 || by != nil && by != &v.t.Classes[k.Class] {
				return nil
			}
			by = &v.t.Classes[k.Class]
			starts := v.t.Classes[w.Classes[0]].Start.Function
			if by.Count < k.Count || !slices.ContainsFunc(by.Created, func(f Frame) bool { return f.Function == starts }) {
				return nil
			}
		}
	}
	return by
}

// heldUp is the part of their lives that the goroutines of a class wait for others of the program, or by a timer: not for what
// a library brings them, nor for what is outside.
func (v *view) heldUp(c *Class) float64 {
	waited, held := time.Duration(0), time.Duration(0)
	for i := range v.t.Waits {
		w := &v.t.Waits[i]
		if len(w.Classes) != 1 || &v.t.Classes[w.Classes[0]] != c || w.Op == OpYield || w.Op == OpCollector {
			continue
		}
		waited += w.Waited
		if w.Op != OpSleep && w.Op != OpNetwork && v.brought(w) == nil {
			held += w.Waited
		}
	}
	return float64(held) / math.Max(1, float64(waited+c.Running+c.Runnable))
}

func (v *view) tokenWords(f *Finding, queue float64, count int64, most float64) {
	f.says("somebody waited for %s of the time, %.1f goroutines in the mean, %d times", percent(f.Share), queue, count)
	f.says("%s of the CPUs' time is unused", percent(v.idle()))
	f.Gain = gain(0.85*most, 0.4*most, most)
	f.Rival = "The number is what the other side allows; or they wait for work that others of them find."
	f.Fix = "Allow more at a time: a larger semaphore or pool, of as many as CPUs where they compute."
	f.Experiment = "Double the number: the time should halve while nothing else is the limit."
}

// gives is how who gives a place back wakes those who wait for it.
var gives = map[Op]struct{ by, through string }{
	OpSelect: {"runtime.chansend", "the channel"},
	OpCond:   {"sync.(*Cond).Signal", "the condition"}, // who wakes all gives no place to each
}

// selected is the same where the place is waited for in a select, which the trace joins to no channel, or by a condition:
// nearly all who wait are woken by one of their own, and who holds what they wait for waits for something outside.
func (v *view) selected() (Finding, bool) {
	for i := range v.t.Waits {
		w := &v.t.Waits[i]
		queue := v.traced(w.Waited)
		back, is := gives[w.Op]
		if !is || w.Count < 10 || queue < 1 || v.wanting(0) < 0.3 || len(w.Wakers) == 0 {
			continue
		}
		if has(w.Stack, pools[0]) && v.handedOn(w) {
			return v.connections(w, queue), true
		}
		if !v.sharedByItsUsers([]*Wait{w}) {
			continue
		}
		where := v.p.places(w.Stack, w.Wakers[0].Stack)
		most := 1 - v.floor(1/(queue+1))
		if len(where) == 0 || most < 2*minGain || !has(w.Wakers[0].Stack, back.by) {
			continue
		}
		f := v.finding("saturated-resource", "Goroutines wait by %s at %s, all the time, for what others of them hold.", back.through, where[0])
		f.Where = where
		f.Share = math.Min(1, queue)
		v.tokenWords(&f, queue, w.Count, most)
		return f, true
	}
	return Finding{}, false
}

// pools are where goroutines wait for a connection: of a client of package net/http, of a database.
var pools = []string{"net/http.(*Transport).getConn", "database/sql.(*DB).conn"}

// handedOn reports whether nearly all who waited for a connection got one that another request had done with: where
// connections are made meanwhile, their number is not limited, and one of HTTP/2 is for all.
func (v *view) handedOn(w *Wait) bool {
	var all, on, dials int64
	for _, k := range w.Wakers {
		all += k.Count
		if has(k.Stack, "net/http.(*Transport).tryPutIdleConn") && !has(k.Stack, "net/http.(*Transport).dialConnFor") {
			on += k.Count
		}
	}
	for i := range v.t.Classes {
		if c := &v.t.Classes[i]; strings.HasPrefix(c.Start.Function, "net/http.(*Transport).startDialConnForLocked") {
			dials += c.Count
		}
	}
	return on*10 >= all*9 && dials*10 <= w.Count
}

// connections are those of a client of package net/http, which are given from one request to the next.
func (v *view) connections(w *Wait, queue float64) Finding {
	f := v.finding("saturated-resource", "The HTTP client's connections to a host are always in use: requests wait for one.")
	f.Where = v.p.places(w.Stack)
	f.Share = math.Min(1, queue)
	v.tokenWords(&f, queue, w.Count, 1-v.floor(1/(queue+1)))
	f.Fix = "Raise the Transport's MaxConnsPerHost, and MaxIdleConnsPerHost with it."
	return f
}

// sharedByItsUsers reports whether those who wait are woken by goroutines of their own class.
func (v *view) sharedByItsUsers(waits []*Wait) bool {
	var own, all int64
	for _, w := range waits {
		for _, k := range w.Wakers {
			all += k.Count
			if slices.Contains(w.Classes, k.Class) {
				own += k.Count
			}
		}
	}
	return all > 0 && own*10 >= all*9
}
