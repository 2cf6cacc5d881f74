package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

func (a *app) simCommand() *cobra.Command {
	o := runOptions{virtual: true, sample: 1}
	cmd := &cobra.Command{
		Use:   "sim WORKLOAD",
		Short: "Calculate designs in virtual time, on any number of CPUs",
	}
	a.withoutWorkload(cmd, &o)
	f := cmd.PersistentFlags()
	o.addCommon(f)
	a.view.addTo(f)
	decimalVar(f, &o.count, "count", 1, "replications with different random draws; 2 or more give intervals")
	f.StringVar(&o.precision, "precision", "", "replicate until every mean's 95% confidence half-width is at most "+
		"`SHARE` of the mean, such as 1%")
	f.DurationVar(&o.duration, "duration", 10*time.Second, "measured virtual `TIME` of each trial")
	f.DurationVar(&o.warmup, "warmup", time.Second, "virtual warm-up `TIME` before each measurement (unless "+
		"set, more for designs that settle later)")
	f.StringVar(&o.cost, "cost", "", "scheduler costs: none, or `COSTS` such as wake=60us,chan=200ns (others are "+
		"none); names: wake, deep, deep-after, rouse, spin, spin-for, steal, burn, outlier, outlier-every, switch, "+
		"spawn, chan, lock, lock-spin, timer, poll-grain, syscall (default those that calibrate measured here, else "+
		"typical ones)")
	f.DurationVar(&o.timeLimit, "time-limit", 10*time.Minute, "real `TIME` after which a trial counts as hung")
	o.timelineFlags(f)
	o.costFlags(f)
	cmd.RegisterFlagCompletionFunc("designs", a.completeFlagDesigns)
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	for _, w := range a.workloads {
		one := a.runWorkload(w, &o)
		one.Hidden = !slices.ContainsFunc(w.Designs, func(d workload.Design) bool { return d.Worlds == workload.Both })
		cmd.AddCommand(one)
	}
	return cmd
}

// parsePrecision parses a share such as "1%" or "0.01".
func parsePrecision(text string) (float64, error) {
	number, unit := strings.TrimSuffix(text, "%"), 1.0
	if number != text {
		unit = 100
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return 0, usage("--precision %s is not a share; write it as 1%% or 0.01", text)
	}
	if v /= unit; !(v >= 0.0001 && v <= 0.5) {
		return 0, usage("--precision %s is out of range; give 0.01%% to 50%%", text)
	}
	return v, nil
}

// concludePrecision prints how precise the means are.
func (a *app) concludePrecision(r *lab.Run) {
	p, trials := r.Header.Precision, r.Trials
	least, widest, missed, none := "", -1.0, []string(nil), 0
	for i, c := range r.Header.Cases {
		metric, half := r.LeastPrecise(i)
		switch {
		case math.IsNaN(half):
			none++
			continue
		case half > p.Relative:
			missed = append(missed, metric)
		}
		if half > widest {
			words := map[string]string{result.Throughput: "throughput", result.LatencyMean: "mean latency",
				result.ResponseMean: "mean response", result.WallSeconds: "wall time"}
			least, widest = fmt.Sprintf("; the least precise is the %s of %s (%s), within ", words[metric], c.Design,
				c.Point), half
		}
	}

	text := fmt.Sprintf("%d trials: every mean within %s", len(trials), decimal.Percent(p.Relative, 3))
	if len(missed) > 0 {
		text = fmt.Sprintf("%d trials: %d of %d cases are not within %s after %d replications; give %s", len(trials),
			len(missed), len(r.Header.Cases), decimal.Percent(p.Relative, 3), p.MaxReplications,
			morePrecise(missed, r.Header.Settings.Operations))
	}
	if none > 0 {
		text += fmt.Sprintf("; %d of %d cases have no mean", none, len(r.Header.Cases))
	}
	if least != "" {
		text += least + decimal.Percent(widest, 3)
	}
	fmt.Fprintln(a.notes, text)
}

// morePrecise names the flags that make means more precise. The metrics are those of the means, and operations is the
// number that ends a trial of a stream; 0 if a duration does.
func morePrecise(metrics []string, operations int64) string {
	if slices.Contains(metrics, result.WallSeconds) { // a job, whose trials have no length to choose
		return "--count for more replications, instead of --precision"
	}
	if operations > 0 {
		return "more --operations"
	}
	return "a longer --duration"
}
