package lab

import (
	"context"
	"runtime"
	"strconv"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// MeasureOptions are the options of [Measure].
type MeasureOptions struct {
	DesignOptions
	Budget        time.Duration // for all trials, instead of Count; 0 for none
	Sample        int           // time only every n-th operation; default 1
	Profile       bool          // observed trials take a CPU profile instead of watching resources
	Oversubscribe bool          // more CPUs than this machine has are measured on those that it has
	NoTwin        bool          // nothing is predicted
	Cost          string        // of the scheduler in predictions, as in Simulate; "" for this machine's
	Quick         string        // what was shortened for a rough answer, in words; the header notes it
}

// withDefaults has the defaults.
func (o MeasureOptions) withDefaults() MeasureOptions {
	if o.Count == 0 {
		o.Count = 10
	}
	if o.Duration == 0 {
		o.Duration = time.Second
	}
	if o.Sample == 0 {
		o.Sample = 1
	}
	return o
}

// Validate refuses values that cannot be carried out, whatever the workload and the machine. It takes the options as
// they are: a count or a duration of zero, for which [Measure] takes the default, is refused, because a user who gave
// it meant something else.
func (o MeasureOptions) Validate() error {
	if err := o.validate("block"); err != nil {
		return err
	}
	switch {
	case o.Budget < 0:
		return refuse("budget", o.Budget, "is negative").suggest("give a time such as 10m")
	case o.Sample < 1:
		return refuse("sample", o.Sample, "1 times every operation, 10 every tenth")
	}
	return endsAll(o.TimeLimit, o.Warmup+o.Duration, o.Operations)
}

// Cases are the designs and points that the options ask for. It refuses CPUs that this machine lacks if they cannot be
// predicted either.
func (o MeasureOptions) Cases(w *workload.Workload) ([]plan.Case, error) {
	cases, err := o.cases(w)
	if err != nil {
		return nil, err
	}
	have := runtime.NumCPU()
	for _, c := range cases {
		if workload.OpenLoop(c.Point) {
			switch limit := o.Warmup + 2*o.Duration; {
			case o.TimeLimit > 0 && o.TimeLimit <= limit:
				return nil, refuse("time-limit", o.TimeLimit, "would end a trial whose customers are served late: it "+
					"must be longer than {warmup} and twice {duration}, %v", limit)
			case o.Sample > 1:
				return nil, refuse("sample", nil, "is for closed loops: an open loop times every request")
			}
		}
		n := c.Point.Int("cpus")
		d, _ := w.Find(c.Design)
		switch {
		case n <= have || o.Oversubscribe:
		case o.NoTwin:
			return nil, refuse("cpus", n, "this machine has %d CPUs", have).suggest("calculate it with %s sim %s "+
				"{cpus} %d, or add {oversubscribe}", program(o.Program), w.Name, n)
		case d.Worlds == workload.LiveOnly:
			return nil, refuse("cpus", n, "this machine has %d CPUs, and %s/%s has no virtual world in which more "+
				"could be predicted: leave it out with {designs}, or add {oversubscribe}", have, w.Name, d.Name)
		case n > sim.MaxCPUs:
			return nil, refuse("cpus", n, "this machine has %d CPUs, and the simulation at most %d: give no more than "+
				"those", have, sim.MaxCPUs)
		}
	}
	return cases, nil
}

// twin divides cases into those that are measured and those that are predicted: both, where a case can be measured
// here. What is measured on CPUs that are not there is no prediction's business.
func (o *MeasureOptions) twin(w *workload.Workload, cases []plan.Case) (measured, predicted []plan.Case) {
	for _, c := range cases {
		here := c.Point.Int("cpus") <= runtime.NumCPU()
		if here || o.Oversubscribe {
			measured = append(measured, c)
		}
		if d, _ := w.Find(c.Design); !o.NoTwin && d.Worlds != workload.LiveOnly && (here || !o.Oversubscribe) {
			predicted = append(predicted, c)
		}
	}
	return measured, predicted
}

// limit is the time limit of a trial: generous unless it is given, since it only has to end what would never end by
// itself.
func (o *MeasureOptions) limit(w *workload.Workload, cases []plan.Case) time.Duration {
	if o.TimeLimit > 0 {
		return o.TimeLimit
	}
	limit := windowOf(o.Warmup, o.Duration, cases) + 30*time.Second
	if o.Operations > 0 {
		limit = 10 * time.Minute
	}
	for _, c := range cases {
		if d, _ := w.Find(c.Design); d.Job != nil {
			limit = max(limit, 10*time.Minute)
		}
	}
	return limit
}

// Measure measures designs of a workload on this machine, each trial in a process of its own, in blocks of random order
// that hold every design at every point once. Beside each measurement stands what virtual time predicts, and CPUs
// beyond those of this machine are predicted only.
//
// Options that cannot be carried out are a [*Refusal]. A design that is to serve a fraction of its capacity and does
// not serve is a [*sweep.CapacityError]; a context that is cancelled before the run has a directory an [*UnstoredError].
// After other errors, or when ctx is cancelled later, the run has the trials so far, which are stored, so that [Resume]
// continues it. Concurrent calls are safe but disturb each other's measurements.
func Measure(ctx context.Context, w *workload.Workload, o MeasureOptions) (*Run, error) {
	if o.Count > 0 && o.Budget > 0 {
		return nil, refuse("", nil, "{count} and {budget} both say how many blocks there are").
			suggest("give one of them")
	}
	o = o.withDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	cases, err := o.Cases(w)
	if err != nil {
		return nil, err
	}
	h, err := o.header(w, cases)
	if err != nil {
		return nil, err
	}
	r, err := newRun(ctx, w, &o.DesignOptions, h)
	if err != nil {
		return nil, err
	}
	return r.measure(ctx)
}

// header describes the run and the machine.
func (o *MeasureOptions) header(w *workload.Workload, cases []plan.Case) (sweep.Header, error) {
	measured, twin := o.twin(w, cases)
	environment := host.Read()
	burn, err := calibrate.ForSweep(calibrate.CacheDir(), environment.Fingerprint)
	if err != nil {
		return sweep.Header{}, err
	}
	h := o.DesignOptions.header(w, result.Live, environment)
	h.Instrumented, h.Cases, h.PredictedCases, h.Burn, h.Quick = true, measured, twin, burn, o.Quick
	h.Settings.Sample, h.Settings.Profile = o.Sample, o.Profile
	h.Settings.TimeLimit, h.Settings.Limited = sweep.Duration(o.limit(w, cases)), o.TimeLimit > 0
	if o.Budget > 0 {
		j := compare.DefaultCriteria(o.Baseline, nil)
		j.All = o.All
		h.Rule = sweep.NewBudgetRule(o.Budget, j)
		h.Blocks = h.Rule.MaxBlocks()
	}
	if len(twin) > 0 {
		what, err := costsHere(o.Cost, environment, o.Program)
		if err != nil {
			return sweep.Header{}, err
		}
		h.Costs, h.CostsFrom = what.text, what.from
	}
	if o.Oversubscribe {
		for _, c := range cases {
			if c.Point.Int("cpus") > runtime.NumCPU() {
				h.Warnings = append(h.Warnings, oversubscribed())
				break
			}
		}
	}
	return h, nil
}

func oversubscribed() string {
	return "more CPUs were asked for than the " + strconv.Itoa(runtime.NumCPU()) + " of this machine " +
		"(--oversubscribe): goroutines share them, and times do not show what more CPUs would do"
}

// header is what the headers of both worlds share.
func (o *DesignOptions) header(w *workload.Workload, world string, here host.Environment) sweep.Header {
	return sweep.Header{
		Workload: w.Name, World: world, Args: o.Args, Version: o.Version, Started: time.Now(),
		Seed: strconv.FormatUint(o.Seed, 10), Blocks: o.Count, Baseline: o.Baseline, All: o.All,
		Settings: sweep.Settings{Duration: sweep.Duration(o.Duration), Warmup: sweep.Duration(o.Warmup),
			Operations: o.Operations},
		Environment: here, Warnings: []string{},
	}
}
