package workload

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brewput/brewput/plan"
)

// Option is a setting of a workload that is no factor: it has the same value in all trials of a run, such as the URL of
// a server. It is a flag of the command.
type Option struct {
	Name  string // as [Workload.Name]; no factor and none of [Reserved] has it
	Doc   string // one line
	Value string // what the value is, as in URL; "" for a switch, which has no value
	Many  bool   // it may be given several times
}

// Given has the values of options, by name. A switch that is given has the value "true".
type Given map[string][]string

// Get returns the value of an option, the last one if there are several, or "".
func (g Given) Get(name string) string {
	if values := g[name]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

// Has reports whether an option was given.
func (g Given) Has(name string) bool { return len(g[name]) > 0 }

// With returns the workload for given values of its options: the result of Make, with the Options and the designs of
// More of w. Without options it returns w. Errors are a [*plan.Refusal] that names the option: of a value for an option
// that w does not have, of two values for one that takes one, and those of Make.
func (w *Workload) With(given Given) (*Workload, error) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		o, ok := w.option(name)
		switch values := given[name]; {
		case !ok:
			return nil, plan.Refuse(name, nil, "is no option of the workload %s", w.Name)
		case len(values) > 1 && !o.Many:
			return nil, plan.Refuse(name, nil, "was given %d times, and takes one value", len(values))
		case o.Value == "" && len(values) > 0 && values[0] != "true":
			return nil, plan.Refuse(name, values[0], "is a switch").Suggest("leave it out to switch it off")
		}
	}
	if w.Make == nil {
		return w, nil
	}

	kept := Given{}
	for name, values := range given {
		kept[name] = slices.Clone(values)
	}
	made, err := w.Make(kept)
	if err != nil {
		return nil, plan.AsRefusal(err)
	}
	made.Name, made.Options, made.Make, made.Given = w.Name, w.Options, w.Make, kept
	if made.More == nil {
		made.More = w.More
	}
	if made.Source == nil {
		made.Source = w.Source
	}
	if err := made.Validate(); err != nil {
		return nil, plan.AsRefusal(err)
	}
	return made, nil
}

// CheckGiven returns an error if the workload has options and none were given to it by [Workload.With].
func (w *Workload) CheckGiven() error {
	if w.Make != nil && w.Given == nil {
		return fmt.Errorf("workload %s has options: measure the workload that its With returns", w.Name)
	}
	return nil
}

// option returns the option with that name.
func (w *Workload) option(name string) (Option, bool) {
	i := slices.IndexFunc(w.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return Option{}, false
	}
	return w.Options[i], true
}

// validateOptions checks the declarations of options. The map contains the names of all factors.
func (w *Workload) validateOptions(factors map[string]bool) error {
	seen := map[string]bool{}
	for _, o := range w.Options {
		switch {
		case o.Name == "" || strings.ContainsAny(o.Name, " /=,"):
			return fmt.Errorf("workload %s: option %q: a name must not be empty nor hold a space, slash, comma or =",
				w.Name, o.Name)
		case seen[o.Name] || factors[o.Name]:
			return fmt.Errorf("workload %s: two options or factors are called %q", w.Name, o.Name)
		case slices.Contains(Reserved(), o.Name):
			return fmt.Errorf("workload %s: an option cannot be called %q, which is a flag or a column of results",
				w.Name, o.Name)
		case o.Value == "" && o.Many:
			return fmt.Errorf("workload %s: option %q has no value, so it can be given only once", w.Name, o.Name)
		}
		seen[o.Name] = true
	}
	if (w.Make != nil) != (len(w.Options) > 0) {
		return fmt.Errorf("workload %s: options need Make, and Make needs options", w.Name)
	}
	return nil
}
