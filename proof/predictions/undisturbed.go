package main

import (
	"math"
	"slices"

	"github.com/brewput/brewput/proof/idle"
	"github.com/brewput/brewput/result"
)

// Limits of the trials that are scored, in addition to those of package idle.
const (
	// maxClock is the largest relative change of the length of burns, on average before and after the trial.
	maxClock = 0.03
	// leastScored is the number of undisturbed trials that a case needs; with fewer, all of its trials are scored.
	leastScored = 3
	// leastBlocks is the number of undisturbed blocks that the noise floor needs, as any verdict does; with fewer, all
	// are used.
	leastBlocks = 6
)

// disturbed reports whether other processes, the hypervisor or a change of the clock rate disturbed a live trial, so
// that no prediction could match it. Unknown values count as undisturbed, and so do instrumented trials, which are not
// scored.
func disturbed(t *result.Trial) bool {
	clock := float64(t.Metrics.Get("burn_probe_before")+t.Metrics.Get("burn_probe_after"))/2 - 1
	return t.Kind == result.KindTrial && (idle.NewUsage(t.Metrics).Disturbed() || math.Abs(clock) > maxClock)
}

// undisturbed returns the trials to score, with the numbers of those that it leaves out and of disturbed ones that it
// keeps because their case has too few others.
func undisturbed(trials []result.Trial) (scored []result.Trial, left, kept int) {
	name := func(t *result.Trial) string { return t.Design + " " + t.Point.String() }
	good := map[string]int{}
	for i := range trials {
		if t := &trials[i]; t.Kind == result.KindTrial && !disturbed(t) {
			good[name(t)]++
		}
	}
	for i := range trials {
		t := &trials[i]
		if disturbed(t) {
			if good[name(t)] >= leastScored {
				left++
				continue
			}
			kept++
		}
		scored = append(scored, *t)
	}
	return scored, left, kept
}

// undisturbedBlocks returns the trials of the blocks without a disturbed trial, and the number of these blocks; all
// trials if that is less than leastBlocks. A block is dropped whole, because its trials are compared in pairs.
func undisturbedBlocks(trials []result.Trial) (kept []result.Trial, calm int) {
	disturbedIn := map[int]bool{} // by block
	for i := range trials {
		t := &trials[i]
		disturbedIn[t.Block] = disturbedIn[t.Block] || disturbed(t)
	}
	for _, d := range disturbedIn {
		if !d {
			calm++
		}
	}
	if calm < leastBlocks {
		return trials, calm
	}
	return slices.DeleteFunc(slices.Clone(trials), func(t result.Trial) bool { return disturbedIn[t.Block] }), calm
}
