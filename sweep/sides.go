package sweep

import (
	"fmt"
	"slices"

	"github.com/brewput/brewput/compare"
)

// StoredRun is a run that was read back by [Open]. Its name is its directory.
type StoredRun struct {
	compare.Run
	Header Header
	Notes  []string // remarks on the journal
	Blocks int      // complete ones
	Ended  bool     // the run was not stopped

	raw []byte // the header as the journal has it
}

// Sides compares the headers of the runs of two sides: differences and warnings are those of the first runs of both,
// and of each other run, by its name, if it differs otherwise. The runs of a side are replicates, so there is a warning
// of those that differ from the first. It is an error if two runs of different sides cannot be compared.
func Sides(older, newer []*StoredRun) (differences compare.Differences, warnings []compare.Warning, err error) {
	warn := func(run, text string) {
		w := compare.NewWarning(newer[0].Header.Workload, compare.WarnSettings, text)
		w.Run = run
		warnings = append(warnings, w)
	}
	pair := func(old, new *StoredRun, other string) error {
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

// notReplicate says in which programs or settings a run differs from the first one of its side; "" if in none. Seeds
// and numbers of blocks may differ, and the calibration of the burn loop has a warning of its own.
func (r *StoredRun) notReplicate(first *StoredRun) string {
	differences, _, err := r.Header.Differences(&first.Header)
	if err != nil {
		return "" // another pair has the error
	}
	return compare.NotReplicate(first.Name, slices.DeleteFunc(differences, func(d compare.Difference) bool {
		return d.Name == "seed" || d.Name == "blocks" || d.Name == "burn_rate_per_ns"
	}))
}

// OneSide makes the runs of a side one.
func OneSide(runs []*StoredRun) compare.Run {
	var parts []compare.Run
	cases := runs[0].Header.Cases
	for _, r := range runs {
		parts, cases = append(parts, r.Run), compare.UniqueCases(cases, r.Header.Cases)
	}
	return compare.Together(parts, cases)
}
