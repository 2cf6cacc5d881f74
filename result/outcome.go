package result

import (
	"slices"
)

// Outcome is what trials say of a run as a whole.
type Outcome int

// The outcomes, from the best to the worst. What a design declares of itself is none of them.
const (
	Sound      Outcome = iota // no trial went wrong
	SomeWrong                 // some answer was wrong, or some rule was violated
	SomeFailed                // some trial failed, or some case has no valid trial
)

// OutcomeOf is the worst outcome of trials.
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

// NeverValid are the cases, a design with its point each, that have no valid trial. A single invalid one is due to the
// machine and expected now and then; if all are invalid, nothing was measured.
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
