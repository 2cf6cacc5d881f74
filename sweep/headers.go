package sweep

import (
	"fmt"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// CompareHeaders compares the headers of two sides of runs. It returns the differences between the first runs of
// both sides. Differences and warnings of other runs follow if they are not the same; they name their run. Runs of
// one side are replicates, so a run that differs from the first of its side gets a warning. CompareHeaders returns
// an error if two runs of different sides are not comparable.
func CompareHeaders(older, newer []*StoredRun) (differences compare.Differences, warnings []compare.Warning,
	err error) {
	warn := func(run, text string) {
		w := compare.NewWarning(newer[0].Header.Workload, compare.WarnSettings, text)
		w.Run = run
		warnings = append(warnings, w)
	}

	pair := func(old, new *StoredRun, other string) error {
		if old.Header.Commands != nil || new.Header.Commands != nil {
			return fmt.Errorf("%s and %s cannot be compared, because one compares commands: compare all commands in "+
				"one run", old.Name, new.Name)
		}
		list, texts, err := new.Header.Differences(&old.Header)
		if err != nil {
			return fmt.Errorf("%s and %s cannot be compared: %w", old.Name, new.Name, err)
		}
		for _, d := range list {
			if !slices.Contains(differences, d) {
				if other != "" {
					d.Name += " (" + other + ")"
				}
				differences = append(differences, d)
			}
		}
		for _, text := range texts {
			if !slices.ContainsFunc(warnings, func(w compare.Warning) bool { return w.Text == text }) {
				warn(other, text)
			}
		}
		return nil
	}

	// Every run is compared with the first run of the other side.
	for i, r := range newer {
		other := r.Name
		if i == 0 {
			other = ""
		}
		if err := pair(older[0], r, other); err != nil {
			return nil, nil, err
		}
	}

	for _, r := range older[1:] {
		if err := pair(r, newer[0], r.Name); err != nil {
			return nil, nil, err
		}
	}

	for _, side := range [][]*StoredRun{older, newer} {
		for _, r := range side[1:] {
			if text := r.notReplicate(side[0]); text != "" {
				warn(r.Name, text)
			}
		}
	}
	return differences, warnings, nil
}

// notReplicate describes how a run's program or settings differ from those of the first run of its side; "" if they
// are the same. Seeds and numbers of blocks may differ, and the burn calibration has a warning of its own.
func (r *StoredRun) notReplicate(first *StoredRun) string {
	differences, _, err := r.Header.Differences(&first.Header)
	if err != nil {
		return "" // reported for another pair
	}
	return compare.NonReplicateText(first.Name, slices.DeleteFunc(differences, func(d result.Difference) bool {
		return d.Name == "seed" || d.Name == "blocks" || d.Name == "burn_rate_per_ns"
	}))
}

// MergeSide merges the runs of one side into one.
func MergeSide(runs []*StoredRun) compare.Run {
	var parts []compare.Run
	cases := runs[0].Header.Cases
	for _, r := range runs {
		parts, cases = append(parts, r.Run), compare.UniqueCases(cases, r.Header.Cases)
	}
	return compare.MergeRuns(parts, cases)
}
