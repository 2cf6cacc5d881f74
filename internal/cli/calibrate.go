package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

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
	if err := checkFormat("calibrate --format", format, doctorFormats); err != nil {
		return err
	}
	a.measuring = true
	c, err := lab.Calibrate(ctx, a.steps(time.Now))
	if d := (*lab.UnfitError)(nil); errors.As(err, &d) && d.Err == nil {
		err = fmt.Errorf("%w (%s doctor shows why)", err, name())
	}
	if err != nil {
		return withExitCode(err)
	}
	if format == "json" {
		return report.JSON(a.stdout, *c)
	}
	if err := a.page(func(w io.Writer, st report.Style) error {
		return report.Calibration(w, machineWords("calibrate", host.Read()), *c, st)
	}); err != nil {
		return err
	}
	fmt.Fprintln(a.notes, storedText(*c))
	return nil
}

// storedText says where a calibration is stored.
func storedText(c result.Calibration) string {
	return fmt.Sprintf("stored for this machine (fingerprint %s); sim and the predictions of run now use these "+
		"costs", c.Fingerprint)
}
