package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// tokens is a channel that those who share it both take from and give back to: a semaphore, or a pool of connections.
func (v *view) tokens() (Finding, bool) {
	if f, ok := v.selected(); ok {
		return f, true
	}
	for i := range v.t.Resources {
		r := &v.t.Resources[i]
		if r.Kind != evidence.OpChannel || r.Count < 10 || v.traced(r.Busy) < lockBusy ||
			min(r.FullCount, r.EmptyCount) > max(r.FullCount, r.EmptyCount)/10 {
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
		name := TooFewWorkers
		claim := "Few at a time may go on: the others wait for a place at %s while CPUs are unused."
		if outside {
			name = SaturatedResource
			claim = "All that the channel at %s gives out is in use, all the time: goroutines wait for it."
		}
		where := v.p.places(r.Sites...)
		if len(where) == 0 {
			continue
		}
		f := v.finding(name, claim, where[0])
		if spawned != nil {
			if v.idle() < stageIdle || spawned.Peak < 2 || outside && spawned.Peak > poolMost || v.handles(spawned) ||
				v.heldUp(spawned) > poolStarve {
				continue
			}
			f.Name, most = TooFewWorkers, 1-v.floor()
			f.Claim = fmt.Sprintf("At most %d goroutines of %s live at a time: who starts them waits for a place at "+
				"%s while CPUs are unused.",
				spawned.Peak, short(spawned.Start.Function), where[0])
		}
		f.Where = where
		f.Share = v.traced(r.Busy)
		v.tokenWords(&f, queue, r.Count, most)
		return f, true
	}
	return Finding{}, false
}

// spawnedBy is the class of goroutines, one for each piece of work, whose ends make place for those that the waiting
// one starts next.
func (v *view) spawnedBy(waits []*evidence.Wait) *evidence.Class {
	var by *evidence.Class
	for _, w := range waits {
		if w.Op != evidence.OpSend || len(w.Classes) != 1 {
			return nil
		}
		for _, k := range w.Wakers {
			if k.Class < 0 || by != nil && by != &v.t.Classes[k.Class] {
				return nil
			}
			by = &v.t.Classes[k.Class]
			starts := v.t.Classes[w.Classes[0]].Start.Function
			if by.Count < k.Count || !slices.ContainsFunc(by.Created,
				func(f evidence.Frame) bool { return f.Function == starts }) {
				return nil
			}
		}
	}
	return by
}

// heldUp is the part of their lives that the goroutines of a class wait for others of the program, or by a timer: not
// for what a library brings them, nor for what is outside.
func (v *view) heldUp(c *evidence.Class) float64 {
	waited, held := time.Duration(0), time.Duration(0)
	for i := range v.t.Waits {
		w := &v.t.Waits[i]
		if len(w.Classes) != 1 || &v.t.Classes[w.Classes[0]] != c || w.Op == evidence.OpYield ||
			w.Op == evidence.OpCollector {
			continue
		}
		waited += w.Waited
		if w.Op != evidence.OpSleep && w.Op != evidence.OpNetwork && v.brought(w) == nil {
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
var gives = map[evidence.Op]struct{ by, through string }{
	evidence.OpSelect: {"runtime.chansend", "the channel"},
	evidence.OpCond:   {"sync.(*Cond).Signal", "the condition"}, // who wakes all gives no place to each
}

// selected is the same where the place is waited for in a select, which the trace joins to no channel, or by a
// condition: nearly all who wait are woken by one of their own, and who holds what they wait for waits for something
// outside.
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
		if !v.sharedByItsUsers([]*evidence.Wait{w}) {
			continue
		}
		where := v.p.places(w.Stack, w.Wakers[0].Stack)
		most := 1 - v.floor(1/(queue+1))
		if len(where) == 0 || most < 2*minGain || !has(w.Wakers[0].Stack, back.by) {
			continue
		}
		f := v.finding(SaturatedResource, "Goroutines wait by %s at %s, all the time, for what others of them hold.",
			back.through, where[0])
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
func (v *view) handedOn(w *evidence.Wait) bool {
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
func (v *view) connections(w *evidence.Wait, queue float64) Finding {
	f := v.finding(SaturatedResource, "The HTTP client's connections to a host are always in use: "+
		"requests wait for one.")
	f.Where = v.p.places(w.Stack)
	f.Share = math.Min(1, queue)
	v.tokenWords(&f, queue, w.Count, 1-v.floor(1/(queue+1)))
	f.Fix = "Raise the Transport's MaxConnsPerHost, and MaxIdleConnsPerHost with it."
	return f
}

// sharedByItsUsers reports whether those who wait are woken by goroutines of their own class.
func (v *view) sharedByItsUsers(waits []*evidence.Wait) bool {
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
