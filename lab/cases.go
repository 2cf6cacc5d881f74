package lab

import (
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// given are the cases of DesignOptions.CaseList, with the defaults of factors that they lack.
func (o *DesignOptions) given(w *workload.Workload) ([]plan.Case, error) {
	if len(o.Designs) > 0 || len(o.Levels) > 0 {
		return nil, refuse("", nil, "cases say which designs and levels are measured").
			suggest("leave out {designs} and levels")
	}
	var cases []plan.Case
	for _, c := range o.CaseList {
		if _, err := w.Select([]string{c.Design}); err != nil {
			return nil, refuse("", nil, "%w", err)
		}
		choices := defaultCPUs()
		for _, s := range c.Point.Settings() {
			if !w.Uses([]string{c.Design}, s.Factor) {
				return nil, refuse(s.Factor, s.Level, "changes nothing: the design %s does not use it", c.Design)
			}
			choices[s.Factor] = plan.Choice{Levels: []plan.Level{s.Level}}
		}
		points, err := o.points(w, choices)
		if err != nil {
			return nil, err
		}
		d, _ := w.Find(c.Design)
		for _, p := range points {
			cases = append(cases, plan.Case{Design: c.Design, Point: p.Only(w.FactorsOf(d))})
		}
	}
	return cases, CheckBaseline(w, o.Baseline, cases)
}
