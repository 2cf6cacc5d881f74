package compare

// Records returns an analysis as records of the JSON contract, in this order: summaries, predictions, closed forms,
// serial fractions and knees, verdicts, also on further metrics, winners, sensitivities, warnings, and last the answer.
func Records(rows []Row, verdicts []Verdict, sensitivity []Sensitivity, warnings []Warning, a Answer) []any {
	var all []any
	for _, s := range Summaries(rows) {
		all = append(all, s)
	}
	for _, r := range rows {
		for _, t := range r.Predictions {
			all = append(all, t)
		}
	}
	for _, r := range rows {
		if r.Formula != nil {
			all = append(all, r.Formula)
		}
		if r.SerialFraction != nil {
			all = append(all, r.SerialFraction)
		}
		for _, k := range r.Knees {
			all = append(all, k)
		}
	}
	for _, v := range verdicts {
		all = append(all, v)
	}
	for _, v := range a.FurtherVerdicts {
		all = append(all, v)
	}
	for _, x := range a.Winners {
		all = append(all, x)
	}
	for _, x := range sensitivity {
		all = append(all, x)
	}
	for _, x := range warnings {
		all = append(all, x)
	}
	return append(all, a)
}
