package explain

import (
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// stage is a class of goroutines in a line, and how much of the time each of them is occupied: runs, or is outside.
type stage struct {
	class    *evidence.Class
	occupied float64
	outside  float64 // the part of that in which it waits for a timer, the network or a system call
	single   bool
}

// wakes is how often the goroutines of a class woke others that waited on a channel.
func (v *view) wakes(c *evidence.Class) (n int64) {
	for _, w := range v.t.Waits {
		if w.Op != evidence.OpSend && w.Op != evidence.OpReceive {
			continue
		}
		for _, k := range w.Wakers {
			if k.Class >= 0 && &v.t.Classes[k.Class] == c {
				n += k.Count
			}
		}
	}
	return n
}

// stages are the classes that wait on channels for others, and those that are occupied all the time and let others wait
// there: the slowest of a line never waits itself. Who is outside all the time is one if others bring it work: a ticker
// is none.
func (v *view) stages() []stage {
	var out []stage
	for _, c := range v.classes() {
		life, running, _, _, _, outside := lives(c)
		full := v.traced(running) >= stageFull || v.traced(running+outside) >= stageFull && v.pushed(c) >= stagePushed
		if life < v.t.Duration/3 || v.parks(c) < 10 && (!full || v.wakes(c) < 10) {
			continue
		}
		out = append(out, stage{c, math.Min(1, v.traced(running+outside)), v.traced(outside), c.Peak == 1})
	}
	slices.SortFunc(out, func(a, b stage) int {
		switch {
		case a.occupied > b.occupied:
			return -1
		case a.occupied < b.occupied:
			return 1
		}
		return 0
	})
	return out
}

// channelRules find what is wrong with a line of stages, or with a channel that goroutines share.
func channelRules(v *view) []Finding {
	if v.t == nil {
		return nil
	}
	asked := v.idle() >= stepIdle
	if f, ok := v.tokens(); ok && asked {
		return []Finding{f}
	}
	line := v.stages()
	if len(line) < 2 {
		return nil
	}
	if f, ok := v.limited(line); ok {
		return []Finding{f}
	}
	if f, ok := v.lockstep(line); ok {
		return []Finding{f}
	}
	return nil
}

// limited is a line whose one stage is occupied nearly all the time, while the others wait for it.
func (v *view) limited(line []stage) (Finding, bool) {
	s := line[0]
	next := 0.0
	for _, o := range line[1:] {
		next = math.Max(next, o.occupied)
	}
	waited, neighbour := v.waitedFor(s.class)
	if !s.single || s.occupied < stageFull || next > stageNext || waited < 0.3 {
		return Finding{}, false
	}
	unused := v.idle()
	// it runs all the time: what others lose while CPUs wake for them is not the limit
	if v.traced(s.class.Running) >= stageFull {
		unused = v.slack()
	}
	if unused < stageIdle {
		return Finding{}, false
	}
	if s.outside > s.occupied/2 && v.pushed(s.class) < stagePushed {
		return Finding{}, false // nobody brings it work faster than it goes: it waits for something else
	}
	f := v.finding(StageLimited, "%s is the slowest stage: it is occupied for %s of the time, and the "+
		"others wait for it.", capital(v.name(s.class)), percent(s.occupied))
	f.Share = s.occupied
	if neighbour != nil {
		f.Where = v.p.places(neighbour.Stack)
	}
	f.Where = append(v.stagePlace(s.class), f.Where...)
	f.says("the next stage, %s, is occupied for %s", v.name(line[1].class), percent(next))
	f.says("neighbours waited for it for %s of the time", percent(math.Min(1, waited)))
	for _, g := range v.hottest(s.class, 1) {
		f.says("%s of the goroutines' CPU time is in it at %s", percent(g.share), v.quoted(g.at))
	}
	most := 1 - v.floor(next)
	f.Gain = gain(0.85*most, math.Min(0.3, 0.5*most), most)
	f.Confidence = High
	f.Rival = "The stage must see the pieces one after the other."
	f.Fix = "Let several goroutines do this stage; a larger buffer would not help."
	f.Experiment = "Start two of it: the time should fall until the CPUs or the next stage are the limit."
	return f, true
}

// stagePlace is where a class works, else where it was started.
func (v *view) stagePlace(c *evidence.Class) []string {
	for _, g := range v.hottest(c, 1) {
		return []string{v.p.at(g.at)}
	}
	return v.p.places(c.Created)
}

// waitedFor is how long others were kept until a class had woken them, as a fraction of the time, and the site where
// they waited longest.
func (v *view) waitedFor(c *evidence.Class) (share float64, longest *evidence.Wait) {
	for i := range v.t.Waits {
		w := &v.t.Waits[i]
		if w.Op != evidence.OpSend && w.Op != evidence.OpReceive && w.Op != evidence.OpSelect {
			continue
		}
		var all, by int64
		for _, k := range w.Wakers {
			all += k.Count
			if k.Class >= 0 && &v.t.Classes[k.Class] == c {
				by += k.Count
			}
		}
		if by == 0 || slices.ContainsFunc(w.Classes, func(i int) bool { return &v.t.Classes[i] == c }) &&
			len(w.Classes) == 1 {
			continue
		}
		share += v.traced(v.kept(w)) * float64(by) / float64(all)
		if longest == nil || w.Waited > longest.Waited {
			longest = w
		}
	}
	return share, longest
}

// pushed is how long others were kept when they wanted to hand something to a class, as a fraction of the time.
func (v *view) pushed(c *evidence.Class) float64 {
	waited := time.Duration(0)
	for i := range v.t.Waits {
		w := &v.t.Waits[i]
		if w.Op == evidence.OpSend && slices.ContainsFunc(w.Wakers,
			func(k evidence.Waker) bool { return k.Class >= 0 && &v.t.Classes[k.Class] == c }) {
			waited += v.kept(w)
		}
	}
	return v.traced(waited)
}

// lockstep is a line whose stages wait for each other in turns: now the channel between them is full, now it is empty.
func (v *view) lockstep(line []stage) (Finding, bool) {
	var worst *evidence.Resource
	for i := range v.t.Resources {
		r := &v.t.Resources[i]
		if r.Kind != evidence.OpChannel || v.traced(r.Full) < stepWaits || v.traced(r.Empty) < stepWaits ||
			v.traced(r.Starved) < stepIdle || r.FullCount < 10 || r.EmptyCount < 10 {
			continue
		}
		if worst == nil || r.Full+r.Empty > worst.Full+worst.Empty {
			worst = r
		}
	}
	if worst == nil || line[0].occupied > 0.95 {
		return Finding{}, false
	}
	most := math.Min(1-v.floor(line[0].occupied), v.slack())
	name := UnbufferedLockstep
	if v.buffered(worst) {
		if v.idle() < stepIdle {
			return Finding{}, false
		}
		name = UndersizedBuffer
		most = math.Min(most, v.idle())
	}
	f := v.finding(name, "Neighbours in a line wait for each other in turns, because nothing lies between them.")
	f.Fix = "Give the channel a buffer of 1 to 16."
	if name == UndersizedBuffer {
		f.Claim = "The buffer between two stages is now full, now empty: it is too small for how much their times vary."
		f.Fix = "Make the buffer some times larger."
	}
	f.Where = v.p.places(worst.Sites...)
	f.Share = v.idle()
	f.says("senders were parked for %s of the time (%d times), receivers for %s (%d times)",
		percent(v.traced(worst.Full)), worst.FullCount, percent(v.traced(worst.Empty)), worst.EmptyCount)
	f.says("no stage is occupied for more than %s of the time, and %s of the CPUs' time is unused",
		percent(line[0].occupied), percent(v.idle()))
	f.Gain = gain(0.8*most, 0.2*most, 1.2*most)
	f.Rival = "The stages' times do not vary, and one of them is the limit."
	f.Experiment = "Double the buffer: if nothing changes, it is not the limit."
	return f, true
}
