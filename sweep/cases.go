package sweep

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Selection says which designs of a workload a sweep has, and at which points.
type Selection struct {
	Designs    []string          // all of the workload if there are none
	Levels     map[string]string // of factors by name, as in {"cpus": "1,2"}; others have their defaults, cpus all
	CaseList   []plan.Case       // designs at points, instead of Designs and Levels; other factors have defaults
	Baseline   string            // design that all others are compared with; "" for none
	Operations int64             // of each trial, instead of a duration; 0 for a duration
}

// Cases returns the designs at the points of the choice. Errors are a [*plan.Refusal].
func (s Selection) Cases(w *workload.Workload) ([]plan.Case, error) {
	if err := w.CheckGiven(); err != nil {
		return nil, plan.Refuse("", nil, "%w", err)
	}
	if s.CaseList != nil {
		return s.listed(w)
	}
	designs, err := w.Select(s.Designs)
	if err == nil {
		err = runnable(w, designs)
	}
	if err != nil {
		return nil, plan.AsRefusal(err)
	}
	choices := defaultCPUs()
	if err := s.parse(w, designs, choices); err != nil {
		return nil, err
	}
	if err := openWorkers(w, choices); err != nil {
		return nil, err
	}
	points, err := s.points(w, choices)
	if err != nil {
		return nil, err
	}

	cases := plan.Cases(designs, func(design string) []string {
		d, _ := w.Find(design)
		return w.FactorsOf(d)
	}, points)
	return cases, CheckBaseline(w, s.Baseline, cases)
}

// runnable returns an error if another program runs a design, and cannot be used.
func runnable(w *workload.Workload, designs []string) error {
	for _, name := range designs {
		if d, _ := w.Find(name); d.Absent() {
			reason := errors.New("this program does not know where it is")
			if w.More != nil {
				_, reason = w.More()
			}
			return plan.Refuse("", nil, "%s/%s runs in %s: %w", w.Name, name, d.Program.File, reason)
		}
	}
	return nil
}

// listed returns the cases of the list, with the defaults of factors that they lack.
func (s Selection) listed(w *workload.Workload) ([]plan.Case, error) {
	if len(s.Designs) > 0 || len(s.Levels) > 0 {
		return nil, plan.Refuse("", nil, "cases say which designs and levels are measured").
			Suggest("leave out {designs} and levels")
	}
	if len(s.CaseList) == 0 {
		return nil, plan.Refuse("", nil, "the list of cases is empty")
	}
	var cases []plan.Case
	for _, x := range s.CaseList {
		_, err := w.Select([]string{x.Design})
		if err == nil {
			err = runnable(w, []string{x.Design})
		}
		if err != nil {
			return nil, plan.AsRefusal(err)
		}
		choices := defaultCPUs()
		for _, at := range x.Point.Settings() {
			if !w.Uses([]string{x.Design}, at.Factor) {
				return nil, plan.Refuse(at.Factor, at.Level, "has no effect: the design %s does not use it", x.Design)
			}
			f, _ := w.Factor(at.Factor)
			var err error
			if choices[at.Factor], err = resolved(f, plan.Choice{Levels: []plan.Level{at.Level}}); err != nil {
				return nil, err
			}
		}
		if err := openWorkers(w, choices); err != nil {
			return nil, err
		}
		points, err := s.points(w, choices)
		if err != nil {
			return nil, err
		}
		d, _ := w.Find(x.Design)
		for _, p := range points {
			cases = append(cases, plan.Case{Design: x.Design, Point: p.Only(w.FactorsOf(d))})
		}
	}
	cases = compare.UniqueCases(cases) // two may differ only in a default that one spells out
	return cases, CheckBaseline(w, s.Baseline, cases)
}

// CompletePoint returns a point with the defaults of the workload's factors that it lacks. It refuses, by a
// [*plan.Refusal], a point that the workload does not accept.
func CompletePoint(w *workload.Workload, p plan.Point) (plan.Point, error) {
	if w.Limited {
		return plan.Point{}, plan.Refuse("", nil, "explain loads a server without a limit, so it takes servers of "+
			"this machine only")
	}
	choices := defaultCPUs()
	for _, s := range p.Settings() {
		choices[s.Factor] = plan.Choice{Levels: []plan.Level{s.Level}}
	}
	points, err := plan.Points(w.AllFactors(), choices)
	if err == nil && len(points) > 1 {
		return plan.Point{}, plan.Refuse("", nil, "explain takes one point, but these levels give %d: give each "+
			"factor one level", len(points))
	}
	if err == nil && w.Check != nil {
		err = w.Check(points[0])
	}
	if err != nil {
		return plan.Point{}, plan.AsRefusal(err)
	}
	return points[0], nil
}

// openWorkers adds the workload's default number of workers to choices of an open loop that lack it.
func openWorkers(w *workload.Workload, choices map[string]plan.Choice) error {
	_, given := choices["workers"]
	open := false
	for name := range choices {
		open = open || workload.IsLoadFactor(name)
	}
	if w.OpenWorkers == "" || given || !open {
		return nil
	}
	f, _ := w.Factor("workers")
	choice, err := f.Parse(w.OpenWorkers, []string{"cpus"})
	choices["workers"] = choice
	return err
}

// AllCPUs is the number of CPUs that this process may use: GOMAXPROCS, which the limit of a container lowers, but at
// most the number of CPUs of this machine.
func AllCPUs() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// defaultCPUs returns AllCPUs.
func defaultCPUs() map[string]plan.Choice {
	return map[string]plan.Choice{"cpus": {Levels: []plan.Level{plan.IntLevel(AllCPUs())}}}
}

// points returns the points of the choices. It refuses those that cannot be run.
func (s Selection) points(w *workload.Workload, choices map[string]plan.Choice) ([]plan.Point, error) {
	points, err := plan.Points(w.AllFactors(), choices)
	if err != nil {
		return nil, plan.AsRefusal(err)
	}
	for _, p := range points {
		if err := s.checkLoad(w, p); err != nil {
			return nil, err
		}
		if w.Check != nil {
			if err := w.Check(p); err != nil {
				return nil, plan.AsRefusal(err)
			}
		}
	}
	return points, nil
}

// parse adds the given levels to the choices, and refuses factors that change nothing.
func (s Selection) parse(w *workload.Workload, designs []string, choices map[string]plan.Choice) error {
	var earlier []string
	for _, f := range w.AllFactors() {
		expr, ok := s.Levels[f.Name]
		if ok && !(f.Name == "cpus" && expr == "all") {
			choice, err := f.Parse(expr, earlier)
			if err != nil {
				return plan.AsRefusal(err)
			}
			if choices[f.Name], err = resolved(f, choice); err != nil {
				return err
			}
		}
		earlier = append(earlier, f.Name)
	}

	for _, name := range earlier {
		if _, ok := s.Levels[name]; ok && !w.Uses(designs, name) {
			return plan.Refuse(name, nil, "has no effect: none of the designs %s uses it",
				strings.Join(designs, ", "))
		}
	}
	for name := range s.Levels {
		if !slices.Contains(earlier, name) {
			return plan.Refuse("levels", name, "is no factor of %s: its factors are %s", w.Name,
				strings.Join(earlier, ", "))
		}
	}
	return nil
}

// CheckBaseline refuses, by a [*plan.Refusal], a baseline that is not among the cases, or that is no solution.
func CheckBaseline(w *workload.Workload, baseline string, cases []plan.Case) error {
	if baseline == "" {
		return nil
	}
	_, err := w.Select([]string{baseline})
	d, _ := w.Find(baseline)
	switch {
	case err != nil:
		return plan.AsRefusal(err)
	case d.Expect == workload.Bound:
		return plan.Refuse("baseline", baseline, "it is a bound, not a solution, so no comparison includes it")
	case !slices.ContainsFunc(cases, func(c plan.Case) bool { return c.Design == baseline }):
		return plan.Refuse("baseline", baseline, "is not measured").Suggest("add it to {designs}")
	}
	return nil
}

// checkLoad refuses a load that says nothing or two things. A point that holds none of its factors is that of a closed
// loop.
func (s Selection) checkLoad(w *workload.Workload, p plan.Point) error {
	if w.Limited && (!p.Has("rate") || p.Has("load") || s.Operations == 0) {
		return plan.Refuse("", nil, "the load goes to other machines, so it needs {rate} and {operations}").
			Suggest("give both, as in {rate} 10 {operations} 100")
	}
	if w.Limited && s.Operations < minLimited {
		return plan.Refuse("operations", s.Operations, "is the mean number of requests of a trial, and random "+
			"arrivals may be none").Suggest("give %d or more", minLimited)
	}
	if !workload.OpenLoop(p) {
		return nil
	}
	recorded := p.Has("arrivals") && !slices.Contains([]string{load.Poisson, load.Constant}, p.Text("arrivals"))
	switch {
	case p.Has("rate") && p.Has("load"):
		return plan.Refuse("", nil, "{rate} and {load} both set the arrival rate").Suggest("give one of them")
	case !p.Has("rate") && !p.Has("load") && !recorded:
		return plan.Refuse(workload.LoadFactors(p)[0], nil, "has no effect in a closed loop: add {load} 0.8, a "+
			"fraction of the capacity, or {rate} 100, requests a second")
	case p.Has("rate") && p.Float("rate") == 0:
		return plan.Refuse("rate", 0, "sends no request").Suggest("give requests a second, such as 100")
	case p.Has("rate") && p.Float("rate") > load.MaxRate:
		return plan.Refuse("rate", p.Float("rate"), "is more than the %.0f requests a second that the load "+
			"generator can send", load.MaxRate)
	case p.Has("load") && p.Float("load") == 0:
		return plan.Refuse("load", 0, "sends no request").Suggest("give a fraction of the capacity, such as 0.8")
	case p.Has("patience") && p.Duration("patience") == 0:
		return plan.Refuse("patience", "0s", "no request would wait").
			Suggest("leave it out, or use {queue-limit} 0 to drop arrivals that cannot be served at once")
	case s.Operations > 0 && !w.Limited && slices.ContainsFunc(w.Options, isAllowHost):
		return plan.Refuse("operations", nil, "is for closed loops and for load on a host of {allow-host}: another "+
			"open loop measures the requests that arrive within {duration}")
	case s.Operations > 0 && !w.Limited:
		return plan.Refuse("operations", nil, "is for closed loops: an open loop measures the requests that arrive "+
			"within {duration}")
	}
	return nil
}

// minLimited is the smallest number of operations of a limited load. A trial has no request with probability exp(-10).
const minLimited = 10

// isAllowHost reports whether an option names hosts beyond this machine that may get load.
func isAllowHost(o workload.Option) bool { return o.Name == "allow-host" }

// resolved makes the levels of a path absolute: a run may go on from another directory.
func resolved(f plan.Factor, c plan.Choice) (plan.Choice, error) {
	if !f.Path {
		return c, nil
	}
	for i, l := range c.Levels {
		path, err := filepath.Abs(l.String())
		if err != nil {
			return c, plan.Refuse(f.Name, l, "%w", err)
		}
		c.Levels[i] = plan.TextLevel(path)
	}
	return c, nil
}
