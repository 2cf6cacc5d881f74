package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// measure starts a new sweep.
func (a *app) measure(ctx context.Context, w *workload.Workload, o runOptions, given map[string]string) error {
	if err := o.validate(); err != nil {
		return err
	}
	cases, err := a.cases(w, o, given)
	if err != nil {
		return err
	}
	if err := checkBaseline(w, o.baseline, cases); err != nil {
		return err
	}
	a.measuring = true
	header, err := a.header(w, o, cases)
	if err != nil {
		return err
	}
	header.Baseline, header.All = o.baseline, o.pairs == allPairs
	s, err := sweep.New(w, header)
	if err != nil {
		return err
	}
	dir := store.Directory(o.out, w.Name, header.Started)
	if err := o.prepareCosts(ctx, s); err != nil {
		return err
	}
	if err := a.prepareVerdicts(s, o); err != nil {
		return err
	}
	if s.Recorded, s.Header.Recorded, err = sweep.ReadArrivals(ctx, cases); err != nil {
		return asUsage(err)
	}
	if err := a.measureCapacities(ctx, s, dir); err != nil || a.code != exitOK {
		return err
	}
	if o.settle && s.Header.Settings.Operations == 0 {
		if err := a.settle(ctx, s, dir); err != nil {
			return err
		}
	}
	run, err := store.Create(dir, s.Header)
	if err != nil {
		return storeError(err)
	}
	s.Store = run
	return closing(run, a.execute(ctx, s, dir, o))
}

// closing closes a run after it was used. What its last lines met when they were brought to the disk is a result
// that could not be kept, whatever happened before.
func closing(run io.Closer, err error) error {
	if failed := run.Close(); failed != nil {
		return errors.Join(err, exitError{failed, exitFailed})
	}
	return err
}

// checkBaseline refuses a baseline that is not measured, or that is no solution.
func checkBaseline(w *workload.Workload, baseline string, cases []plan.Case) error {
	if baseline == "" {
		return nil
	}
	d, ok := w.Find(baseline)
	switch {
	case !ok:
		return unknownDesign(w, baseline)
	case d.Expect == workload.Bound:
		return usage("--baseline %s: it is a bound, not a solution, and stands in no comparison", baseline)
	case !slices.ContainsFunc(cases, func(c plan.Case) bool { return c.Design == baseline }):
		return usage("--baseline %s is not measured; add it to --designs", baseline)
	}
	return nil
}

// storeError tells a directory that is the wrong one, which is a wrong use, from a disk that fails and a directory that
// was removed.
func storeError(err error) error {
	if store.Broken(err) {
		return exitError{err, exitFailed}
	}
	return asUsage(err)
}

// header describes the sweep and the machine.
func (a *app) header(w *workload.Workload, o runOptions, cases []plan.Case) (sweep.Header, error) {
	if o.virtual {
		return a.virtualHeader(w, o, cases)
	}
	measured, twin := o.twin(w, cases)
	environment := host.Read()
	burn, err := calibrate.ForSweep(calibrate.CacheDir(), environment.Fingerprint)
	if err != nil {
		return sweep.Header{}, err
	}
	h := sweep.Header{
		Workload: w.Name, World: result.Live, Args: arguments(), Version: version(), Started: time.Now(),
		Seed: strconv.FormatUint(o.seed, 10), Blocks: o.count, Observed: true, Cases: measured, Twin: twin,
		Settings: sweep.Settings{
			Duration: sweep.Duration(o.duration), Warmup: sweep.Duration(o.warmup),
			Operations: o.operations, Sample: o.sample, TimeLimit: sweep.Duration(timeLimit(w, o, cases)),
			Limited: o.timeLimit > 0, Profile: o.profile,
		},
		Environment: environment, Burn: burn, Warnings: []string{}, Quick: o.hasty,
	}
	if o.budget > 0 {
		j := compare.Usual(o.baseline, nil)
		j.All = o.pairs == allPairs
		h.Rule = sweep.NewRule(o.budget, j)
		h.Blocks = h.Rule.Most()
	}
	if len(twin) > 0 {
		what, err := costsHere(o.cost, environment)
		if err != nil {
			return sweep.Header{}, err
		}
		h.Costs, h.CostsFrom = what.text, what.from
	}
	if o.oversubscribe {
		for _, c := range cases {
			if c.Point.Int("cpus") > runtime.NumCPU() {
				h.Warnings = append(h.Warnings,
					fmt.Sprintf("more CPUs were asked for than the %d of this machine (--oversubscribe): goroutines "+
						"share them, and times do not show what more CPUs would do", runtime.NumCPU()))
				break
			}
		}
	}
	return h, nil
}

// timeLimit is the flag, or else generous: it only has to end what would never end by itself.
func timeLimit(w *workload.Workload, o runOptions, cases []plan.Case) time.Duration {
	if o.timeLimit > 0 {
		return o.timeLimit
	}
	limit := window(o.warmup, o.duration, cases) + 30*time.Second
	if o.operations > 0 {
		limit = 10 * time.Minute
	}
	for _, c := range cases {
		if d, _ := w.Find(c.Design); d.Job != nil {
			limit = max(limit, 10*time.Minute)
		}
	}
	return limit
}

// execute runs the sweep, shows its progress and renders its results.
func (a *app) execute(ctx context.Context, s *sweep.Sweep, dir string, o runOptions) error {
	out := a.newOutput(o.format, s)
	progress := newProgress(a.stderr)
	s.Notify = func(e sweep.Event) {
		if e.Trials != nil {
			out.block(e.Trials)
			return
		}
		progress.show(e)
	}
	a.announce(s, dir)
	trials := s.Done
	twin, kept, err := a.twinOf(s, dir, out, progress)
	if err == nil {
		out.predictions, trials, err = s.ExecuteWithTwin(ctx, twin)
		out.predictions = inTwin(out.predictions)
	}
	if kept != nil {
		err = closing(kept, err)
	}
	progress.clear()
	if err == nil {
		err = a.writeCosts(s)
	}
	whole := err == nil
	if whole && o.sensitivity {
		out.sensitivity, err = a.vary(ctx, s, trials)
	}
	interrupted := errors.Is(err, context.Canceled)
	if interrupted {
		fmt.Fprintf(a.stderr, "brewput: interrupted after %s; %s\n", progressOf(&s.Header, len(trials), s.Total()),
			o.continuation(s, dir, whole))
		a.code, err = exitInterrupted, nil
	}
	if outErr := out.finish(trials); outErr != nil {
		err = errors.Join(err, fmt.Errorf("the results could not be printed: %w; they are stored, print them "+
			"with: %s --format %s", outErr, resumeHint(s.Header, dir), o.format))
	}
	if err == nil && !interrupted {
		judged := slices.Concat(trials, out.beyond())
		a.code = exitCode(judged)
		a.failures(judged)
		a.lostFailures(dir, trials)
		a.lostFailures(dir, out.predictions)
		a.conclude(s, trials)
		fmt.Fprintf(a.stderr, "stored in %s\n", dir)
		if err = a.writeTimelines(ctx, s, o); errors.Is(err, context.Canceled) {
			fmt.Fprintf(a.stderr, "brewput: interrupted before the timeline was written; write it with: %s %s\n",
				resumeHint(s.Header, dir), o.askedTimeline())
			a.code, err = exitInterrupted, nil
		}
	}
	return err
}

// failures says on stderr what the exit code is for: formats for programs show numbers only.
func (a *app) failures(trials []result.Trial) {
	n, first := 0, -1
	for i, t := range trials {
		if !t.Expected {
			n++
			if first < 0 {
				first = i
			}
		}
	}
	if cases := lab.NeverValid(trials); len(cases) > 0 {
		fmt.Fprintf(a.stderr, "brewput: %s: no trial was valid: customers were always noticed late; see the errors\n",
			cases[0])
	}
	if n == 0 {
		return
	}
	t := trials[first]
	text := fmt.Sprintf("%d of %s went wrong; the first: %s %s: %s: %s", n, result.Count(len(trials), "trial"),
		t.Design, t.Point, t.Status, t.Error)
	if t.Failure != "" {
		text += "; see " + t.Failure
	}
	fmt.Fprintln(a.stderr, "brewput:", quote.Line(text))
}

// announce says what is going to happen and how long it will take.
func (a *app) announce(s *sweep.Sweep, dir string) {
	text := dir + " is complete"
	if !s.Complete {
		text = a.intent(s) + "; stored in " + dir
	}
	fmt.Fprintln(a.stderr, text)
	if s.Header.Quick != "" {
		fmt.Fprintln(a.stderr, s.Header.Quick)
	}
	if strings.HasPrefix(s.Header.CostsFrom, sweep.Calibrated) {
		where := "this machine"
		if s.Complete || len(s.Done) > 0 {
			where = "the machine it began on"
		}
		fmt.Fprintln(a.stderr, "the scheduler's costs are those of "+where+", "+s.Header.CostsFrom)
	}
	for _, w := range s.Header.Warnings {
		fmt.Fprintln(a.stderr, "warning:", w)
	}
	if s.Header.Settled != "" {
		fmt.Fprintln(a.stderr, s.Header.Settled)
	}
}

// intent is what is still to be measured, and for how long.
func (a *app) intent(s *sweep.Sweep) string {
	if s.Header.World == result.Virtual {
		return virtualIntent(s)
	}
	if len(s.Plan.Cases) == 0 {
		return fmt.Sprintf("%s: this machine has %d CPUs, so that nothing of it can be measured; predicted: %s, x %s",
			s.Workload.Name, runtime.NumCPU(), result.Count(len(s.Header.Twin), "case"),
			result.Count(s.Plan.Blocks, "replication"))
	}
	text := s.Workload.Name + ": " + casesOf(s)
	if n := len(s.Beyond()); n > 0 {
		text += fmt.Sprintf(" (%d more, beyond %d CPUs, are predicted)", n, runtime.NumCPU())
	}
	if s.Header.Rule != nil {
		return text + budgetIntent(&s.Header, s.Outlook())
	}
	text += fmt.Sprintf(", x %s, each also observed: %s", result.Count(s.Plan.Blocks, "block"),
		result.Count(s.Total(), "trial"))
	if len(s.Done) > 0 {
		text += fmt.Sprintf(", %d of them done", len(s.Done))
	}
	if d := s.Foresee(); d > 0 {
		text += ", about " + roundDuration(d)
	}
	if s.HasJobs() {
		text += " and the time of its jobs"
	}
	return text
}

// casesOf counts the designs of a sweep, and its cases.
func casesOf(s *sweep.Sweep) string {
	designs := map[string]bool{}
	for _, c := range s.Plan.Cases {
		designs[c.Design] = true
	}
	return withPoints(len(designs), "design", len(s.Plan.Cases))
}

// withPoints counts n of what is compared, and how many that is at all points.
func withPoints(n int, what string, cases int) string {
	whose := "their"
	if n == 1 {
		whose = "its"
	}
	return fmt.Sprintf("%s, %d with %s points", result.Count(n, what), cases, whose)
}

// roundDuration prints a time with the precision of an estimate.
func roundDuration(d time.Duration) string { return result.Rounded(d).String() }
