package host

import (
	"context"
	"io/fs"
	"os"
	"time"

	"github.com/brewput/brewput/doctor"
	"github.com/brewput/brewput/internal/alarm"
	"github.com/brewput/brewput/result"
)

// quiet is the time for which an examination waits to observe other processes, if it has no other time. One
// tick of 10 ms on one CPU is then 1%.
const quiet = time.Second

// Examiner reads whether this machine is fit for measuring. It compares its counters at the end with those
// at the beginning, so they include what the caller did in between.
type Examiner struct {
	Environment result.Environment

	root  fs.FS // nil if the system shows nothing in files
	r     doctor.Readings
	first sample
}

// Examine begins an examination. It takes somewhat more than a second, mostly waiting, and changes nothing. program is
// the name that the user types for this command.
func Examine(ctx context.Context, program string) (*Examiner, error) {
	x := newExaminer(systemRoot(), Read(), program)
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(quiet):
	}
	x.r.ClockRead = doctor.Read(measureClockRead())
	x.r.Sleep = measureLateness(sleeper)
	if t, ok := alarm.New(); ok {
		x.r.Timer = measureLateness(func(d time.Duration) (time.Time, bool) {
			ok := t.Wait(d)
			return time.Now(), ok
		})
		t.Close()
	}
	return x, ctx.Err()
}

// newExaminer reads everything that needs no waiting.
func newExaminer(root fs.FS, e result.Environment, program string) *Examiner {
	x := &Examiner{Environment: e, root: root, first: takeSample(root)}
	x.r = doctor.Readings{
		Program: program,
		CPUs:    e.CPUs, Online: readingOf(e.OnlineCPUs), Procs: e.GOMAXPROCS, ProcsFrom: e.GOMAXPROCSFrom,
		Hypervisor: readingOf(e.Hypervisor), ClockSource: readingOf(e.ClockSource),
		Race: readingOf(e.Race), Cover: readingOf(e.Cover), BuildFlags: e.BuildFlags,
		GODEBUG: os.Getenv("GODEBUG"), GOGC: e.GOGC, GOMEMLIMIT: e.GOMEMLIMIT,
		MemoryTotal: readingOf(e.MemoryBytes),
	}
	if e.PerformanceCPUs != nil && e.EfficiencyCPUs != nil {
		x.r.Cores = doctor.Read(doctor.Cores{Performance: *e.PerformanceCPUs, Efficiency: *e.EfficiencyCPUs,
			Fast: fastCPUs(root)})
	} else if e.Cores != nil {
		x.r.Cores = doctor.Read(doctor.Cores{})
	}
	if root == nil {
		markAbsent(&x.r)
	} else {
		readTree(root, &x.r)
	}
	return x
}

// Readings ends the examination.
func (x *Examiner) Readings() doctor.Readings {
	last := takeSample(x.root)
	r := x.r
	r.Window = last.at.Sub(x.first.at)
	r.Others = last.othersSince(x.first, r.Window)
	r.Steal = last.stealSince(x.first, r.Window)
	r.Throttled = growth(last.throttled, x.first.throttled)
	r.Heat = growth(last.heat, x.first.heat)
	r.Swapped = growth(last.swapped, x.first.swapped)
	return r
}

// markAbsent marks readings as absent that only Linux provides.
func markAbsent(r *doctor.Readings) {
	r.Load1, r.MemoryAvailable = doctor.Absent[float64](), doctor.Absent[uint64]()
	r.Quota, r.Governors = doctor.Absent[doctor.Quota](), doctor.Absent[[]string]()
	r.Boost, r.SMT = doctor.Absent[doctor.Boost](), doctor.Absent[doctor.SMT]()
	r.ClockSource, r.TimerSlack = doctor.Absent[string](), doctor.Absent[time.Duration]()
	r.Timer, r.Battery = doctor.Absent[doctor.Lateness](), doctor.Absent[doctor.Battery]()
}

// readingOf converts a field of an environment to a reading; null is unknown.
func readingOf[T any](p *T) doctor.Reading[T] {
	if p == nil {
		return doctor.Reading[T]{}
	}
	return doctor.Read(*p)
}

// sample is a snapshot of counters that only grow. They cover the whole machine, except own and throttled.
type sample struct {
	at                       time.Time
	busy, stolen             doctor.Reading[time.Duration] // CPU time of all CPUs
	own                      doctor.Reading[time.Duration] // of this process and its ended children
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

// othersSince returns the number of CPUs that other processes used since an earlier sample, on average.
// Rounding to ticks may make it slightly negative.
func (s sample) othersSince(earlier sample, d time.Duration) doctor.Reading[float64] {
	busy, own := growth(s.busy, earlier.busy), growth(s.own, earlier.own)
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
	return shareOf(growth(s.stolen, earlier.stolen), d)
}

// shareOf divides CPU time by the time in which it was used. An absent reading stays absent.
func shareOf(r doctor.Reading[time.Duration], d time.Duration) doctor.Reading[float64] {
	if t, ok := r.Get(); ok && d > 0 {
		return doctor.Read(float64(t) / float64(d))
	}
	if r == doctor.Absent[time.Duration]() {
		return doctor.Absent[float64]()
	}
	return doctor.Reading[float64]{}
}

// growth returns the growth of a counter; unknown if it fell, such as when a CPU went offline.
func growth[T uint64 | time.Duration](later, earlier doctor.Reading[T]) doctor.Reading[T] {
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
