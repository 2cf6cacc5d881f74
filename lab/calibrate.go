package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brewput/brewput/doctor"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// UnfitError is the error of [Calibrate] if other processes load the machine, or if two halves of the measurement
// disagree. Nothing is stored.
type UnfitError struct {
	Load string // what loads the machine; "" if the two halves disagree
	Err  error  // how the two halves disagree; nil if the machine is loaded
}

// Error says what is wrong and what to do about it.
func (e *UnfitError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("this calibration is not usable: %v; nothing is stored: stop other programs on this "+
			"machine and its host, and calibrate again", e.Err)
	}
	return "this machine cannot be calibrated now: " + e.Load + "; nothing is stored: stop other programs, and " +
		"calibrate again"
}

// Unwrap returns the cause, or nil.
func (e *UnfitError) Unwrap() error { return e.Err }

// Calibrate measures the costs of Go's scheduler on this machine, such as the wake-up latency of a CPU, and stores them
// in the user's cache directory. Later simulations and predictions use them. It takes about 20 s, during which nothing
// else should run. It sends a [Note] and [Progress] to notify, which may be nil. If the machine is loaded, the error is
// an [*UnfitError]. Concurrent calls disturb each other.
func Calibrate(ctx context.Context, notify func(Event)) (*result.Calibration, error) {
	began := time.Now()
	notifier(notify).send(Note{"calibrating this machine for about 20s; keep it idle"})
	x, err := host.CalmMoment(ctx)
	if err != nil {
		return nil, err
	}
	if err := undisturbed(x.Readings(), false); err != nil {
		return nil, err
	}
	e := x.Environment
	burn, err := calibrate.ForSweep(calibrate.CacheDir(), e.Fingerprint)
	if err != nil {
		return nil, err
	}
	run := costs.Run(trial.Runner{TimeLimit: time.Minute}.Run)
	c, err := costs.Measure(ctx, burn.Rate, e.CPUs, run.Counted(func(done int) {
		notifier(notify).send(Progress{Done: done})
	}))
	if err != nil {
		return nil, unsteady(err)
	}
	if err := undisturbed(x.Readings(), true); err != nil {
		return nil, err
	}
	c.Fingerprint, c.GoVersion, c.Measured, c.Seconds = e.Fingerprint, e.GoVersion, began, time.Since(began).Seconds()
	return &c, costs.Store(calibrate.CacheDir(), c)
}

// undisturbed returns an UnfitError if other processes load the machine. own says that the load average includes the
// calibration itself.
func undisturbed(r doctor.Readings, own bool) error {
	if why := doctor.Disturbed(r, own); why != "" {
		return &UnfitError{Load: why}
	}
	return nil
}

// unsteady converts the error of a machine whose costs changed during calibration to an UnfitError.
func unsteady(err error) error {
	if u := (*costs.Unsteady)(nil); errors.As(err, &u) {
		return &UnfitError{Err: err}
	}
	return err
}
