package aa

import (
	"context"
	"runtime"
	"time"

	"github.com/brewput/brewput/doctor"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// Examine examines this machine. It measures the noise floor until the limit is over, or not at all if quick is set.
// program is the name that the user types for this command. The error is that of a cancelled ctx.
func Examine(ctx context.Context, program string, quick bool, limit time.Duration) (*doctor.Examination, error) {
	began := time.Now()
	x, err := host.Examine(ctx, program)
	if err != nil {
		return nil, err
	}
	var noise []doctor.Noise
	if !quick {
		if noise, err = noiseFloor(ctx, x.Environment, limit-time.Since(began)); err != nil {
			return nil, err
		}
	}

	readings := x.Readings()
	readings.Costs = readCosts(x.Environment)
	res := &doctor.Examination{Environment: x.Environment}
	res.Checks, res.Report = doctor.Judge(readings, noise)
	return res, nil
}

// noiseFloor measures the noise floor at one CPU and at all CPUs.
func noiseFloor(ctx context.Context, e result.Environment, limit time.Duration) ([]doctor.Noise, error) {
	cpus := []int{1}
	if n := runtime.GOMAXPROCS(0); n > 1 {
		cpus = append(cpus, n)
	}
	burn, err := calibrate.ForSweep(calibrate.CacheDir(), e.Fingerprint)
	if err != nil {
		return []doctor.Noise{{CPUs: 1, Missing: err.Error()}}, nil
	}
	return Floor(ctx, cpus, limit, burn.Rate, trial.Runner{}.Run)
}

// readCosts reports whether the scheduler's costs on this machine are known.
func readCosts(e result.Environment) doctor.Reading[doctor.Costs] {
	c, _, err := costs.Load(calibrate.CacheDir(), e.Fingerprint, e.GoVersion)
	if err != nil {
		return doctor.Read(doctor.Costs{Missing: err.Error()})
	}
	return doctor.Read(doctor.Costs{Measured: c.Measured})
}
