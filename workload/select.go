package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/plan"
)

// Named returns the workload of that name.
func Named(all []*Workload, name string) (*Workload, error) {
	var known []string
	for _, w := range all {
		if w.Name == name {
			return w, nil
		}
		known = append(known, w.Name)
	}
	return nil, fmt.Errorf("there is no workload %q%s; the workloads are %s", name, meant(name, known),
		strings.Join(known, ", "))
}

// meant is what somebody perhaps meant who wrote an unknown word.
func meant(word string, known []string) string {
	if s := plan.Suggest(word, known); s != "" {
		return fmt.Sprintf(", did you mean %q?", s)
	}
	return ""
}

// Select returns the designs of those names, each once; without names, all of the workload.
func (w *Workload) Select(names []string) ([]string, error) {
	var known, chosen []string
	for _, d := range w.Designs {
		known = append(known, d.Name)
	}
	if len(names) == 0 {
		return known, nil
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, fmt.Errorf("workload %s has no design %q%s; its designs are %s", w.Name, n, meant(n, known),
				strings.Join(known, ", "))
		}
		if !slices.Contains(chosen, n) {
			chosen = append(chosen, n)
		}
	}
	return chosen, nil
}

// Uses reports whether one of the designs has a factor.
func (w *Workload) Uses(designs []string, factor string) bool {
	return slices.ContainsFunc(designs, func(name string) bool {
		d, ok := w.Find(name)
		return ok && slices.Contains(w.FactorsOf(d), factor)
	})
}
