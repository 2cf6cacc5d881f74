package result

import (
	"slices"
)

// Outcome is the outcome of a whole run.
type Outcome int

// The outcomes, from the best to the worst. Failures that a design declares do not count.
const (
	Sound      Outcome = iota // no answer was wrong and no trial failed
	SomeWrong                 // some answer was wrong, or some rule was violated
	SomeFailed                // some trial failed, or some case has no valid trial
)

// OutcomeOf returns the worst outcome of trials.
func OutcomeOf(trials []Trial) Outcome {
	unexpected := func(statuses ...Status) bool {
		return slices.ContainsFunc(trials, func(t Trial) bool {
			return !t.Expected && slices.Contains(statuses, t.Status)
		})
	}
	switch {
	case unexpected(Failed), len(NeverValid(trials)) > 0:
		return SomeFailed
	case unexpected(Wrong, Violated):
		return SomeWrong
	}
	return Sound
}

// NeverValid returns the cases that have no valid trial, each as its design and point. Single invalid trials are due to
// the machine and are expected; if all are invalid, nothing was measured.
func NeverValid(trials []Trial) []string {
	var cases []string
	valid := map[string]bool{}
	for _, t := range trials {
		c := t.Design + " " + t.Point.String()
		if t.Kind != KindTrial {
			continue
		}
		if !slices.Contains(cases, c) {
			cases = append(cases, c)
		}
		valid[c] = valid[c] || !t.Invalid
	}
	return slices.DeleteFunc(cases, func(c string) bool { return valid[c] })
}
