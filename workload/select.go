package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/plan"
)

// Find returns the workload with that name. The error lists the names of all workloads and suggests one.
func Find(all []*Workload, name string) (*Workload, error) {
	var known []string
	for _, w := range all {
		if w.Name == name {
			return w, nil
		}
		known = append(known, w.Name)
	}
	return nil, fmt.Errorf("there is no workload %q%s; the workloads are %s", name, didYouMean(name, known),
		strings.Join(known, ", "))
}

// didYouMean returns the part of an error message that suggests a known word, or "".
func didYouMean(word string, known []string) string {
	if s := plan.Suggest(word, known); s != "" {
		return fmt.Sprintf(", did you mean %q?", s)
	}
	return ""
}

// Select checks names of designs and returns each once, in order. Without names it returns those of Designs that are
// not OnRequest. The error lists the designs of the workload and suggests one. If More failed, it also says why.
func (w *Workload) Select(names []string) ([]string, error) {
	if len(names) == 0 {
		var usual []string
		for _, d := range w.Designs {
			if !d.OnRequest {
				usual = append(usual, d.Name)
			}
		}
		return usual, nil
	}

	var chosen []string
	for _, n := range names {
		if _, ok := w.Find(n); !ok {
			return nil, w.unknown(n)
		}
		if !slices.Contains(chosen, n) {
			chosen = append(chosen, n)
		}
	}
	return chosen, nil
}

// unknown is the error of a name that no design has.
func (w *Workload) unknown(name string) error {
	var known []string
	for _, d := range w.AllDesigns() {
		known = append(known, d.Name)
	}
	err := fmt.Errorf("workload %s has no design %q%s; its designs are %s", w.Name, name, didYouMean(name, known),
		strings.Join(known, ", "))
	if w.More == nil {
		return err
	}
	if _, failed := w.More(); failed != nil {
		return fmt.Errorf("%w. %w", err, failed)
	}
	return err
}

// Uses reports whether at least one of the named designs uses a factor.
func (w *Workload) Uses(designs []string, factor string) bool {
	return slices.ContainsFunc(designs, func(name string) bool {
		d, ok := w.Find(name)
		return ok && slices.Contains(w.FactorsOf(d), factor)
	})
}
