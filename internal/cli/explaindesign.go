package cli

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// explainWorkload is the command "explain NAME", whose flags are the factors of the workload.
func (a *app) explainWorkload(w *workload.Workload, o *explainOptions) *cobra.Command {
	summary, _, _ := strings.Cut(w.Doc, "\n")
	var levels func() map[string]string
	cmd := &cobra.Command{
		Use: w.Name, Short: summary,
		Example: indent("NAME explain " + w.Name + " --designs " + w.Designs[0].Name + " --cpus " + fmt.Sprint(runtime.NumCPU())),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("explain %s takes no argument %q; to run a program of that name write explain -- %s", w.Name, args[0], w.Name)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			given := levels()
			return a.explain(cmd.Context(), *o, func(ctx context.Context, e evidence.Options) (*evidence.Collected, error) {
				return a.explainDesign(ctx, w, o.designs, given, e)
			})
		},
	}
	levels = factorFlags(cmd.Flags(), w)
	return cmd
}

// explainDesign collects the evidence of one design at one point: the numbers of CPUs are those of the runs.
func (a *app) explainDesign(ctx context.Context, w *workload.Workload, designs []string, given map[string]string, e evidence.Options) (*evidence.Collected, error) {
	if len(designs) != 1 {
		return nil, usage("explain looks at one design at a time: give one by --designs, of %s", strings.Join(designNames(w), ", "))
	}
	cases, err := a.cases(w, runOptions{designs: designs, noTwin: true}, given)
	if err != nil {
		return nil, err
	}
	top := cases[0].Point
	for _, c := range cases {
		if !sameBut(c.Point, top, "cpus", "workers") {
			return nil, usage("explain looks at one point at a time, and these flags ask for %d: give each factor one level", len(cases))
		}
		if c.Point.Int("cpus") >= top.Int("cpus") {
			top = c.Point
		}
		if given["cpus"] != "" {
			e.CPUs = append(e.CPUs, c.Point.Int("cpus"))
		}
	}
	d, _ := w.Find(designs[0])
	return a.designAt(ctx, w, d, top, e)
}

// designAt collects the evidence of a design at a point.
func (a *app) designAt(ctx context.Context, w *workload.Workload, d workload.Design, p plan.Point, e evidence.Options) (*evidence.Collected, error) {
	here := host.Read()
	burn, err := calibrate.ForSweep(calibrate.CacheDir(), here.Fingerprint)
	if err != nil {
		return nil, err
	}
	a.measuring = true
	return evidence.Design(ctx, d, trial.Spec{Workload: w.Name, Design: d.Name, Point: p, Seed: 1, Sample: 1, BurnRate: burn.Rate}, e)
}

// explainRun collects the evidence of a design of a stored run, at its point with most CPUs: what it is, live again.
func (a *app) explainRun(ctx context.Context, dir string, designs []string, e evidence.Options) (*evidence.Collected, error) {
	r, err := a.openRun(dir)
	if err != nil {
		return nil, err
	}
	w, err := a.find(r.header.Workload)
	if err != nil {
		return nil, usage("%s is a run of %s, which is no workload here; of benchmarks write explain -- go test -bench NAME %s", dir, r.header.Workload, r.header.Workload)
	}
	var names []string
	for _, c := range r.header.Cases {
		if !slices.Contains(names, c.Design) {
			names = append(names, c.Design)
		}
	}
	if len(designs) == 0 && len(names) == 1 {
		designs = names
	}
	var best *plan.Case
	for i, c := range r.header.Cases {
		cpus := c.Point.Int("cpus")
		if len(designs) == 1 && c.Design == designs[0] && cpus <= runtime.NumCPU() && (best == nil || cpus > best.Point.Int("cpus")) {
			best = &r.header.Cases[i]
		}
	}
	if best == nil {
		return nil, usage("explain looks at one design of a run at a time: give one by --designs, of %s", strings.Join(names, ", "))
	}
	point, err := w.Recast(best.Point)
	if err != nil {
		return nil, asUsage(err)
	}
	d, _ := w.Find(best.Design)
	return a.designAt(ctx, w, d, point, e)
}

// sameBut reports whether two points are the same but for some factors.
func sameBut(a, b plan.Point, but ...string) bool {
	for _, name := range but {
		if level, ok := b.Get(name); ok {
			a = a.With(name, level)
		}
	}
	return a.String() == b.String()
}
