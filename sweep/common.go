package sweep

import (
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Inputs returns the factors of stored runs of one workload whose levels are different jobs: the inputs that the
// workload declares, or every factor if it is not among the workloads.
func Inputs(workloads []*workload.Workload, runs []*StoredRun) (all []string) {
	name := runs[0].Header.Workload
	i := slices.IndexFunc(workloads, func(w *workload.Workload) bool { return w.Name == name })
	if i >= 0 {
		return workloads[i].InputFactors()
	}
	for _, r := range runs {
		for _, row := range r.Rows {
			for _, s := range row.Point.Settings() {
				all = append(all, s.Factor)
			}
		}
	}
	return all
}

// NothingCommon refuses, by a [*plan.Refusal], sides that have no design at a common point.
func NothingCommon(older, newer compare.Run) error {
	if slices.ContainsFunc(newer.Rows, func(r compare.Row) bool { return r.Open }) {
		return plan.Refuse("", nil, "%s and %s have no design at a common point and rate: response times are "+
			"compared only at equal rates, and {load} is a fraction of each run's own capacity",
			older.Name,
			newer.Name).Suggest("measure both with the same {rate}")
	}
	return plan.Refuse("", nil, "%s and %s have no design at a common point: the old run has %s; the new run has %s",
		older.Name, newer.Name, compare.CaseNames(older.Rows), compare.CaseNames(newer.Rows)).
		Suggest("measure one of them at points of the other")
}
