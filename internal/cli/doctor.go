package cli

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/aa"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/internal/doctor"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
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
	f.BoolVar(&a.view.full, "all", false, "print every check, also those that are good, and all fixes")
	f.BoolVar(&a.view.full, "full", false, "the same as --all")
	f.BoolVar(&o.strict, "strict", false, "exit with code 1 if a check is bad, caution or unknown")
	f.DurationVar(&o.timeLimit, "time-limit", 30*time.Second, "`TIME` after which it stops measuring the noise floor")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(doctorFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) doctor(ctx context.Context, o doctorOptions) error {
	switch {
	case !slices.Contains(doctorFormats, o.format):
		return usage("doctor --format %s is not possible%s; use %s", o.format, didYouMean(o.format, doctorFormats),
			strings.Join(doctorFormats, ", "))
	case o.timeLimit <= 0:
		return usage("--time-limit %v is not a positive time; to leave out the noise floor give --quick", o.timeLimit)
	}
	a.measuring = true
	began := time.Now()
	if !o.quick {
		fmt.Fprintln(a.notes, "examining this machine for about 15s; keep it idle")
	}

	x, err := host.Examine(ctx, name())
	if err != nil {
		return err
	}
	var noise []doctor.Noise
	if !o.quick {
		if noise, err = noiseFloor(ctx, x.Environment, o.timeLimit-time.Since(began)); err != nil {
			return err
		}
	}

	readings := x.Readings()
	readings.Costs = readCosts(x.Environment)
	checks, verdict := doctor.Judge(readings, noise)
	if o.strict && slices.ContainsFunc(checks, doctor.Check.NotGood) {
		a.code = exitWrong
	}
	if o.format == "json" {
		return report.DoctorJSON(a.stdout, checks, verdict)
	}

	return report.Doctor(a.stdout, machineWords("doctor", x.Environment), checks, verdict, a.pageStyle())
}

// noiseFloor measures the noise floor at one CPU and at all CPUs.
func noiseFloor(ctx context.Context, e result.Environment, limit time.Duration) ([]doctor.Noise, error) {
	cpus := []int{1}
	if n := runtime.GOMAXPROCS(0); n > 1 {
		cpus = append(cpus, n)
	}
	burn, err := calibrate.ForSweep(calibrate.CacheDir(), e.Fingerprint)
	if err != nil {
		return []doctor.Noise{{CPUs: 1, Missing: err.Error()}}, nil
	}
	return aa.Floor(ctx, cpus, limit, burn.Rate, trial.Runner{}.Run)
}

// readCosts reports whether the scheduler's costs on this machine are known.
func readCosts(e result.Environment) doctor.Reading[doctor.Costs] {
	c, _, err := costs.Load(calibrate.CacheDir(), e.Fingerprint, e.GoVersion)
	if err != nil {
		return doctor.Read(doctor.Costs{Missing: err.Error()})
	}
	return doctor.Read(doctor.Costs{Measured: c.Measured})
}

// machineWords describes the machine, for the head of a verb's page.
func machineWords(verb string, e result.Environment) []string {
	words := []string{verb}
	if e.CPUModel != nil {
		words = append(words, *e.CPUModel)
	}
	return append(words, result.Count(e.CPUs, "CPU"), e.GOOS+"/"+e.GOARCH, e.GoVersion)
}
