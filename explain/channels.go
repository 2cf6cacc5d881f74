package explain

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds of channels.
const (
	handoffBurst = 20 * time.Microsecond // computed between two operations
	handoffCost  = 0.3                   // of CPU time, in channels and the scheduler
	handoffRate  = 3000.0                // parkings/s
	// and this, where several CPUs are no faster than one: waking one takes tens of us
	stallBurst  = 100 * time.Microsecond
	stallRate   = 5000.0                // parkings/s there
	stallWall   = 0.9                   // of the time on one CPU
	parkMost    = 50 * time.Microsecond // of CPU time at most, for parking, waking and the search for work meanwhile
	parkCost    = 1500e-9               // s of CPU time for parking and waking once, where no profile tells
	stageFull   = 0.85                  // of its life a stage is occupied
	stageNext   = 0.75                  // the next one at most
	stagePushed = 0.3                   // of the time others wait to hand something to one that is outside
	stageIdle   = 0.2                   // of the CPUs' time is unused
	stepWaits   = 0.05                  // of the time a sender, and a receiver, is parked
	stepIdle    = 0.08                  // of the CPUs' time is unused
)

// handoff finds goroutines that hand over so little at a time that handing over is the work.
func handoff(v *analysis) []Finding {
	var parks int64
	var worst *evidence.Wait
	stalls := v.stalls()
	longest := handoffBurst
	if stalls {
		longest = stallBurst
	}
	if v.trace != nil {
		for i := range v.trace.Waits {
			w := &v.trace.Waits[i]
			if w.Op != evidence.OpSend && w.Op != evidence.OpReceive && w.Op != evidence.OpSelect ||
				len(w.Classes) == 0 || v.trace.Classes[w.Classes[0]].Bursts.P50 >= longest {
				continue
			}
			if _, ok := v.prog.ownFrame(w.Stack); !ok {
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
		f := v.handoffFinding(worst, parks, v.handoffShare(), "in the CPU profile")
		f.Claim = fmt.Sprintf("Handing over through channels keeps the CPUs from working beside each other: %.0f "+
			"parkings a second, and it is no faster on %.0f CPUs than on one.", rate, v.cpus)
		f.citef("it takes %s on %d CPUs and %s on one, and %s of the CPUs' time is unused", formatDuration(v.run.Wall), v.run.CPUs,
			formatDuration(v.oneCPURun.Wall), percent(v.unusedCPU()))
		busy := v.used
		if v.hasSamples() {
			busy *= 1 - v.handoffShare()
		}
		most := 1 - busy/(v.cpus*v.wall)
		f.Gain = newGain(0.7*most, 0.1*most, most)
		f.Confidence = Medium
		return []Finding{f}
	}
	switch {
	case v.hasSamples():
		cost, source = v.cpu.share(Channels)+v.scheduling(parks), "in the CPU profile"
		if v.cpu.share(Channels) < 0.1 {
			return nil
		}
	case v.trace != nil:
		cost, source = math.Min(0.9, float64(parks)*parkCost/v.trace.Duration.Seconds()/math.Max(0.1, v.used/v.wall)),
			"at 1.5 us for each parking"
	}
	if cost < handoffCost || v.trace != nil && float64(parks)/v.trace.Duration.Seconds() < handoffRate &&
		(v.cpu == nil || v.cpu.share(Channels) < handoffCost) {
		return nil
	}
	return []Finding{v.handoffFinding(worst, parks, cost, source)}
}

// stalls reports whether several CPUs are no faster than one, and are not used either, though no goroutine runs all the
// time: one that does is the limit by itself. Where others take a CPU, that is why.
func (v *analysis) stalls() bool {
	return v.trace != nil && v.oneCPURun != nil && v.run != nil && !v.isLoaded() && v.run.Count >= 3 && v.oneCPURun.Count >= 3 &&
		v.oneCPURun.Wall > 0 &&
		v.run.Wall.Seconds() > stallWall*v.oneCPURun.Wall.Seconds() && v.unusedCPU() >= stageIdle &&
		(v.oneCPURun.User+v.oneCPURun.System).Seconds() > stallWall*v.oneCPURun.Wall.Seconds() && v.demandShare(0) < stepWaits &&
		!slices.ContainsFunc(v.classes(), func(c *evidence.Class) bool {
			return slices.ContainsFunc(c.Members,
				func(m evidence.Member) bool { return v.fraction(m.Running) >= stageFull })
		})
}

// rate of something that was counted in the trace, a second.
func (v *analysis) rate(n int64) float64 { return float64(n) / v.trace.Duration.Seconds() }

// scheduling is the part of the CPU time in the scheduler that so many parkings in the trace can have taken: it works
// for others too, the collector's workers above all.
func (v *analysis) scheduling(parks int64) float64 {
	all := v.cpu.share(Scheduler)
	if v.trace == nil {
		return all
	}
	return math.Min(all, v.rate(parks)*parkMost.Seconds()*v.wall/math.Max(v.used, 1e-9))
}

// elsewhere is the rest of the scheduler's time as a fraction of the wall time on all CPUs: it stays.
func (v *analysis) otherScheduling(parks int64) float64 {
	if !v.hasSamples() {
		return 0
	}
	return (v.cpu.share(Scheduler) - v.scheduling(parks)) * v.used / math.Max(v.cpus*v.wall, 1e-9)
}

// handingOver is the share of CPU time in channels and the scheduler.
func (v *analysis) handoffShare() float64 {
	if !v.hasSamples() {
		return 0
	}
	return v.cpu.share(Channels, Scheduler)
}

func (v *analysis) handoffFinding(worst *evidence.Wait, parks int64, cost float64, source string) Finding {
	f := v.newFinding(ChanHandoff, "Handing over through channels takes up to %s of the CPU time: each "+
		"piece is too small.", percent(cost))
	f.Share = cost
	if worst != nil {
		f.Where = v.prog.positions(worst.Stack)
		for _, w := range worst.Wakers[:min(1, len(worst.Wakers))] {
			for _, at := range v.prog.positions(w.Stack) {
				if !slices.Contains(f.Where, at) {
					f.Where = append(f.Where, at)
				}
			}
		}
		if at, ok := v.prog.ownFrame(worst.Stack); ok {
			f.citef("goroutines parked %d times, most at %s", parks, v.quote(at))
		}
		f.citef("between two parkings they compute for %s (median)", formatDuration(v.trace.Classes[worst.Classes[0]].Bursts.P50))
	} else if v.cpu != nil {
		for _, g := range v.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
			if w.category != Channels {
				return evidence.Frame{}, false
			}
			return v.prog.ownFrame(w.stack)
		}) {
			if len(f.Where) < 2 {
				f.Where = append(f.Where, v.prog.position(g.at))
			}
		}
	}
	f.citef("channels, and parking and waking for them, take up to %s of the CPU time, %s", percent(cost), source)
	left := math.Min(1, v.boundWithoutHandoff(cost)+v.otherScheduling(parks))
	most := 1 - left
	f.Gain = newGain(0.9*most, math.Min(0.5*most, cost*v.activeFraction()*0.5), math.Min(0.97, most+0.1))
	f.Confidence = High
	f.Rival = "What is computed for each piece is slow, and the channel only waits for it."
	f.Fix = "Send batches: a slice of 100 pieces or more at a time, or let one goroutine do both sides."
	f.Experiment = "Send two pieces at a time: the parkings should halve and the time fall."
	return f
}

// coreAfter is the fraction of the wall time that the work itself takes when handing over costs nothing: shared by the
// CPUs, but no shorter than what the busiest single goroutine computes.
func (v *analysis) boundWithoutHandoff(cost float64) float64 {
	if !v.hasSamples() {
		longest := 0.0
		for _, c := range v.classes() {
			if c.Peak == 1 {
				longest = math.Max(longest, v.fraction(c.Running)*(1-cost))
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
		if w.root != "" && w.category != Channels && w.category != Scheduler && w.category != Locks && w.category != Collector &&
			single[w.root] {
			by[w.root] += w.weight
			longest = math.Max(longest, by[w.root])
		}
	}
	return v.lowerBound(longest / v.cpu.total * v.used / v.wall)
}

// buffers is the size that the name of a design gives for its channels.
var bufferLevel = regexp.MustCompile(`\bbuffer=(\d+)\b`)

var makeChan = regexp.MustCompile(`([A-Za-z_][A-Za-z_0-9.]*)\s*:?=\s*make\(chan `)

// buffered reports whether the channels in the files where a resource is used are made with a buffer, as far as the
// source says. What is made with a computed size counts as buffered.
func (v *analysis) isBuffered(r *evidence.Resource) bool {
	if m := bufferLevel.FindStringSubmatch(v.prog.Name); m != nil {
		return m[1] != "0"
	}
	unbuffered, buffered := 0, 0
	var files []string
	for _, s := range r.Sites {
		at, ok := v.prog.ownFrame(s)
		if !ok || slices.Contains(files, at.File) {
			continue
		}
		files = append(files, at.File)
		u, b := v.prog.channelCounts(at.File)
		unbuffered += u
		buffered += b
		for _, s := range r.Sites {
			if is, known := v.makesBuffered(s); known {
				return is
			}
		}
	}
	return buffered > unbuffered
}

// madeWith looks for the place where the channel of a site is made under the same name in the same file.
func (v *analysis) makesBuffered(stack []evidence.Frame) (buffered, known bool) {
	at, ok := v.prog.ownFrame(stack)
	if !ok || v.prog.Source == nil {
		return false, false
	}
	line := v.prog.sourceLine(at)
	for n := 1; n < 3000; n++ {
		text := v.prog.Source(at.File, n)
		m := makeChan.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		name := text[m[2]:m[3]]
		name = name[strings.LastIndexByte(name, '.')+1:]
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(line) {
			continue
		}
		size := chanCapacity(text[m[1]:])
		return size != "" && size != "0", true
	}
	return false, false
}
