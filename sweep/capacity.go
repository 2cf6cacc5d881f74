package sweep

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Capacity is the measured capacity of a design at a point: the requests a second in a closed loop, including those
// that failed.
type Capacity struct {
	Design string       `json:"design"`
	Point  plan.Point   `json:"point"`           // without the factors of the open loop
	Rate   float64      `json:"rate"`            // median of the trials, requests per second
	Trials []float64    `json:"trials"`          // of each trial
	Error  string       `json:"error,omitempty"` // error of the last failed trial
	Solo   *SoloService `json:"alone,omitempty"` // set if at most one request is in service at a time

	failed *trial.Outcome // the last failed trial
}

// PreparationError is the error of a trial that failed before a run was stored: of a case whose load is a fraction of
// its capacity, if that capacity could not be measured, or of a design that failed its preflight.
type PreparationError struct {
	Design  string
	Point   plan.Point
	Trial   result.Trial // the last failed trial; no status if trials ran but no request ended
	Failure string       // output of the failed process, such as stacks
	// Preflight says that the trial was a preflight; see workload.Workload.
	Preflight bool
}

func (u *PreparationError) Error() string {
	why := u.Trial.Error
	if u.Preflight {
		return fmt.Sprintf("%s: %s", u.Design, why)
	}
	if why == "" {
		why = "no request ended within the window; give a longer duration, or a rate"
	}
	return fmt.Sprintf("the load is a fraction of the capacity of %s (%s), which could not be measured in a closed "+
		"loop: %s", u.Design, u.Point, why)
}

// capacityError returns the error of a case without a capacity.
func (s *Sweep) capacityError(c plan.Case) *PreparationError {
	u := &PreparationError{Design: c.Design, Point: c.Point}
	if failed := s.capacityOf(c).failed; failed != nil {
		d, _ := s.Workload.Find(c.Design)
		u.Trial, u.Failure = failed.Trial, failed.Failure
		u.Trial.Expected = trial.Expected(d.Expect, u.Trial.Status)
	}
	return u
}

// SoloService describes the service time of a request while no other request is in the system.
type SoloService struct {
	Mean float64 `json:"mean_ns"`
	SD   float64 `json:"sd_ns"`
}

// capacityTrials is the number of trials with which a capacity is measured.
const capacityTrials = 3

// maxOverlap is the largest capacity, in requests per solo service time, at which requests count as served one at a
// time. It is above 1 because both are measured with errors of several percent.
const maxOverlap = 1.1

// measureCapacities measures the capacity of every case with an open loop and stores the capacities in the header.
// Call it before Execute. tell, if not nil, is called before each trial.
func (s *Sweep) measureCapacities(ctx context.Context, tell func(c plan.Case, done, total int)) error {
	m := capacities{s, map[*Capacity][]SoloService{}, map[string]bool{}}
	list := s.closedLoops()
	for round := range capacityTrials {
		for i, c := range list {
			many := plan.Case{Design: c.Design, Point: c.Point}
			if m.limited[caseName(many)] {
				continue
			}
			if tell != nil {
				tell(many, round*len(list)+i, capacityTrials*len(list))
			}
			if err := m.measure(ctx, c, many, round); err != nil {
				return err
			}
		}
	}

	for _, c := range list {
		m.finish(c)
		s.Header.Capacities = append(s.Header.Capacities, *c)
	}
	return nil
}

// capacities is the state of measuring the capacities of a sweep.
type capacities struct {
	sweep   *Sweep
	solo    map[*Capacity][]SoloService
	limited map[string]bool // by case; the real-time limit would end the other rounds too
}

// measure runs one trial of the closed loop many, whose capacity is c. If at most one request can be in service, it
// also measures the service time of a single worker.
func (m *capacities) measure(ctx context.Context, c *Capacity, many plan.Case, round int) error {
	outcome, err := m.sweep.capacityTrial(ctx, many, round)
	if err != nil {
		return err
	}
	t := outcome.Trial
	m.limited[caseName(many)] = outcome.Limited
	if !t.Good() {
		c.Error, c.failed = t.Error, &outcome
		return nil
	}

	// Failed requests keep a design busy too, and an open loop offers all of them.
	rate := float64(t.Metrics.Get(result.Throughput))
	if failed := float64(t.Metrics.Get(result.ErrorShare)); failed > 0 && failed < 1 {
		rate /= 1 - failed
	}
	c.Trials = append(c.Trials, rate)
	if min(c.Point.Int("cpus"), c.Point.Int("workers")) > 1 {
		return nil
	}

	// Several workers on one CPU wait for each other, so the service time needs a trial with a single worker.
	if c.Point.Int("workers") > 1 {
		one := plan.Case{Design: c.Design, Point: c.Point.With("workers", plan.IntLevel(1))}
		if m.limited[caseName(one)] {
			return nil
		}
		if outcome, err = m.sweep.capacityTrial(ctx, one, round); err != nil {
			return err
		}
		t = outcome.Trial
		if m.limited[caseName(one)] = outcome.Limited; outcome.Limited {
			return nil
		}
	}
	m.solo[c] = append(m.solo[c], SoloService{float64(t.Metrics.Get(result.LatencyMean)),
		float64(t.Metrics.Get("latency_sd_ns"))})
	return nil
}

// finish sets the capacity from its trials, and the service time if requests are served one at a time.
func (m *capacities) finish(c *Capacity) {
	if len(c.Trials) > 0 {
		c.Rate = stat.Median(c.Trials)
	}
	solo := m.solo[c]
	if len(solo) == 0 {
		return
	}
	slices.SortFunc(solo, func(a, b SoloService) int { return cmp.Compare(a.Mean, b.Mean) })

	// Requests that wait, or whose parts run in parallel, overlap even if they have one CPU and one worker.
	if a := solo[len(solo)/2]; a.Mean > 0 && a.SD >= 0 && c.Rate*a.Mean/1e9 <= maxOverlap {
		c.Solo = &a
	}
}

// closedLoops returns the distinct closed loops whose capacity the open loops of the plan need.
func (s *Sweep) closedLoops() (list []*Capacity) {
	for _, c := range s.Plan.Cases {
		bare := workload.WithoutLoad(c.Point)
		had := slices.ContainsFunc(list,
			func(x *Capacity) bool { return x.Design == c.Design && x.Point.Equal(bare) })
		if workload.OpenLoop(c.Point) && !had {
			list = append(list, &Capacity{Design: c.Design, Point: bare})
		}
	}
	return list
}

// capacityTrial runs a trial of a closed loop before the sweep.
func (s *Sweep) capacityTrial(ctx context.Context, c plan.Case, round int) (trial.Outcome, error) {
	s.probeBurnRatio()
	return s.Run(ctx, s.capacitySpec(c.Design, c.Point, round))
}

func (s *Sweep) capacitySpec(design string, p plan.Point, round int) trial.Spec {
	set := s.Header.Settings
	spec := trial.Spec{
		Workload: s.Workload.Name, Given: s.Workload.Given, Design: design, Point: p,
		Duration: time.Duration(set.Duration), Warmup: time.Duration(set.Warmup), BurnRate: s.burnRate(),
		BurnRatio: s.measuredRatio,
		Recording: s.Costs,
	}
	spec.Seed = s.pilotSeed(spec, round)
	return spec
}

// capacityOf returns the capacity of a case. It is zero if unknown.
func (s *Sweep) capacityOf(c plan.Case) (found Capacity) {
	bare := workload.WithoutLoad(c.Point)
	for _, x := range s.Header.Capacities {
		if x.Design == c.Design && x.Point.Equal(bare) {
			return x
		}
	}
	return Capacity{}
}

// referenceCapacity returns the capacity of which a case's load is a fraction, or 0 if it is unknown. Cases with
// the same levels of all inputs are comparable, so they share one reference and therefore serve the same arrivals.
// The reference is the smallest of their capacities; bounds count only if there are no others.
func (s *Sweep) referenceCapacity(c plan.Case) float64 {
	inputs := s.sharedInputs()
	job := workload.WithoutLoad(c.Point).Only(inputs).String()
	for _, bounds := range []bool{false, true} {
		least := 0.0
		for _, x := range s.Header.Capacities {
			d, _ := s.Workload.Find(x.Design)
			same := x.Point.Only(inputs).String() == job
			if same && (d.Expect == workload.Bound) == bounds && x.Rate > 0 && (least == 0 || x.Rate < least) {
				least = x.Rate
			}
		}
		if least > 0 {
			return least
		}
	}
	return 0
}

// sharedInputs returns the input factors that all cases with an open loop have.
func (s *Sweep) sharedInputs() []string {
	var names []string
	for _, f := range s.Workload.AllFactors() {
		if f.Input && !slices.ContainsFunc(s.Plan.Cases, func(c plan.Case) bool {
			return workload.OpenLoop(c.Point) && !c.Point.Has(f.Name)
		}) {
			names = append(names, f.Name)
		}
	}
	return names
}

// openLoad returns the load of a case; nil for a closed loop.
func (s *Sweep) openLoad(c plan.Case) *trial.OpenLoad {
	p := c.Point
	if !workload.OpenLoop(p) {
		return nil
	}

	o := &trial.OpenLoad{Capacity: s.capacityOf(c).Rate, Ends: s.Workload.Limited}
	if p.Has("arrivals") {
		o.Gaps = s.Arrivals[p.Text("arrivals")]
	}

	switch {
	case p.Has("rate"):
		o.Rate = p.Float("rate")
	case p.Has("load"):
		o.Rate = p.Float("load") * s.referenceCapacity(c)
	default:
		o.Rate = load.RateOf(o.Gaps)
	}
	return o
}

// checkRates returns an error if the load of a case cannot be sent. Loads that are fractions of a capacity are checked
// once the capacities are measured; if one is missing, the error is a [PreparationError]. The window of a limited
// workload follows from the rate, so that every rate has its requests.
func (s *Sweep) checkRates() error {
	for _, c := range s.Plan.Cases {
		o := s.openLoad(c)
		switch {
		case o == nil, o.Rate == 0 && s.Header.Capacities == nil:
		case o.Rate == 0:
			return s.capacityError(c)
		case !s.Workload.Limited && o.Rate*time.Duration(s.Header.Settings.Duration).Seconds() < 1:
			return plan.Refuse("", nil, "%s (%s): at %.3g requests a second, fewer than one arrives in a window of "+
				"%v; give a higher rate or a longer {duration}", c.Design, c.Point, o.Rate,
				time.Duration(s.Header.Settings.Duration))
		case o.Rate > load.MaxRate:
			return plan.Refuse("", nil, "%s (%s) needs %.4g requests a second, more than the %.0f that the load "+
				"generator can send; give a lower {load} or {rate}", c.Design, c.Point, o.Rate, load.MaxRate)
		}
	}
	return nil
}
