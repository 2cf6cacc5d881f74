package trial

import (
	"errors"
	"fmt"
	"time"

	"github.com/brewput/brewput/env/virtual"
)

const (
	// mostAtOnce is how many requests may end at one instant, beside ten of each worker: nothing in them takes time,
	// and there will be no end of them.
	mostAtOnce = 1 << 20
	// lookEvery is after how many requests the real clock is looked at, or after one of each worker where there are
	// more of those: they may all end their requests within a moment of a long time.
	checkEvery = 1 << 10
	// firstLook is the real time after which one can tell how long a load will take; at most a tenth of its limit.
	firstPrediction = 5 * time.Second
)

var errNoTime = errors.New("the operations take no virtual time, so that the window never ends: give them work by a " +
	"factor of the workload, such as coffee's stage, or give the scheduler costs")

// outlook sees early what will never end: a load in virtual time whose operations take none, or so little that there
// are too many of them until its window is over. Where operations are counted there is none: they end.
type limitPredictor struct {
	span    time.Duration // of virtual time from the release to the end of the window
	limit   time.Duration // of real time; 0 is none
	workers int
	open    bool // requests are customers, who come at their own times
	now     func() time.Time
	fail    func(error)

	n     int64
	began time.Time     // the first look,
	from  time.Duration // and the virtual time then
	at    time.Duration // when the last request ended
	still int           // requests that have ended then, in a row
}

// note takes the next request.
func (o *limitPredictor) note(to time.Duration) {
	if to != o.at {
		o.at, o.still = to, 0
	}
	if o.still++; o.still == mostAtOnce+10*o.workers {
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
	what, give := "the operations take so little virtual time that there are too many in %v of it",
		"give a number of operations, a shorter warm-up and duration, or more work to each"
	if o.open {
		what, give = "too many customers come in %v of virtual time", "give a lower rate or load, or a shorter warm-up "+
			"and duration"
	}
	return fmt.Errorf(what+": the simulation would run to %w of %v; "+give, o.span, virtual.ErrLimit,
		o.limit)
}

// hopeless reports whether a load of so much virtual time will take more than twice the limit, by the real time that a
// part of it took.
func exceedsLimit(real, part, span, limit time.Duration) bool {
	return real >= min(firstPrediction, limit/10) && float64(real)*float64(span) > 2*float64(limit)*float64(part)
}
