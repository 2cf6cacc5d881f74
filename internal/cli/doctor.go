package cli

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/doctor"
	"github.com/brewput/brewput/internal/plugin"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
)

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	format    string
	quick     bool
	strict    bool
	timeLimit time.Duration
}

var doctorFormats = []string{"table", "json"}

func (a *app) doctorCommand() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether this machine is fit for measuring",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("doctor takes no argument %q: it examines this machine", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "table", "table or json")
	f.BoolVar(&o.quick, "quick", false, "skip the noise floor, which takes most of the time")
	f.BoolVar(&a.view.full, "all", false, "print every check, including good ones, and all fixes")
	f.BoolVar(&a.view.full, "full", false, "the same as --all")
	f.BoolVar(&o.strict, "strict", false, "exit with code 1 if a check is bad, caution or unknown")
	f.DurationVar(&o.timeLimit, "time-limit", 30*time.Second, "`TIME` after which it stops measuring the noise floor")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(doctorFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) doctor(ctx context.Context, o doctorOptions) error {
	switch err := checkFormat("doctor --format", o.format, doctorFormats); {
	case err != nil:
		return err
	case o.timeLimit <= 0:
		return usage("--time-limit %v is not a positive time; to leave out the noise floor give --quick", o.timeLimit)
	}
	a.measuring = true
	x, err := lab.Examine(ctx, lab.ExamineOptions{Quick: o.quick, TimeLimit: o.timeLimit, Program: name(),
		Notify: a.note})
	if err != nil {
		return err
	}
	if version, problem, ok := plugin.Examine(a.workloads); ok {
		x.AddProgram(plugin.Name, version, problem, plugin.Build)
	}
	if o.strict && slices.ContainsFunc(x.Checks, doctor.Check.NotGood) {
		a.code = exitWrong
	}
	if o.format == "json" {
		return report.DoctorJSON(a.stdout, x.Checks, x.Report)
	}
	return a.page(func(w io.Writer, st report.Style) error {
		return report.Doctor(w, machineWords("doctor", x.Environment), x.Checks, x.Report, st)
	})
}

// machineWords describes the machine, for the head of a verb's page.
func machineWords(verb string, e result.Environment) []string {
	words := []string{verb}
	if e.CPUModel != nil {
		words = append(words, *e.CPUModel)
	}
	return append(words, result.Count(e.CPUs, "CPU"), e.GOOS+"/"+e.GOARCH, e.GoVersion)
}
