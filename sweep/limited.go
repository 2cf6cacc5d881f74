package sweep

import (
	"fmt"
	"maps"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// limited is what a pilot or a trial has come to that the limit of real time has ended.
type limited struct {
	outcome trial.Outcome
	pilot   bool
	warmup  Duration // of a pilot
	window  Duration
	told    bool // a trial shows where it stood
}

// caseOf names the case of a trial.
func caseOf(spec trial.Spec) string { return fmt.Sprint(spec.Design, " ", spec.Point) }

// limit notes a case whose outcome the limit of real time has ended.
func (s *Sweep) limit(spec trial.Spec, o trial.Outcome) *limited {
	l := &limited{outcome: o}
	if o.Limited {
		if s.limited == nil {
			s.limited = map[string]*limited{}
		}
		s.limited[caseOf(spec)] = l
	}
	return l
}

// keepLimited keeps of the pilots that the limit has ended those of the window that the trials have. While it is sought, the
// others spare pilots of longer ones.
func (s *Sweep) keepLimited() {
	set := s.Header.Settings
	maps.DeleteFunc(s.limited, func(_ string, l *limited) bool { return l.warmup != set.Warmup || l.window != set.Duration })
}

// limitedOf is the outcome of a trial of a case that the limit of real time has ended before: it is not run, for that would take as
// long again. What was ended may be the pilot of the case, whose requests are not those that the trial's seed draws.
func (s *Sweep) limitedOf(spec trial.Spec) (o trial.Outcome, ok bool) {
	l := s.limited[caseOf(spec)]
	if l == nil {
		return trial.Outcome{}, false
	}
	t, why := trial.Blank(spec), "another replication"
	if l.pilot {
		why = "the pilot of its case, which has a seed of its own,"
	}
	t.World, t.Status, t.Error = result.Virtual, result.Failed, fmt.Sprintf("not run, as %s failed: %s", why, l.outcome.Trial.Error)
	if !l.told {
		l.told, o.Failure = true, l.outcome.Failure
	}
	o.Trial = t
	return o, true
}
