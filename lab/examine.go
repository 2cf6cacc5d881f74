package lab

import (
	"cmp"
	"context"
	"time"

	"github.com/brewput/brewput/doctor"
	"github.com/brewput/brewput/internal/aa"
)

// ExamineOptions are the options of [Examine].
type ExamineOptions struct {
	Quick     bool          // do not measure the noise floor, which takes most of the time
	TimeLimit time.Duration // time after which the noise floor is not measured any more; default 30 s
	Program   string        // as in DesignOptions
	Notify    func(Event)   // receives a [Note] at the start, unless Quick is set; may be nil
}

// Examine checks whether this machine is fit for measuring: other processes, quotas, clocks, timers and the build of
// this program. It also compares a design with itself in real trials; the apparent difference is the noise floor. It
// takes about 15 s, during which nothing else should run, and 2 s with Quick. It changes nothing.
//
// A noise floor that could not be measured is a check with the reason, not an error. The error is a [*Refusal] or that
// of ctx. Concurrent calls disturb each other.
func Examine(ctx context.Context, o ExamineOptions) (*doctor.Examination, error) {
	if o.TimeLimit < 0 {
		return nil, refuse("time-limit", o.TimeLimit, "is not a positive time")
	}
	if !o.Quick {
		notifier(o.Notify).send(Note{"examining this machine for about 15s; keep it idle"})
	}
	return aa.Examine(ctx, program(o.Program), o.Quick, cmp.Or(o.TimeLimit, 30*time.Second))
}
