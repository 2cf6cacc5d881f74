package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/workload"
)

// Settings of --quick, unless they are given.
const (
	quickCount    = 3
	quickDuration = 300 * time.Millisecond
	quickWarmup   = 50 * time.Millisecond
)

// shorten makes a run short where the user set nothing, and notes what it changed. Levels apply to factors of the
// chosen designs only.
func (o *runOptions) shorten(w *workload.Workload, given map[string]string, changed func(flag string) bool) {
	var words []string
	if !changed("count") && o.budget == 0 {
		o.count = quickCount
		words = append(words, fmt.Sprintf("%d blocks", o.count))
	}
	designs, err := w.Select(o.designs)
	if err != nil {
		return // the caller reports the error
	}
	streams := slices.ContainsFunc(designs, func(name string) bool { // jobs have neither a duration nor a warm-up
		d, _ := w.Find(name)
		return d.Stream != nil
	})
	if streams && !changed("duration") && o.operations == 0 {
		o.duration = quickDuration
		words = append(words, "duration "+o.duration.String())
	}
	if streams && !changed("warmup") && !w.Limited {
		o.warmup = quickWarmup
		words = append(words, "warmup "+o.warmup.String())
	}

	for _, name := range slices.Sorted(maps.Keys(w.Quick)) {
		if _, ok := given[name]; !ok && w.Uses(designs, name) {
			given[name] = w.Quick[name]
			words = append(words, name+" "+w.Quick[name])
		}
	}
	if o.quickNote = "quick: your settings left nothing to shorten"; len(words) > 0 {
		o.quickNote = "quick, so figures are rough: " + strings.Join(words, ", ")
	}
}
