package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// checkOpenLoop refuses loads that say nothing or two things. Points that hold none of its factors
// are those of a closed loop.
func checkOpenLoop(points []plan.Point, o runOptions) error {
	for _, p := range points {
		if !workload.OpenLoop(p) {
			continue
		}
		recorded := p.Has("arrivals") && !slices.Contains([]string{load.Poisson, load.Constant}, p.Text("arrivals"))
		switch {
		case p.Has("rate") && p.Has("load"):
			return usage("--rate and --load both say how many customers come; give one of them")
		case !p.Has("rate") && !p.Has("load") && !recorded:
			name := workload.LoadFactors(p)[0]
			return usage("--%s has no effect without customers: add --load 0.8, a fraction of the capacity, or "+
				"--rate 100, customers a second", name)
		case p.Has("rate") && p.Float("rate") == 0:
			return usage("--rate 0 sends no customer; give customers a second, such as 100")
		case p.Has("rate") && p.Float("rate") > load.MaxRate:
			return usage("--rate %v is more than the %.0f customers a second that the load loop can send",
				p.Float("rate"), load.MaxRate)
		case p.Has("load") && p.Float("load") == 0:
			return usage("--load 0 sends no customer; give a fraction of the capacity, such as 0.8")
		case p.Has("patience") && p.Duration("patience") == 0:
			return usage("--patience 0s: nobody would wait at all; leave it out, or use --queue-limit 0 to drop who " +
				"cannot be served at once")
		case o.operations > 0:
			return usage("--operations is for closed loops: an open loop measures the customers who " +
				"arrive within --duration")
		case o.timeLimit > 0 && !o.virtual && o.timeLimit <= o.warmup+2*o.duration:
			return usage("--time-limit %v would end a trial whose customers are served late: it must be longer than "+
				"--warmup and twice --duration, %v", o.timeLimit, o.warmup+2*o.duration)
		case o.sample > 1:
			return usage("--sample is for closed loops: an open loop times every request")
		}
	}
	return nil
}

// window is how long a trial of a stream takes at most if nothing hangs.
func window(warmup, duration time.Duration, cases []plan.Case) time.Duration {
	if slices.ContainsFunc(cases, func(c plan.Case) bool { return workload.OpenLoop(c.Point) }) {
		duration *= 2 // in which those are served who came in the window
	}
	return warmup + duration
}

// measureCapacities prepares the open loops of a new sweep: a fraction of the capacity needs the
// capacity, and so does the word unstable. Beyond the CPUs of this machine it is calculated.
func (a *app) measureCapacities(ctx context.Context, s *sweep.Sweep, dir string) error {
	t, err := s.Twin()
	if err != nil {
		return err
	}
	both := []*sweep.Sweep{s}
	if t != nil {
		t.Plan.Cases = s.Beyond()
		both = append(both, t)
	}
	for _, x := range both {
		if err := a.capacitiesOf(ctx, x, dir); err != nil || a.code != exitOK {
			return err
		}
	}
	if t != nil {
		s.Header.Capacities = append(s.Header.Capacities, t.Header.Capacities...)
	}
	return nil
}

// capacitiesOf measures the capacities of the open loops of one sweep.
func (a *app) capacitiesOf(ctx context.Context, s *sweep.Sweep, dir string) error {
	if !slices.ContainsFunc(s.Plan.Cases, func(c plan.Case) bool { return workload.OpenLoop(c.Point) }) {
		return nil
	}
	if err := store.Vacant(dir); err != nil { // before the time is spent
		return storeError(err)
	}
	if err := s.CheckRates(); err != nil {
		return asUsage(err)
	}
	if !s.Header.Predicts {
		fmt.Fprintf(a.stderr, "%s: measuring capacities in a closed loop first\n", s.Workload.Name)
	}
	p := newProgress(a.stderr)
	err := s.MeasureCapacities(ctx, func(c plan.Case, done, total int) {
		p.show(sweep.Event{Case: c, Done: done, Total: total})
	})
	p.clear()
	if errors.Is(err, context.Canceled) {
		a.code = exitInterrupted
		a.interrupted(" while capacities were measured; nothing is stored yet")
		return nil
	}
	if err != nil {
		return err
	}
	return a.rates(s)
}

// rates checks the loads. A design that failed where it must not is a failure like any other, although no run
// holds it: what it printed is shown here.
func (a *app) rates(s *sweep.Sweep) error {
	err := s.CheckRates()
	if err == nil {
		return nil
	}
	var u *sweep.Unserved
	if errors.As(err, &u) {
		if code := exitCode([]result.Trial{u.Trial}); code != exitOK {
			fmt.Fprint(a.stderr, beginning(u.Failure, 60))
			return exitError{fmt.Errorf("%w; nothing is stored", err), code}
		}
	}
	return asUsage(err)
}

// beginning is the first lines of a text, and how many follow.
func beginning(text string, most int) string {
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= most {
		return text
	}
	return strings.Join(lines[:most], "") + fmt.Sprintf("... %d more lines\n", len(lines)-most)
}
