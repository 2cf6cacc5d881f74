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
func handoff(a *analysis) []Finding {
	var parks int64
	var worst *evidence.Wait
	stalls := a.stalls()
	longest := handoffBurst
	if stalls {
		longest = stallBurst
	}
	if a.trace != nil {
		for i := range a.trace.Waits {
			w := &a.trace.Waits[i]
			if w.Op != evidence.OpSend && w.Op != evidence.OpReceive && w.Op != evidence.OpSelect ||
				len(w.Classes) == 0 || a.trace.Classes[w.Classes[0]].Bursts.P50 >= longest {
				continue
			}
			if _, ok := a.prog.ownFrame(w.Stack); !ok {
				continue
			}
			parks += w.Count
			if worst == nil || w.Count > worst.Count {
				worst = w
			}
		}
		if worst == nil && (a.cpu == nil || a.cpu.share(Channels) < handoffCost) {
			return nil
		}
	}

	cost, source := 0.0, ""
	if stalls && worst != nil && a.rate(parks) >= stallRate {
		rate := a.rate(parks)
		f := a.handoffFinding(worst, parks, a.handoffShare(), "in the CPU profile")
		f.Claim = fmt.Sprintf("Handing over through channels keeps the CPUs from working beside each other: %.0f "+
			"parkings a second, and it is no faster on %.0f CPUs than on one.", rate, a.cpus)
		f.citef("it takes %s on %d CPUs and %s on one, and %s of the CPUs' time is unused", formatDuration(a.run.Wall), a.run.CPUs,
			formatDuration(a.oneCPU.Wall), percent(a.unusedCPU()))
		busy := a.used
		if a.hasSamples() {
			busy *= 1 - a.handoffShare()
		}
		most := 1 - busy/(a.cpus*a.wall)
		f.Gain = newGain(0.7*most, 0.1*most, most)
		f.Confidence = Medium
		return []Finding{f}
	}

	switch {
	case a.hasSamples():
		cost, source = a.cpu.share(Channels)+a.scheduling(parks), "in the CPU profile"
		if a.cpu.share(Channels) < 0.1 {
			return nil
		}
	case a.trace != nil:
		cost, source = math.Min(0.9, float64(parks)*parkCost/a.trace.Duration.Seconds()/math.Max(0.1, a.used/a.wall)),
			"at 1.5 us for each parking"
	}
	if cost < handoffCost || a.trace != nil && float64(parks)/a.trace.Duration.Seconds() < handoffRate &&
		(a.cpu == nil || a.cpu.share(Channels) < handoffCost) {
		return nil
	}

	return []Finding{a.handoffFinding(worst, parks, cost, source)}
}

// stalls reports whether several CPUs are no faster than one, and are not used either, though no goroutine runs all the
// time: one that does is the limit by itself. Where others take a CPU, that is why.
func (a *analysis) stalls() bool {
	return a.trace != nil && a.oneCPU != nil && a.run != nil && !a.isLoaded() && a.run.Count >= 3 && a.oneCPU.Count >= 3 &&
		a.oneCPU.Wall > 0 &&
		a.run.Wall.Seconds() > stallWall*a.oneCPU.Wall.Seconds() && a.unusedCPU() >= stageIdle &&
		(a.oneCPU.User+a.oneCPU.System).Seconds() > stallWall*a.oneCPU.Wall.Seconds() && a.demandShare(0) < stepWaits &&
		!slices.ContainsFunc(a.classes(), func(c *evidence.Class) bool {
			return slices.ContainsFunc(c.Members,
				func(m evidence.Member) bool { return a.fraction(m.Running) >= stageFull })
		})
}

// rate of something that was counted in the trace, a second.
func (a *analysis) rate(n int64) float64 { return float64(n) / a.trace.Duration.Seconds() }

// scheduling is the part of the CPU time in the scheduler that so many parkings in the trace can have taken: it works
// for others too, the collector's workers above all.
func (a *analysis) scheduling(parks int64) float64 {
	all := a.cpu.share(Scheduler)
	if a.trace == nil {
		return all
	}
	return math.Min(all, a.rate(parks)*parkMost.Seconds()*a.wall/math.Max(a.used, 1e-9))
}

// elsewhere is the rest of the scheduler's time as a fraction of the wall time on all CPUs: it stays.
func (a *analysis) otherScheduling(parks int64) float64 {
	if !a.hasSamples() {
		return 0
	}
	return (a.cpu.share(Scheduler) - a.scheduling(parks)) * a.used / math.Max(a.cpus*a.wall, 1e-9)
}

// handingOver is the share of CPU time in channels and the scheduler.
func (a *analysis) handoffShare() float64 {
	if !a.hasSamples() {
		return 0
	}
	return a.cpu.share(Channels, Scheduler)
}

func (a *analysis) handoffFinding(worst *evidence.Wait, parks int64, cost float64, source string) Finding {
	f := a.newFinding(ChanHandoff, "Handing over through channels takes up to %s of the CPU time: each "+
		"piece is too small.", percent(cost))
	f.Share = cost
	if worst != nil {
		f.Where = a.prog.positions(worst.Stack)
		for _, w := range worst.Wakers[:min(1, len(worst.Wakers))] {
			for _, at := range a.prog.positions(w.Stack) {
				if !slices.Contains(f.Where, at) {
					f.Where = append(f.Where, at)
				}
			}
		}
		if at, ok := a.prog.ownFrame(worst.Stack); ok {
			f.citef("goroutines parked %d times, most at %s", parks, a.quote(at))
		}
		f.citef("between two parkings they compute for %s (median)", formatDuration(a.trace.Classes[worst.Classes[0]].Bursts.P50))
	} else if a.cpu != nil {
		for _, g := range a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
			if w.category != Channels {
				return evidence.Frame{}, false
			}
			return a.prog.ownFrame(w.stack)
		}) {
			if len(f.Where) < 2 {
				f.Where = append(f.Where, a.prog.position(g.at))
			}
		}
	}

	f.citef("channels, and parking and waking for them, take up to %s of the CPU time, %s", percent(cost), source)
	left := math.Min(1, a.boundWithoutHandoff(cost)+a.otherScheduling(parks))
	most := 1 - left
	f.Gain = newGain(0.9*most, math.Min(0.5*most, cost*a.activeFraction()*0.5), math.Min(0.97, most+0.1))
	f.Confidence = High
	f.Alternative = "What is computed for each piece is slow, and the channel only waits for it."
	f.Fix = "Send batches: a slice of 100 pieces or more at a time, or let one goroutine do both sides."
	f.Experiment = "Send two pieces at a time: the parkings should halve and the time fall."
	return f
}

// coreAfter is the fraction of the wall time that the work itself takes when handing over costs nothing: shared by the
// CPUs, but no shorter than what the busiest single goroutine computes.
func (a *analysis) boundWithoutHandoff(cost float64) float64 {
	if !a.hasSamples() {
		longest := 0.0
		for _, c := range a.classes() {
			if c.Peak == 1 {
				longest = math.Max(longest, a.fraction(c.Running)*(1-cost))
			}
		}
		return math.Min(1, math.Max(longest, (1-cost)*a.used/(a.cpus*a.wall)))
	}

	single := map[string]bool{}
	for _, c := range a.classes() {
		single[c.Start.Function] = c.Count == 1
	}

	by := map[string]float64{}
	longest := 0.0
	for _, w := range a.cpu.list {
		if w.root != "" && w.category != Channels && w.category != Scheduler && w.category != Locks && w.category != GarbageCollector &&
			single[w.root] {
			by[w.root] += w.weight
			longest = math.Max(longest, by[w.root])
		}
	}

	return a.lowerBound(longest / a.cpu.total * a.used / a.wall)
}

// buffers is the size that the name of a design gives for its channels.
var bufferLevel = regexp.MustCompile(`\bbuffer=(\d+)\b`)

var makeChan = regexp.MustCompile(`([A-Za-z_][A-Za-z_0-9.]*)\s*:?=\s*make\(chan `)

// buffered reports whether the channels in the files where a resource is used are made with a buffer, as far as the
// source says. What is made with a computed size counts as buffered.
func (a *analysis) isBuffered(r *evidence.Resource) bool {
	if m := bufferLevel.FindStringSubmatch(a.prog.Name); m != nil {
		return m[1] != "0"
	}

	unbuffered, buffered := 0, 0
	var files []string
	for _, s := range r.Sites {
		at, ok := a.prog.ownFrame(s)
		if !ok || slices.Contains(files, at.File) {
			continue
		}
		files = append(files, at.File)
		u, b := a.prog.channelCounts(at.File)
		unbuffered += u
		buffered += b
		for _, s := range r.Sites {
			if is, known := a.makesBuffered(s); known {
				return is
			}
		}
	}

	return buffered > unbuffered
}

// madeWith looks for the place where the channel of a site is made under the same name in the same file.
func (a *analysis) makesBuffered(stack []evidence.Frame) (buffered, known bool) {
	at, ok := a.prog.ownFrame(stack)
	if !ok || a.prog.Source == nil {
		return false, false
	}

	line := a.prog.sourceLine(at)
	for n := 1; n < 3000; n++ {
		text := a.prog.Source(at.File, n)
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
