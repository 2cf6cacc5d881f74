package trial

import (
	"errors"
	"time"

	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/result"
)

// shortSection is a mean cost of real code. Below it, a clock read (some hundred nanoseconds) and its effect on
// caches may be more than one percent of a section.
const shortSection = 50 * time.Microsecond

// Warnings of trials with real code. The sentences have no figures, so that a table shows each once.
const (
	warnMeasured = "real code was charged the CPU time of this run, which varies between runs: record the costs in " +
		"a file (record-costs) to keep them, and replay that file (replay-costs) to repeat the run"
	warnWall = "this system has no clock for the CPU time of a thread: real code was charged wall time, which may " +
		"include time of other processes"
	warnShort = "sections of real code take less than 50us on average, so reading the clock inflates them: do more " +
		"in each, or declare their cost (env.WorkFor)"
	warnShared = "real code was timed with one CPU busy: contention for caches and memory bandwidth is not modelled"
)

// errConcurrent ends a trial that came to real code while other trials ran.
var errConcurrent = errors.New("real code is not measured while other trials run")

// realCode charges the real code of one trial in virtual time.
type realCode struct {
	recording *Recording // nil: none is kept

	costs    *trialCosts // of the trial, in the recording
	alone    bool
	sections *calibrate.Sectioner // nil until the first section, and if nothing is measured
	counts   map[sectionKey]int   // sections of each key so far
	refused  bool
	charged
}

// charged is the total cost of sections of real code.
type charged struct {
	n   int64
	sum time.Duration
}

// since returns the charges after an earlier instant.
func (c charged) since(o charged) charged { return charged{c.n - o.n, c.sum - o.sum} }

func newRealCode(spec Spec) (*realCode, error) {
	r := &realCode{recording: spec.Recording, alone: !spec.Concurrent, counts: map[sectionKey]int{}}
	var err error
	if r.recording != nil {
		r.costs, err = r.recording.find(spec)
	}
	return r, err
}

// replays reports whether all costs come from a file.
func (r *realCode) replays() bool { return r.recording != nil && r.recording.sealed }

// Begin implements virtual.Sections.
func (r *realCode) Begin() error {
	switch {
	case r.replays():
		return nil
	case !r.alone:
		r.refused = true
		return errConcurrent
	case r.sections == nil:
		r.sections = calibrate.NewSectioner()
	}
	r.sections.Begin()
	return nil
}

// End implements virtual.Sections. A section that is in the recording costs what was recorded, even while the
// recording is being made. So every trial of one specification takes the same course.
func (r *realCode) End(code virtual.Code) (cost time.Duration, err error) {
	if !r.replays() {
		cost = r.sections.End()
	}
	if r.recording != nil {
		p := sectionKey(code)
		if cost, err = r.recording.cost(r.costs, p, r.counts[p], cost); err != nil {
			return 0, err
		}
		r.counts[p]++
	}
	r.n++
	r.sum += cost
	return cost, nil
}

// Drop implements virtual.Sections.
func (r *realCode) Drop() {
	if !r.replays() {
		r.sections.Drop()
	}
}

// checkComplete returns an error if a job ended before it had done all of its recorded work.
func (r *realCode) checkComplete() error {
	if r.recording == nil {
		return nil
	}
	return r.recording.checkComplete(r.costs, int(r.n))
}

// report adds to a trial the cost of its real code within the window, like its CPU time, and warnings.
func (r *realCode) report(m *measurement) {
	if r.n == 0 {
		return
	}
	m.trial.RealCode = result.RealMeasured
	if r.recording != nil && r.recording.kept {
		m.trial.RealCode = result.RealRecorded
	} else {
		m.warn(warnMeasured)
	}
	inside := r.charged
	if m.closed {
		inside = m.ended.code.since(m.began.code)
	}
	m.set("real_sections", result.Value(inside.n))
	m.set("real_code_seconds", result.Value(inside.sum.Seconds()))
	clock := ""
	if r.sections != nil {
		clock = r.sections.Clock
		if r.recording == nil { // a recording gives the same result however it is used
			m.set(result.TimingSeconds, result.Value(r.sections.Own().Seconds()))
		}
	}
	if r.recording != nil {
		clock = r.recording.setClock(clock)
	}
	if clock == calibrate.WallClock {
		m.warn(warnWall)
	}
	if r.sum < time.Duration(r.n)*shortSection {
		m.warn(warnShort)
	}
	if m.spec.Point.Int("cpus") > 1 {
		m.warn(warnShared)
	}
}
