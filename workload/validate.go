package workload

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// maxGuarantee is the largest length of a guarantee in bytes.
const maxGuarantee = 60

// Validate returns an error if the declaration of the workload is invalid.
func (w *Workload) Validate() error {
	if w.Name == "" || strings.ContainsAny(w.Name, " /=,") {
		return fmt.Errorf("workload %q: a name must not be empty nor hold a space, slash, comma or =", w.Name)
	}
	if len(w.Designs) == 0 {
		return fmt.Errorf("workload %s has no design", w.Name)
	}

	seen := map[string]bool{}
	for _, f := range w.AllFactors() {
		if seen[f.Name] {
			return fmt.Errorf("workload %s: two factors are called %q", w.Name, f.Name)
		}
		if slices.Contains(Reserved(), f.Name) {
			return fmt.Errorf("workload %s: a factor cannot be called %q, which is a flag or a column of results",
				w.Name, f.Name)
		}
		seen[f.Name] = true
		if err := f.Validate(); err != nil {
			return fmt.Errorf("workload %s: %w", w.Name, err)
		}
	}

	if err := w.validateOptions(seen); err != nil {
		return err
	}
	if usual, _ := w.Select(nil); len(usual) == 0 {
		return fmt.Errorf("workload %s: all designs are OnRequest, so a run without names has none", w.Name)
	}
	names := map[string]bool{}
	for _, d := range w.Designs {
		if err := w.validateDesign(d, seen); err != nil {
			return err
		}
		if names[d.Name] {
			return fmt.Errorf("workload %s: two designs are called %q", w.Name, d.Name)
		}
		names[d.Name] = true
	}
	return w.validateQuick()
}

// validateQuick checks the levels of a quick run.
func (w *Workload) validateQuick() error {
	for name, levels := range w.Quick {
		f, ok := w.Factor(name)
		if !ok {
			return fmt.Errorf("workload %s: Quick has a level of %q, which is no factor", w.Name, name)
		}
		if _, err := f.Parse(levels, nil); err != nil {
			return fmt.Errorf("workload %s: Quick: %w", w.Name, err)
		}
	}
	return nil
}

// validateDesign checks the declaration of a design. The map contains the names of all factors.
func (w *Workload) validateDesign(d Design, factors map[string]bool) error {
	if d.Name == "" || strings.ContainsAny(d.Name, " /=,") {
		return fmt.Errorf("workload %s: design %q: a name must not be empty nor hold a space, slash, comma or =",
			w.Name, d.Name)
	}
	if (d.Stream == nil) == (d.Job == nil) {
		return fmt.Errorf("%s/%s: exactly one of Stream and Job must be set", w.Name, d.Name)
	}
	if d.Reference && d.Expect == Bound {
		return fmt.Errorf("%s/%s is a reference, which solves the job, and a bound, which does not: it can be one "+
			"of them", w.Name, d.Name)
	}
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(d.Guarantee) > maxGuarantee || strings.ContainsFunc(d.Guarantee, unprintable) {
		return fmt.Errorf("%s/%s: its guarantee %.100q must be a few printable words, at most %d bytes", w.Name, d.Name,
			d.Guarantee, maxGuarantee)
	}
	if err := d.Formula.validate(d); err != nil {
		return fmt.Errorf("%s/%s: %w", w.Name, d.Name, err)
	}
	for _, name := range d.Uses {
		if !factors[name] {
			return fmt.Errorf("%s/%s uses the factor %q, which the workload does not have", w.Name, d.Name, name)
		}
	}
	return nil
}
