package findings

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/brewput/brewput/explain"
)

// Again holds what an explainer says about one program when it is asked several times.
type Again struct {
	Case  string
	First []explain.Finding // the first finding of each answer
}

// thin are findings that only say that the evidence is not enough.
var thin = map[explain.Name]bool{explain.TooLittleEvidence: true, explain.TooFewSamples: true}

// decided returns the first findings of the answers with enough evidence.
func (a Again) decided() (list []explain.Finding) {
	for _, f := range a.First {
		if !thin[f.Name] {
			list = append(list, f)
		}
	}
	return list
}

// Same reports whether all answers with enough evidence have the same first finding. It is unknown if there are not
// two.
func (a Again) Same() (same, known bool) {
	list := a.decided()
	for _, f := range list {
		if f.Name != list[0].Name {
			return false, true
		}
	}
	return true, len(list) > 1
}

// Placed reports whether all answers with enough evidence have their first finding at the same line.
func (a Again) Placed() bool {
	list := a.decided()
	return !slices.ContainsFunc(list, func(f explain.Finding) bool {
		return !slices.Equal(f.Where[:min(1, len(f.Where))], list[0].Where[:min(1, len(list[0].Where))])
	})
}

// Kept reports whether the estimate of each answer is in the range of every other. It is unknown if not two answers
// have a gain.
func (a Again) Kept() (kept, known bool) {
	n := 0
	for _, f := range a.First {
		if f.Gain == nil {
			continue
		}
		n++
		for _, g := range a.First {
			if g.Gain != nil && (f.Gain.Estimate < g.Gain.Low || f.Gain.Estimate > g.Gain.High) {
				return false, true
			}
		}
	}
	return true, n > 1
}

// Agreement is how often answers about a program agree.
type Agreement struct {
	Answers int   // about each program, at most
	Same    Share // programs with one first finding, of those with two or more answers that have enough evidence
	Placed  Share // of those, programs whose first finding is always at the same line
	Kept    Share // programs whose estimates are all in the ranges of the others, of those with two or more
	Thin    Share // answers that say that the evidence is not enough
}

// NewAgreement counts the agreement of answers.
func NewAgreement(list []Again) Agreement {
	var a Agreement
	same, placed, kept, few, all := [2]int{}, [2]int{}, [2]int{}, 0, 0
	add := func(to *[2]int, yes, known bool) {
		to[0] += count(yes && known)
		to[1] += count(known)
	}
	for _, p := range list {
		a.Answers = max(a.Answers, len(p.First))
		yes, known := p.Same()
		add(&same, yes, known)
		add(&placed, p.Placed(), yes && known)
		yes, known = p.Kept()
		add(&kept, yes, known)
		few += len(p.First) - len(p.decided())
		all += len(p.First)
	}
	a.Same, a.Placed = share(same[0], same[1]), share(placed[0], placed[1])
	a.Kept, a.Thin = share(kept[0], kept[1]), share(few, all)
	return a
}

// Targets returns the requirements on an agreement.
func (a Agreement) Targets() []Target {
	return []Target{
		atLeast("the same first finding in", a.Same.Value, 0.95, a.Same.Total),
		atLeast("estimates within the ranges of the other answers in", a.Kept.Value, 0.95, a.Kept.Total),
	}
}

// AgreementTable returns a table of the programs whose answers differ, and the agreement of all.
func AgreementTable(list []Again) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "program\tanswers\tfirst findings, estimates")
	for _, p := range list {
		same, _ := p.Same()
		if kept, _ := p.Kept(); same && kept {
			continue
		}
		var names []string
		estimates := map[string][]string{}
		for _, f := range p.First {
			name := string(f.Name)
			if _, known := estimates[name]; !known {
				names = append(names, name)
			}
			estimate := "-"
			if f.Gain != nil {
				estimate = fmt.Sprintf("%.0f", 100*f.Gain.Estimate)
			}
			estimates[name] = append(estimates[name], estimate)
		}
		for i, name := range names {
			names[i] = name + " " + strings.Join(estimates[name], " ")
		}
		fmt.Fprintf(w, "%s\t%d\t%s\n", p.Case, len(p.First), strings.Join(names, "; "))
	}
	w.Flush()
	a := NewAgreement(list)
	fmt.Fprintf(&b, "\n%d programs, %d answers each: the same first finding in %s, at the same line in %s of these; "+
		"estimates within the ranges of the other answers in %s; too little evidence in %s of the answers\n", len(list),
		a.Answers, a.Same, a.Placed, a.Kept, a.Thin)
	return b.String()
}
