package sweep

import (
	"fmt"
	"strconv"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// limited is what a pilot or a trial has come to that the limit of real time has ended.
type limited struct {
	outcome trial.Outcome
	told    bool // as that of a trial
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

// limitedOf is the outcome of a trial of a case that the limit of real time has ended before: it is not run, for that would take as
// long again. The first such trial is the pilot of the case.
func (s *Sweep) limitedOf(spec trial.Spec) (o trial.Outcome, ok bool) {
	l := s.limited[caseOf(spec)]
	if l == nil {
		return trial.Outcome{}, false
	}
	if !l.told {
		l.told = true
		o = l.outcome
		o.Trial.Block, o.Trial.Order, o.Trial.Seed = spec.Block, spec.Order, strconv.FormatUint(spec.Seed, 10)
		return o, true
	}
	t := trial.Blank(spec)
	t.World, t.Status, t.Error = result.Virtual, result.Failed, "not run, as another replication failed: "+l.outcome.Trial.Error
	return trial.Outcome{Trial: t}, true
}
