package sweep

import (
	"fmt"
	"maps"
	"strings"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// limited is the outcome of a pilot or trial that the time limit ended.
type limited struct {
	outcome  trial.Outcome
	pilot    bool
	warmup   Duration // of a pilot
	window   Duration
	reported bool // a trial already has its stacks
}

// caseOf returns the name of a trial's case.
func caseOf(spec trial.Spec) string {
	return caseName(plan.Case{Design: spec.Design, Point: spec.Point})
}

func caseName(c plan.Case) string { return c.Design + " " + c.Point.String() }

// recordLimited records the case of a trial if the time limit ended it and would probably end the case's other trials.
func (s *Sweep) recordLimited(spec trial.Spec, o trial.Outcome) *limited {
	l := &limited{outcome: o}
	if o.Limited {
		if s.limited == nil {
			s.limited = map[string]*limited{}
		}
		s.limited[caseOf(spec)] = l
	}
	return l
}

// pruneLimited keeps only the limited pilots that have the final warm-up and window. While these are being sought,
// the others save time: pilots with longer windows would reach the limit too.
func (s *Sweep) pruneLimited() {
	set := s.Header.Settings
	maps.DeleteFunc(s.limited,
		func(_ string, l *limited) bool { return l.warmup != set.Warmup || l.window != set.Duration })
}

// limitedOutcome returns the outcome of a trial whose case has already reached the time limit. The trial does
// not run, because it would take as long again. The run that reached the limit may be a pilot, whose requests
// differ from those that the trial's seed draws.
func (s *Sweep) limitedOutcome(spec trial.Spec) (o trial.Outcome, ok bool) {
	l := s.limited[caseOf(spec)]
	if l == nil {
		return trial.Outcome{}, false
	}

	t, why := trial.Blank(spec), "another replication"
	switch {
	case l.pilot:
		why = "the pilot of its case, with its own seed,"
	case l.outcome.Trial.World == result.Live:
		why = "an earlier trial"
	}

	t.World, t.Status, t.Error = l.outcome.Trial.World, result.Failed, l.outcome.Trial.Error
	if !strings.HasPrefix(t.Error, notRunPrefix) { // unless that trial did not run either
		t.Error = fmt.Sprintf(notRunPrefix+"%s failed: %s", why, t.Error)
	}

	if !l.reported {
		l.reported, o.Failure = true, l.outcome.Failure
	}

	o.Trial, o.Limited = t, true
	return o, true
}

// notRunPrefix is the prefix of the error of a trial that did not run.
const notRunPrefix = "not run, as "

// restoreLimited records the cases that reached the time limit in an earlier execution, unless the limit has changed
// since. Stored trials stay as they are.
func (s *Sweep) restoreLimited() {
	for _, t := range s.Done[min(s.RetryLimited, len(s.Done)):] {
		spec := trial.Spec{Design: t.Design, Point: t.Point}
		switch {
		case t.Limited:
			s.recordLimited(spec, trial.Outcome{Trial: t, Limited: true}).reported = true
		default: // it has run since, with a longer limit; trials that do not run are marked as limited
			delete(s.limited, caseOf(spec))
		}
	}
}
