package calibrate

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/result"
)

const (
	checks    = 15   // burns that check a rate
	reps      = 100  // burns that measure a rate
	tolerance = 0.01 // relative error of the median of check burns; beyond it a stored rate is measured again
)

// prefix begins the name of the file that holds a machine's burn rate.
const prefix = "burn"

// File returns the name of the file for a machine's calibration: dir/PREFIX-FINGERPRINT.json.
func File(dir, prefix, fingerprint string) (string, error) {
	if fingerprint == "" || strings.ContainsAny(fingerprint, `/\:`) {
		return "", fmt.Errorf("the machine's fingerprint %q cannot be part of a file name: it must be a "+
			"word", fingerprint)
	}
	return filepath.Join(dir, prefix+"-"+fingerprint+".json"), nil
}

// Load returns the stored calibration of a machine. It reports false if there is none that can be used: no file, a
// damaged file, a file of another machine, or one measured with a clock that this system does not have.
func Load(dir, fingerprint string) (result.Burn, bool) {
	name, err := File(dir, prefix, fingerprint)
	if err != nil {
		return result.Burn{}, false
	}
	text, err := input.ReadFile(context.Background(), name, input.Settings)
	if err != nil {
		return result.Burn{}, false
	}
	var b result.Burn
	if json.Unmarshal(text, &b) != nil || !usable(b) || b.Fingerprint != fingerprint {
		return result.Burn{}, false
	}
	b.Stored = true
	return b, true
}

// Store writes b to dir as burn-FINGERPRINT.json.
func Store(dir string, b result.Burn) error { return Keep(dir, prefix, b.Fingerprint, b) }

// Keep writes a machine's calibration to its [File] as JSON, and creates dir if it is missing. A reader sees the old
// file or the new one, never a part.
func Keep(dir, prefix, fingerprint string, v any) error {
	name, err := File(dir, prefix, fingerprint)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("calibration: cache directory: %w", err)
	}
	tmp, err := os.CreateTemp(dir, prefix+"-*.tmp")
	if err != nil {
		return fmt.Errorf("calibration: cache directory: %w", err)
	}
	_, err = tmp.Write(append(text, '\n'))
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("calibration: %w", err)
	}
	return nil
}

// ForSweep returns the calibration for a sweep on this machine. It is the stored one if the median of 15 burns at its
// rate is within 1% of 1 ms. Otherwise it measures 100 burns, checks the new rate and stores it. Median and P95 are
// those of the check burns, so that an unstable machine shows. A cache directory that cannot be written is no error:
// Stored is false. It takes less than 0.3 s of CPU time.
func ForSweep(dir, fingerprint string) (result.Burn, error) {
	return locked(func(s stopwatch) (result.Burn, error) { return s.forSweep(dir, fingerprint) })
}

func (s stopwatch) forSweep(dir, fingerprint string) (result.Burn, error) {
	if b, ok := Load(dir, fingerprint); ok && b.Clock == s.clock {
		if _, err := s.warm(); err != nil {
			return result.Burn{}, err
		}
		b.Median, b.P95 = s.check(b.Rate, checks)
		if near(b.Median) {
			return b, nil
		}
	}
	b, err := s.measure(reps)
	if err != nil {
		return result.Burn{}, err
	}
	b.Fingerprint = fingerprint
	b.Stored = Store(dir, b) == nil
	return b, nil
}

// near reports whether the median of the check burns is within the tolerance.
func near(median time.Duration) bool {
	return math.Abs(float64(median)/float64(batch)-1) <= tolerance
}

// CacheDir returns the directory of calibrations; "" if the user has no home directory.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "brewput")
}
