package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
)

func (a *app) calibrateCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure the scheduler's costs on this machine, for predictions",
		Long: `Calibrate measures the costs of Go's scheduler and its primitives on this
machine: waking an idle CPU, work stealing, goroutine switches and starts,
operations on channels and locks, timers and system calls. It fits each cost so
that a microprogram takes the same time in virtual time as here. The costs are
stored for this machine; sim and the predictions of run use them from then on.
The table also compares simulated with live hand-overs. Its price ladder shows
an addition, an atomic operation, a lock and a channel operation, uncontended
and contended by another CPU.

It takes less than 30 seconds; run nothing else meanwhile. It stores nothing and
exits with 4 if the machine is loaded, or if the two halves of its rounds
disagree about a cost.`,
		Example: indent("NAME calibrate\nNAME calibrate --format json"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("calibrate takes no argument %q: it measures this machine", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.calibrate(cmd.Context(), format) },
	}
	cmd.Flags().StringVar(&format, "format", "table", "table or json")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(doctorFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) calibrate(ctx context.Context, format string) error {
	if !slices.Contains(doctorFormats, format) {
		return usage("calibrate --format %s is not possible%s; use %s", format, didYouMean(format, doctorFormats),
			strings.Join(doctorFormats, ", "))
	}
	a.measuring = true
	c, err := lab.Calibrate(ctx, a.note)
	if d := (*lab.UnfitError)(nil); errors.As(err, &d) && d.Err == nil {
		err = fmt.Errorf("%w (%s doctor says more)", err, name())
	}
	if err != nil {
		return withExitCode(err)
	}
	if format == "json" {
		return report.JSON(a.stdout, *c)
	}
	if err := report.Calibration(a.stdout, machineWords("calibrate", host.Read()), *c,
		pageStyle(a.stdout)); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, storedText(*c))
	return nil
}

// storedText says where a calibration is stored.
func storedText(c result.Calibration) string {
	return fmt.Sprintf("stored for this machine (fingerprint %s); sim and the predictions of run count with "+
		"these costs from now on", c.Fingerprint)
}
