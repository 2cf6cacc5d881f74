package trial

import (
	"errors"
	"fmt"
	"time"

	"github.com/brewput/brewput/env/virtual"
)

const (
	// maxAtOnce, plus ten for each worker, is the largest number of requests that may end at one instant. More
	// mean that the operations take no virtual time, so that the window never ends.
	maxAtOnce = 1 << 20
	// checkEvery is the number of requests between two readings of the real clock, or the number of workers if
	// that is larger: all workers may end their requests within a short part of a long time.
	checkEvery = 1 << 10
	// firstPrediction is the real time after which the length of a run can be predicted; it is at most a tenth
	// of the limit.
	firstPrediction = 5 * time.Second
)

var errNoTime = errors.New("the operations take no virtual time, so the window never ends: give them work with a " +
	"factor such as coffee's stage, or set the scheduler's costs")

// limitPredictor ends a load in virtual time that will never end, or not within its limit of real time: its
// operations take no virtual time, or so little that the window holds too many of them. Loads with a number of
// operations have none, because they end.
type limitPredictor struct {
	span    time.Duration // virtual time from the release to the end of the window
	limit   time.Duration // real time; 0: no limit
	workers int
	open    bool // requests arrive at their own times
	now     func() time.Time
	fail    func(error)

	n     int64
	began time.Time     // real time of the first check
	from  time.Duration // virtual time of the first check
	at    time.Duration // virtual time at which the last request ended
	still int           // successive requests that ended at that time
}

// note records that a request ended at the given virtual time.
func (o *limitPredictor) note(to time.Duration) {
	if to != o.at {
		o.at, o.still = to, 0
	}
	if o.still++; o.still == maxAtOnce+10*o.workers {
		o.fail(errNoTime)
	}
	o.n++
	if o.limit == 0 || o.n%o.every() != 0 {
		return
	}
	if o.began.IsZero() {
		o.began, o.from = o.now(), to
		return
	}
	if to > o.from && exceedsLimit(o.now().Sub(o.began), to-o.from, o.span, o.limit) {
		o.fail(o.tooMany())
	}
}

func (o *limitPredictor) every() int64 { return int64(max(checkEvery, o.workers)) }

func (o *limitPredictor) tooMany() error {
	what, give := "the operations take so little virtual time that %v holds too many",
		"give a number of operations, a shorter warm-up and duration, or more work to each"
	if o.open {
		what, give = "too many requests arrive in %v of virtual time", "give a lower rate or "+
			"load, or a shorter warm-up and duration"
	}
	return fmt.Errorf(what+": the simulation would run to %w of %v; "+give, o.span, virtual.ErrLimit,
		o.limit)
}

// exceedsLimit reports whether a load of a given span of virtual time will take more than twice the limit. It
// extrapolates from the real time that a part of the span took.
func exceedsLimit(real, part, span, limit time.Duration) bool {
	return real >= min(firstPrediction, limit/10) && float64(real)*float64(span) > 2*float64(limit)*float64(part)
}
