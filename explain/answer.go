package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Answer returns the sentences of the answer: which defect to fix, what to change first and what that should gain, or
// that there is nothing to gain, or that there is too little evidence and what would give more.
func (r Report) Answer() []string {
	if len(r.Findings) == 0 {
		return nil
	}

	f := r.Findings[0]
	switch {
	case f.IsDefect():
		text := []string{fmt.Sprintf("Fix %s%s: it is a bug, whatever it costs.", f.Name, f.place()), f.Fix}
		if len(r.Findings) == 1 {
			return text
		}
		return append(text, Report{Findings: r.Findings[1:]}.Answer()...)
	case f.Name == None && f.Confidence == Low:
		return []string{"Nothing to gain was found, but the evidence is weak.", f.Fix}
	case f.Name == None:
		return []string{fmt.Sprintf("There is nothing to gain: no rule finds a change that saves %s or more.",
			percent(minGain))}
	case f.Name == TooLittleEvidence, f.Name == TooFewSamples:
		return []string{"There is too little evidence to predict a gain.", f.Fix}
	case f.Gain == nil:
		return []string{"There is no estimate of the saving; " + r.limit() + ".", f.Fix}
	}
	text := []string{fmt.Sprintf("Change %s first%s: that %s save about %s of the wall time (%s to %s).", f.Name,
		f.place(), f.should(), percent(f.Gain.Estimate), percent(f.Gain.Low), percent(f.Gain.High)), f.Fix}
	return append(text, secondChange(r.Findings[1:])...)
}

// ShortAnswer returns a part of a sentence about the first finding: its name, where it is and what its fix should
// save, or that there is none or too little evidence. It is empty if the report has no findings.
func (r Report) ShortAnswer() string {
	if len(r.Findings) == 0 {
		return ""
	}
	f := r.Findings[0]
	switch f.Name {
	case None:
		return "nothing was found"
	case TooLittleEvidence, TooFewSamples:
		return "too little evidence"
	}
	text := string(f.Name)
	if len(f.Where) > 0 {
		text += " at " + f.Where[0]
	}
	if f.Gain != nil {
		text += fmt.Sprintf("; its fix %s save about %s", f.should(), percent(f.Gain.Estimate))
	}
	return text
}

// should is the verb for what the change of a finding saves, by its confidence.
func (f Finding) should() string {
	if f.Confidence == Low {
		return "may"
	}
	return "should"
}

// secondChange returns a sentence about the next change, of the findings after the one to change first, that is known
// to save enough after it.
func secondChange(found []Finding) []string {
	i := slices.IndexFunc(found, func(f Finding) bool {
		return f.Gain != nil && f.Gain.Left != nil && *f.Gain.Left >= minGain
	})
	if i < 0 {
		return nil
	}
	f := found[i]
	return []string{fmt.Sprintf("Then change %s%s: that %s save another %s of today's wall time.", f.Name, f.place(),
		f.should(), percent(*f.Gain.Left))}
}

// limit says what limits a program of which no finding has a gain, and what else was found first.
func (r Report) limit() string {
	first := fmt.Sprintf("%s%s", r.Findings[0].Name, r.Findings[0].place())
	if !traits[r.Findings[0].Name].diagnosis {
		return "the limit is " + first
	}
	i := slices.IndexFunc(r.Findings, func(f Finding) bool {
		return f.Gain == nil && f.Confidence != Low && !f.lacksEvidence() && !traits[f.Name].diagnosis
	})
	if i < 0 {
		return "the first finding is " + first
	}
	limit := r.Findings[i]
	return fmt.Sprintf("the limit is %s%s, and the first finding is %s", limit.Name, limit.place(), first)
}

// place returns the words for the first position of a finding.
func (f Finding) place() string {
	switch {
	case len(f.Where) == 0:
		return ""
	case len(f.Functions) > 0 && f.Functions[0] != "":
		return fmt.Sprintf(", at %s in %s", f.Where[0], f.Functions[0])
	}
	return ", at " + f.Where[0]
}

// Two phases are clearly different if each is at least longPhase of the time, and their numbers of running goroutines
// differ by distinctRunning.
const (
	longPhase       = 0.1
	distinctRunning = 0.5
)

// DistinctPhases reports whether the program has long phases with clearly different numbers of running goroutines.
func (r Report) DistinctPhases() bool {
	if len(r.Phases) < 2 {
		return false
	}
	whole := r.Phases[len(r.Phases)-1].To - r.Phases[0].From
	least, most := math.Inf(1), math.Inf(-1)
	for _, p := range r.Phases {
		if float64(p.To-p.From) >= longPhase*float64(whole) {
			least, most = math.Min(least, p.Running), math.Max(most, p.Running)
		}
	}
	return most-least >= distinctRunning
}

// SummarizeChanges returns one or two sentences: whether the program got faster, and what changed most.
func SummarizeChanges(changes []Change) []string {
	var text, gone, appeared []string
	largest := ""
	add := func(names []string, name string) []string { // a program may have a finding in several places
		if slices.Contains(names, name) {
			return names
		}
		return append(names, name)
	}
	for _, c := range changes {
		name, isFinding := strings.CutPrefix(c.Name, "finding ")
		switch {
		case c.Name == wallTime:
			text = append(text, summarizeWall(c))
		case isFinding && c.After == 0:
			gone = add(gone, name)
		case isFinding:
			appeared = add(appeared, name)
		case c.Significant && largest == "" && c.Name != Idle:
			largest = fmt.Sprintf("The largest change is in %s: %s of CPU time.", c.Name,
				signedSeconds(c.After-c.Before))
		}
	}

	switch {
	case len(gone) > 0 && len(appeared) > 0:
		text = append(text, fmt.Sprintf("Gone: %s; new: %s.", strings.Join(gone, ", "), strings.Join(appeared, ", ")))
	case len(gone) > 0:
		text = append(text, fmt.Sprintf("Gone: %s.", strings.Join(gone, ", ")))
	case len(appeared) > 0:
		text = append(text, fmt.Sprintf("New: %s.", strings.Join(appeared, ", ")))
	case largest != "":
		text = append(text, largest)
	}
	if len(text) == 0 {
		return []string{"No change was found that is larger than the measurement error."}
	}
	return text
}

// summarizeWall returns a sentence about the wall time.
func summarizeWall(c Change) string {
	change := fmt.Sprintf("%+.1f%%", 100*(c.After/c.Before-1))
	if change == "-0.0%" {
		change = "+0.0%"
	}
	times := fmt.Sprintf("%s before, %s after (%s)", formatSeconds(c.Before), formatSeconds(c.After), change)
	switch {
	case !c.Significant:
		return "The wall time did not clearly change: " + times + "."
	case c.After < c.Before:
		return "It is faster: " + times + "."
	}
	return "It is slower: " + times + "."
}

// signedSeconds formats a difference of times in seconds.
func signedSeconds(s float64) string {
	if s < 0 {
		return "-" + formatSeconds(-s)
	}
	return "+" + formatSeconds(s)
}
