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
)

const (
	checks    = 15   // burns that check a rate
	reps      = 100  // burns that measure one
	tolerance = 0.01 // of the median of checked burns: beyond it a stored rate is measured again
)

// prefix begins the name of the file that has a machine's burn rate.
const prefix = "burn"

// File is where what was calibrated of a machine is kept: dir/PREFIX-FINGERPRINT.json.
func File(dir, prefix, fingerprint string) (string, error) {
	if fingerprint == "" || strings.ContainsAny(fingerprint, `/\:`) {
		return "", fmt.Errorf("the machine's fingerprint %q is no part of a file name: it must be a word", fingerprint)
	}
	return filepath.Join(dir, prefix+"-"+fingerprint+".json"), nil
}

// Load returns the stored calibration of a machine. It is false where there is none that can be
// used: no file, a damaged one, one of another machine, one by another clock than this system has.
func Load(dir, fingerprint string) (Burn, bool) {
	name, err := File(dir, prefix, fingerprint)
	if err != nil {
		return Burn{}, false
	}
	text, err := input.ReadFile(context.Background(), name, input.Settings)
	if err != nil {
		return Burn{}, false
	}
	var b Burn
	if json.Unmarshal(text, &b) != nil || !b.usable() || b.Fingerprint != fingerprint {
		return Burn{}, false
	}
	b.Stored = true
	return b, true
}

// Store keeps b in dir as burn-FINGERPRINT.json.
func Store(dir string, b Burn) error { return Keep(dir, prefix, b.Fingerprint, b) }

// Keep writes what was calibrated of a machine to its [File] as JSON. It makes dir where it is missing. A reader sees
// the old file or the new one, never a part.
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

// ForSweep is the calibration that a sweep on this machine uses: the stored one if 15 burns by it
// last 1 ms within 1 % in the median, else a new one of 100 burns, which is checked and stored. The
// checked burns are in Median and P95, so that a machine that will not hold still shows. A cache
// directory that cannot be written is no error: Stored is false. It takes less than 0.3 s of CPU.
func ForSweep(dir, fingerprint string) (Burn, error) {
	return locked(func(s stopwatch) (Burn, error) { return s.forSweep(dir, fingerprint) })
}

func (s stopwatch) forSweep(dir, fingerprint string) (Burn, error) {
	if b, ok := Load(dir, fingerprint); ok && b.Clock == s.clock {
		if _, err := s.warm(); err != nil {
			return Burn{}, err
		}
		b.Median, b.P95 = s.check(b.Rate, checks)
		if near(b.Median) {
			return b, nil
		}
	}
	b, err := s.measure(reps)
	if err != nil {
		return Burn{}, err
	}
	b.Fingerprint = fingerprint
	b.Stored = Store(dir, b) == nil
	return b, nil
}

func near(median time.Duration) bool {
	return math.Abs(float64(median)/float64(batch)-1) <= tolerance
}

// CacheDir is where calibrations are kept; "" where there is no home.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "brewput")
}
