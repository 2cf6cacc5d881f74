package costs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
)

// prefix begins the name of the file that holds a machine's costs.
const prefix = "costs"

// Store writes a calibration to the cache directory, and replaces an older one of the same machine.
func Store(dir string, c result.Calibration) error {
	return calibrate.Keep(dir, prefix, c.Fingerprint, c)
}

// Load returns the calibration of a machine and its costs. The error says why there is none that can be used: it is
// missing or damaged, or that of another machine or Go version.
func Load(dir, fingerprint, goVersion string) (result.Calibration, sim.Costs, error) {
	name, err := calibrate.File(dir, prefix, fingerprint)
	if err != nil {
		return result.Calibration{}, sim.Costs{}, err
	}
	text, err := input.ReadFile(context.Background(), name, input.Settings)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return result.Calibration{}, sim.Costs{}, missing(dir)
	case err != nil:
		return result.Calibration{}, sim.Costs{}, fmt.Errorf("the calibration cannot be read: %w", err)
	}
	c, costs, err := parse(text)
	switch {
	case err != nil:
		return c, costs, fmt.Errorf("the calibration in %s is damaged: %w", name, err)
	case c.Fingerprint != fingerprint:
		return c, costs, fmt.Errorf("the calibration in %s is of another machine: its fingerprint is %s, here it is %s",
			name, c.Fingerprint, fingerprint)
	case c.GoVersion != goVersion: // costs depend on the runtime as much as on the machine
		return c, costs, fmt.Errorf("the calibration is of %s, and this program is built with %s", c.GoVersion,
			goVersion)
	}
	return c, costs, nil
}

// missing distinguishes a machine that was never calibrated from one in a cache with other machines. A cache may be
// shared, and a machine may get a new kernel.
func missing(dir string) error {
	others, _ := filepath.Glob(filepath.Join(dir, prefix+"-*.json"))
	for _, name := range others {
		text, err := input.ReadFile(context.Background(), name, input.Settings)
		if err != nil {
			continue
		}
		if c, _, err := parse(text); err == nil {
			return fmt.Errorf("the calibration of %s is of another machine, or of this one with another kernel: "+
				"its fingerprint is %s", c.Measured.Format("2006-01-02"), c.Fingerprint)
		}
	}
	return errors.New("this machine is not calibrated")
}

// parse parses a stored calibration, and returns an error for an impossible one.
func parse(text []byte) (result.Calibration, sim.Costs, error) {
	var c result.Calibration
	if err := json.Unmarshal(text, &c); err != nil {
		return c, sim.Costs{}, err
	}
	switch {
	case c.Kind != result.KindCalibration:
		return c, sim.Costs{}, fmt.Errorf("its kind is %q, not %q", c.Kind, result.KindCalibration)
	case c.SchemaVersion != result.SchemaVersion:
		return c, sim.Costs{}, fmt.Errorf("its schema version is %d, and this program reads %d", c.SchemaVersion,
			result.SchemaVersion)
	case c.Fingerprint == "" || c.GoVersion == "" || c.Measured.IsZero():
		return c, sim.Costs{}, errors.New("it does not name its machine, program and time")
	}
	costs, err := sim.ParseCosts(c.Costs)
	if err != nil {
		return c, sim.Costs{}, fmt.Errorf("its costs cannot be read: %w", err)
	}
	return c, costs, nil
}
