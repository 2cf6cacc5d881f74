package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/sweep"
)

func (a *app) calibrateCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure what the scheduler takes on this machine, for predictions",
		Long: `Calibrate measures what Go's scheduler and its primitives take on this machine:
waking a CPU that sleeps, stealing what another CPU would run next, switching to
another goroutine, starting one, operations on channels and locks, timers and
system calls. Each cost is the one with which a microprogram takes in virtual
time what it takes here. They are stored for this machine, and sim and the
predictions of run count with them from then on. The table also compares
simulated with live hand-overs, and has a price ladder: what an addition, an
atomic operation, a lock and a channel cost alone, and with another CPU.

It takes less than 30 seconds, in which nothing else should run. It stores
nothing and exits with 4 if the machine is loaded, or if the two halves of its
rounds disagree about a cost.`,
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
	c, err := lab.Calibrate(ctx, lab.CalibrateOptions{Notify: a.note})
	if d := (*lab.Unfit)(nil); errors.As(err, &d) && d.Err == nil {
		err = fmt.Errorf("%w (%s doctor says more)", err, name())
	}
	if err != nil {
		return fromLab(err)
	}
	if format == "json" {
		return report.JSON(a.stdout, *c)
	}
	width, isTerminal := terminal(a.stdout)
	if err := report.Calibration(a.stdout, about("calibrate", host.Read()), *c,
		report.StyleFor(os.Getenv, isTerminal, width)); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, kept(*c))
	return nil
}

// counted are the costs that a simulation counts with.
type counted struct {
	text     string // see sim.ParseCosts
	from     string // see sweep.Header
	warnings []string
}

// costsHere are those given, else those of this machine, else typical ones.
func costsHere(given string, here host.Environment) (counted, error) {
	if given != "" {
		c, err := sim.ParseCosts(given)
		if err != nil {
			return counted{}, usage("--cost %s: %w", given, err)
		}
		return counted{c.String(), "given", []string{}}, nil
	}
	cal, c, err := costs.Load(calibrate.CacheDir(), here.Fingerprint, here.GoVersion)
	if err != nil {
		text := sim.Typical().String()
		return counted{text, sweep.Typical,
			[]string{fmt.Sprintf("the scheduler's costs are typical ones, not this machine's: %s (%v); measure them "+
				"with %s calibrate, or set them with --cost", text, err, name())}}, nil
	}
	return counted{c.String(), sweep.Calibrated + cal.Measured.UTC().Format(time.RFC3339),
		append([]string{}, cal.Warnings...)}, nil
}

// kept says where a calibration went.
func kept(c result.Calibration) string {
	return fmt.Sprintf("stored for this machine (fingerprint %s); sim and the predictions of run count with "+
		"these costs from now on", c.Fingerprint)
}
