package cli

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// targets adds the targets that the arguments and flags name.
func (o *explainOptions) targets(cmd *cobra.Command, args []string, all []*workload.Workload,
	e *lab.ExplainOptions) (err error) {
	dash := cmd.ArgsLenAtDash()
	switch {
	case (o.before == "") != (o.after == ""):
		return usage("--before and --after go together: give the old and the new target, as in explain --before " +
			"old.pprof --after new.pprof")
	case o.before != "" && len(args) > 0 && dash != 0:
		return usage("with --before and --after there is no target %q; put the arguments of both "+
			"programs after two dashes", args[0])
	case o.before != "" && (o.timeline != "" || o.pprof):
		return usage("--timeline and --pprof show one program; leave out --before and --after")
	case o.before != "":
		if e.Before, err = o.sideTarget(cmd, o.before, args, all); err == nil {
			e.Target, err = o.sideTarget(cmd, o.after, args, all)
		}
	case len(args) == 0:
		return usage("explain needs a target: a program after two dashes, a package, profiles or an address, as in "+
			"explain -- ./prog; see %s explain --help", name())
	case dash == 0:
		e.Target = lab.Command(args)
	case dash > 1:
		return usage("explain takes one package before the two dashes, not %d", dash)
	case dash == 1:
		e.Target = lab.Package{Pattern: args[0], Args: args[1:]}
	default:
		e.Target, err = o.target(cmd, args, all)
	}
	return err
}

// unused returns the flags that have no effect on a target, and why.
func unused(t lab.Target) (flags []string, why string) {
	switch t.(type) {
	case lab.Files:
		return []string{"cpus", "duration", "output", "quick", "time-limit"}, "saved profiles: nothing runs"
	case lab.Address:
		return []string{"cpus"}, "an address: its program runs already"
	}
	return nil, ""
}

// checkApplicable refuses flags that have no effect on the targets, and leaves out settings that have none.
func (a *app) checkApplicable(cmd *cobra.Command, o explainOptions, e *lab.ExplainOptions) error {
	for _, t := range []lab.Target{e.Target, e.Before} {
		if _, isRun := t.(lab.StoredDesign); t != nil && !isRun && len(o.designs) > 0 {
			return usage("--designs is for a workload or a run directory, and this target is neither")
		}
	}
	flags, why := unused(e.Target)
	if before, _ := unused(e.Before); flags == nil || e.Before != nil && before == nil {
		return nil
	}
	a.config = slices.DeleteFunc(a.config, func(setting string) bool {
		return slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(setting, "explain."+f+" ") })
	})
	e.CPUs = nil // of a setting
	return onlyFor(cmd.Flags(), option.Subset(cmd.Flags(), flags), why)
}

// target is the target that the arguments name without two dashes.
func (o *explainOptions) target(cmd *cobra.Command, args []string, all []*workload.Workload) (lab.Target, error) {
	var files lab.Files
	for i, word := range args {
		target, err := lab.ParseTarget(cmd.Context(), word)
		at, design, _ := strings.Cut(word, "/")
		_, unknown := workload.Find(all, at)
		run, isRun := target.(lab.StoredDesign)
		saved, isFile := target.(lab.Files)
		_, isProgram := target.(lab.Command)
		_, isPackage := target.(lab.Package)
		switch {
		case err != nil && unknown == nil && design != "":
			return nil, usage("explain takes a design by a flag: type %s explain %s --designs %s", name(), at, design)
		case err != nil && isHostPort(word):
			return nil, usage("%s is no URL: for the profiles of a server type %s explain http://%s", word, name(),
				word)
		case err != nil && !strings.ContainsAny(word, `./\`):
			return nil, usage("%w; put a program after two dashes, as in explain -- ./prog; for the names of findings "+
				"type %s explain --list", err, name())
		case err != nil:
			return nil, usage("%w; put a program after two dashes, as in explain -- ./prog", err)
		case isRun && len(args) == 1:
			return o.withDesign(run, all), nil
		case isProgram:
			return nil, usage("%s is a program: to run it write explain -- %s", word, strings.Join(args, " "))
		case isPackage && i == 0 && len(args) > 1:
			return nil, usage("explain takes one package; put the arguments of its program after two "+
				"dashes: explain %s -- %s", word, strings.Join(args[1:], " "))
		case !isFile && len(args) > 1:
			return nil, usage("explain takes one target at a time, or several saved profiles; %s is not one", word)
		case !isFile:
			return target, nil
		}
		files = append(files, saved...)
	}
	return files, nil
}

// isHostPort reports whether a word looks like HOST:PORT, with or without a path.
func isHostPort(word string) bool {
	at, _, _ := strings.Cut(word, "/")
	_, port, err := net.SplitHostPort(at)
	_, noNumber := strconv.ParseUint(port, 10, 16)
	return err == nil && noNumber == nil
}

// sideTarget is the target of --before or --after.
func (o *explainOptions) sideTarget(cmd *cobra.Command, word string, args []string,
	all []*workload.Workload) (lab.Target, error) {
	if _, err := os.Stat(word); err != nil {
		return nil, usage("%s is not there: %w; give a program, a package, a profile, a directory of profiles, or a "+
			"git worktree of a revision", word, err)
	}
	target, err := lab.ParseTarget(cmd.Context(), word)
	switch t := target.(type) {
	case lab.Package:
		t.Args = args
		return t, nil
	case lab.Command:
		return append(t, args...), nil
	case lab.StoredDesign:
		return o.withDesign(t, all), nil
	}
	return target, withExitCode(err)
}

// withDesign adds the design to a stored run.
func (o *explainOptions) withDesign(r lab.StoredDesign, all []*workload.Workload) lab.StoredDesign {
	return lab.StoredDesign{Dir: r.Dir, Design: strings.Join(o.designs, ","), Workloads: all}
}

// explainWorkload is the command "explain NAME", whose flags are the factors of the workload.
func (a *app) explainWorkload(w *workload.Workload, o *explainOptions) *cobra.Command {
	summary, _, _ := strings.Cut(w.Doc, "\n")
	var levels func() map[string]string
	options := workload.Given{}
	cmd := &cobra.Command{
		Use: w.Name, Short: summary,
		Example: fmt.Sprintf("%s explain %s %s", name(), w.Name,
			cmp.Or(exampleOf(w), fmt.Sprintf("--designs %s --cpus %d", w.Designs[0].Name, runtime.NumCPU()))),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("explain %s takes no argument %q; to run a program of that name write explain -- %s",
					w.Name, args[0], w.Name)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.fromConfig(a, cmd); err != nil {
				return err
			}
			w, err := w.With(options)
			if err != nil {
				return withExitCode(err)
			}
			if w.Limited {
				return usage("explain loads a server without a limit, so it takes servers of this machine only")
			}
			return a.explain(cmd, *o, func(e *lab.ExplainOptions) (stop func() error, err error) {
				if err := a.explainDesign(w, o.designs, levels(), e); err != nil {
					return nil, err
				}
				return o.serve(cmd, e)
			})
		},
	}
	if d := w.Designs[0]; d.Remote && d.Served == nil {
		cmd.Example = "" // of what is refused
	}
	levels = factorFlags(cmd.Flags(), w)
	option.AddGiven(cmd.Flags(), w, options)
	return cmd
}

// serve replaces the target, if it is a design whose operations are served by another process, by that process, which
// it loads until stop is called.
func (o *explainOptions) serve(cmd *cobra.Command, e *lab.ExplainOptions) (stop func() error, err error) {
	t := e.Target.(lab.Design) // of explainDesign
	d, _ := t.Workload.Find(t.Name)
	switch {
	case !d.Remote:
		return nil, nil
	case e.CPUs != nil:
		return nil, usage("--cpus has no effect on a server: set it with the command that starts it")
	}
	address, stop, err := d.Served(cmd.Context(), t.Point)
	if err != nil {
		return nil, withExitCode(err)
	}
	e.Target = lab.Address(address)
	return stop, nil
}

// explainDesign adds the one design at the one point that the flags name. The numbers of CPUs are those of the runs.
func (a *app) explainDesign(w *workload.Workload, designs []string, given map[string]string,
	e *lab.ExplainOptions) error {
	known, _ := w.Select(nil)
	if w.Make != nil && len(designs) == 0 && len(known) == 1 {
		designs = known
	}
	if len(designs) != 1 {
		return usage("explain takes one design: select it with --designs, from %s", strings.Join(known, ", "))
	}
	if d, _ := w.Find(designs[0]); d.Remote && d.Served == nil {
		return usage("explain cannot load %s/%s: load it by %[3]s run %[1]s, and meanwhile type %[3]s explain "+
			"http://ADDRESS if its server serves net/http/pprof", w.Name, designs[0], name())
	}
	o := lab.MeasureOptions{NoPredictions: true,
		DesignOptions: lab.DesignOptions{Designs: designs, Levels: given, Program: name()}}
	cases, err := o.Cases(w)
	if err != nil {
		return withExitCode(err)
	}

	// Profiles are taken at the most CPUs.
	top := cases[0].Point
	for i, c := range cases {
		if !sameExcept(c.Point, top, "cpus", "workers") || i > 0 && c.Point.Int("cpus") == top.Int("cpus") {
			return usage("explain takes one point, but these flags give %d: give each factor one level",
				len(cases))
		}
		if c.Point.Int("cpus") >= top.Int("cpus") {
			top = c.Point
		}
		if given["cpus"] != "" {
			e.CPUs = append(e.CPUs, c.Point.Int("cpus"))
		}
	}
	e.Target = lab.Design{Workload: w, Name: designs[0], Point: top}
	return nil
}

// sameExcept reports whether two points are the same except for some factors.
func sameExcept(a, b plan.Point, factors ...string) bool {
	for _, name := range factors {
		if level, ok := b.Get(name); ok {
			a = a.With(name, level)
		}
	}
	return a.String() == b.String()
}

// exampleOf returns the example of a workload's arguments, as flags.
func exampleOf(w *workload.Workload) string { return plan.Template{Format: w.Example}.Text(asFlag) }
