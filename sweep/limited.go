package sweep

import (
	"fmt"
	"maps"
	"strings"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// limited is what a pilot or a trial has come to that the limit of real time has ended.
type limited struct {
	outcome  trial.Outcome
	pilot    bool
	warmup   Duration // of a pilot
	window   Duration
	reported bool // a trial shows where it stood
}

// caseOf names the case of a trial.
func caseOf(spec trial.Spec) string {
	return caseName(plan.Case{Design: spec.Design, Point: spec.Point})
}

func caseName(c plan.Case) string { return c.Design + " " + c.Point.String() }

// limit notes a case whose outcome the limit of real time has ended.
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

// keepLimited keeps of the pilots that the limit has ended those of the window that the trials have. While it is
// sought, the others spare pilots of longer ones.
func (s *Sweep) pruneLimited() {
	set := s.Header.Settings
	maps.DeleteFunc(s.limited,
		func(_ string, l *limited) bool { return l.warmup != set.Warmup || l.window != set.Duration })
}

// limitedOf is the outcome of a trial of a case that the limit of real time has ended before: it is not run, for that
// would take as long again. What was ended may be the pilot of the case, whose requests are not those that the trial's
// seed draws.
func (s *Sweep) limitedOutcome(spec trial.Spec) (o trial.Outcome, ok bool) {
	l := s.limited[caseOf(spec)]
	if l == nil {
		return trial.Outcome{}, false
	}
	t, why := trial.Blank(spec), "another replication"
	if l.pilot {
		why = "the pilot of its case, which has a seed of its own,"
	}
	t.World, t.Status, t.Error = result.Virtual, result.Failed, l.outcome.Trial.Error
	if !strings.HasPrefix(t.Error, notRunPrefix) { // as that of a trial is which was not run either
		t.Error = fmt.Sprintf(notRunPrefix+"%s failed: %s", why, t.Error)
	}
	if !l.reported {
		l.reported, o.Failure = true, l.outcome.Failure
	}
	o.Trial, o.Limited = t, true
	return o, true
}

// notRun begins the error of a trial that was not run.
const notRunPrefix = "not run, as "

// recallLimited notes the cases that the limit has ended in an earlier execution, unless it is another limit now. What
// was stored of them stays as it is in any case.
func (s *Sweep) restoreLimited() {
	if s.RetryLimited {
		return
	}
	for _, t := range s.Done {
		if !t.Limited {
			continue
		}
		spec := trial.Spec{Design: t.Design, Point: t.Point}
		s.recordLimited(spec, trial.Outcome{Trial: t, Limited: true}).reported = true
	}
}
