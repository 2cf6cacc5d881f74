package lab

import (
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// Outcome is what trials say of a run as a whole.
type Outcome = sweep.Outcome

// The outcomes, from the best to the worst.
const (
	Sound  = sweep.Sound  // no trial went wrong
	Wrong  = sweep.Wrong  // some answer was wrong, or some rule was violated
	Failed = sweep.Failed // some trial failed, or some case has no valid trial
)

// OutcomeOf is the worst outcome of trials.
func OutcomeOf(trials []result.Trial) Outcome { return sweep.OutcomeOf(trials) }

// NeverValid are the cases, a design with its point each, that have no valid trial.
func NeverValid(trials []result.Trial) []string { return sweep.NeverValid(trials) }
