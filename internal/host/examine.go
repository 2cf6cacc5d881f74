package host

import (
	"context"
	"io/fs"
	"os"
	"time"

	"github.com/brewput/brewput/internal/alarm"
	"github.com/brewput/brewput/internal/doctor"
)

// quiet is how long an examination stands still to see what others do, for the case that it is all the
// time that it takes: of the system's ticks of 10 ms one on one CPU is then 1 %.
const quiet = time.Second

// Examination reads what tells whether this machine is fit for measuring. Its counters are compared at
// its end with those at its beginning, so that they also tell of what the caller did in between.
type Examination struct {
	Environment Environment

	root  fs.FS // nil where the system shows nothing in files
	r     doctor.Readings
	first sample
}

// Examine begins an examination. It takes two seconds, of which it works little, and changes nothing.
// program is what the user types for this command.
func Examine(ctx context.Context, program string) (*Examination, error) {
	x := newExamination(systemRoot(), Read(), program)
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(quiet):
	}
	x.r.ClockRead = doctor.Read(clockRead())
	x.r.Sleep = lateness(sleeper)
	if t, ok := alarm.New(); ok {
		x.r.Timer = lateness(func(d time.Duration) (time.Time, bool) {
			ok := t.Wait(d)
			return time.Now(), ok
		})
		t.Close()
	}
	return x, ctx.Err()
}

// newExamination reads what needs no time.
func newExamination(root fs.FS, e Environment, program string) *Examination {
	x := &Examination{Environment: e, root: root, first: takeSample(root)}
	x.r = doctor.Readings{
		Program: program,
		CPUs:    e.CPUs, Online: maybe(e.OnlineCPUs), Procs: e.GOMAXPROCS, ProcsFrom: e.GOMAXPROCSFrom,
		Hypervisor: maybe(e.Hypervisor), ClockSource: maybe(e.ClockSource),
		Race: maybe(e.Race), Cover: maybe(e.Cover), BuildFlags: e.BuildFlags,
		GODEBUG: os.Getenv("GODEBUG"), GOGC: e.GOGC, GOMEMLIMIT: e.GOMEMLIMIT,
		MemoryTotal: maybe(e.MemoryBytes),
	}
	if e.PerformanceCPUs != nil && e.EfficiencyCPUs != nil {
		x.r.Cores = doctor.Read(doctor.Cores{Performance: *e.PerformanceCPUs, Efficiency: *e.EfficiencyCPUs,
			Fast: fastCPUs(root)})
	} else if e.Cores != nil {
		x.r.Cores = doctor.Read(doctor.Cores{})
	}
	if root == nil {
		lacking(&x.r)
	} else {
		readTree(root, &x.r)
	}
	return x
}

// Readings ends the examination.
func (x *Examination) Readings() doctor.Readings {
	last := takeSample(x.root)
	r := x.r
	r.Window = last.at.Sub(x.first.at)
	r.Others = last.othersSince(x.first, r.Window)
	r.Steal = last.stealSince(x.first, r.Window)
	r.Throttled = grown(last.throttled, x.first.throttled)
	r.Heat = grown(last.heat, x.first.heat)
	r.Swapped = grown(last.swapped, x.first.swapped)
	return r
}

// lacking says of what only Linux tells that this system does not.
func lacking(r *doctor.Readings) {
	r.Load1, r.MemoryAvailable = doctor.Absent[float64](), doctor.Absent[uint64]()
	r.Quota, r.Governors = doctor.Absent[doctor.Quota](), doctor.Absent[[]string]()
	r.Boost, r.SMT = doctor.Absent[doctor.Boost](), doctor.Absent[doctor.SMT]()
	r.ClockSource, r.TimerSlack = doctor.Absent[string](), doctor.Absent[time.Duration]()
	r.Timer, r.Battery = doctor.Absent[doctor.Lateness](), doctor.Absent[doctor.Battery]()
}

// maybe is the reading of what an environment holds: null is unknown there.
func maybe[T any](p *T) doctor.Reading[T] {
	if p == nil {
		return doctor.Reading[T]{}
	}
	return doctor.Read(*p)
}

// sample is a snapshot of counters that only grow, of the whole machine but for own and throttled.
type sample struct {
	at                       time.Time
	busy, stolen             doctor.Reading[time.Duration] // CPU time, of all CPUs
	own                      doctor.Reading[time.Duration] // CPU time of this process and its children that ended
	throttled, heat, swapped doctor.Reading[uint64]
}

func takeSample(root fs.FS) sample {
	s := sample{at: time.Now(), own: ownCPU()}
	if root == nil {
		s.busy, s.stolen = doctor.Absent[time.Duration](), doctor.Absent[time.Duration]()
		s.throttled, s.heat, s.swapped = doctor.Absent[uint64](), doctor.Absent[uint64](), doctor.Absent[uint64]()
		return s
	}
	sampleTree(root, &s)
	return s
}

// othersSince is how many CPUs other processes used since an earlier sample. Ticks can make it seem a
// little less than none.
func (s sample) othersSince(earlier sample, d time.Duration) doctor.Reading[float64] {
	busy, own := grown(s.busy, earlier.busy), grown(s.own, earlier.own)
	b, ok := busy.Get()
	o, known := own.Get()
	switch {
	case !ok:
		return shareOf(busy, d)
	case !known || d <= 0:
		return doctor.Reading[float64]{}
	}
	return doctor.Read(max(0, float64(b-o)/float64(d)))
}

func (s sample) stealSince(earlier sample, d time.Duration) doctor.Reading[float64] {
	return shareOf(grown(s.stolen, earlier.stolen), d)
}

// shareOf is CPU time by the time it was used in. What is absent stays so.
func shareOf(r doctor.Reading[time.Duration], d time.Duration) doctor.Reading[float64] {
	if t, ok := r.Get(); ok && d > 0 {
		return doctor.Read(float64(t) / float64(d))
	}
	if r == doctor.Absent[time.Duration]() {
		return doctor.Absent[float64]()
	}
	return doctor.Reading[float64]{}
}

// grown is what a counter grew by; unknown where it fell, as that of a CPU that went offline.
func grown[T uint64 | time.Duration](later, earlier doctor.Reading[T]) doctor.Reading[T] {
	l, ok := later.Get()
	e, had := earlier.Get()
	switch {
	case ok && had && l >= e:
		return doctor.Read(l - e)
	case !ok && later == earlier:
		return later
	}
	return doctor.Reading[T]{}
}
