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

// Capacity is what a design serves at a point under a closed loop, and so at most.
type Capacity struct {
	Design string     `json:"design"`
	Point  plan.Point `json:"point"`           // without the load
	Rate   float64    `json:"rate"`            // median of the trials, requests a second
	Trials []float64  `json:"trials"`          // each trial's throughput
	Error  string     `json:"error,omitempty"` // of a trial that did not serve
	Alone  *Alone     `json:"alone,omitempty"` // where only one request can be in service at a time

	failed *trial.Outcome // of the trial with the error
}

// Unserved is the error of a design that is to serve a fraction of its capacity, and did not serve in a
// closed loop.
type Unserved struct {
	Design  string
	Point   plan.Point
	Trial   result.Trial // the last that failed; without a status where none did and still no request ended
	Failure string       // what it printed, its stacks
}

func (u *Unserved) Error() string {
	why := u.Trial.Error
	if why == "" {
		why = "no request ended within the window; give a longer --duration, or a --rate"
	}
	return fmt.Sprintf("the load of %s (%s) is a fraction of a capacity that could not be measured: "+
		"in a closed loop: %s", u.Design, u.Point, why)
}

// unserved is why the load of a case is a fraction of nothing.
func (s *Sweep) unserved(c plan.Case) *Unserved {
	u := &Unserved{Design: c.Design, Point: c.Point}
	if failed := s.capacityOf(c).failed; failed != nil {
		d, _ := s.Workload.Find(c.Design)
		u.Trial, u.Failure = failed.Trial, failed.Failure
		u.Trial.Expected = trial.Expected(d.Expect, u.Trial.Status)
	}
	return u
}

// Alone is the service of one request when nobody else is there.
type Alone struct {
	Mean float64 `json:"mean_ns"`
	SD   float64 `json:"sd_ns"`
}

// capacityTrials is how often a capacity is measured.
const capacityTrials = 3

// mostAtOnce is the capacity, in requests per service time of one that is alone, up to which requests count
// as served one at a time: measurements of the two differ by some per cent.
const mostAtOnce = 1.1

// MeasureCapacities measures the capacity of every case with an open loop, before the sweep begins, and
// notes them in the header. tell is told before each trial.
func (s *Sweep) MeasureCapacities(ctx context.Context, tell func(c plan.Case, done, total int)) error {
	list := s.closed()
	alone := map[*Capacity][]Alone{}
	limited := map[string]bool{} // by design and point; the limit of real time would end the other rounds too
	for round := range capacityTrials {
		for i, c := range list {
			many, one := plan.Case{Design: c.Design, Point: c.Point},
				plan.Case{Design: c.Design, Point: c.Point.With("workers", plan.IntLevel(1))}
			if limited[caseName(many)] {
				continue
			}
			tell(many, round*len(list)+i, capacityTrials*len(list))
			outcome, err := s.capacityTrial(ctx, many, round)
			if err != nil {
				return err
			}
			t := outcome.Trial
			limited[caseName(many)] = outcome.Limited
			if !t.Good() {
				c.Error, c.failed = t.Error, &outcome
				continue
			}
			c.Trials = append(c.Trials, float64(t.Metrics.Get(result.Throughput)))
			if min(c.Point.Int("cpus"), c.Point.Int("workers")) > 1 {
				continue
			}
			if c.Point.Int("workers") > 1 {
				if limited[caseName(one)] {
					continue
				}
				if outcome, err = s.capacityTrial(ctx, one, round); err != nil {
					return err
				}
				t = outcome.Trial
				if limited[caseName(one)] = outcome.Limited; outcome.Limited {
					continue
				}
			}
			alone[c] = append(alone[c], Alone{float64(t.Metrics.Get(result.LatencyMean)),
				float64(t.Metrics.Get("latency_sd_ns"))})
		}
	}
	for _, c := range list {
		if len(c.Trials) > 0 {
			c.Rate = stat.Median(c.Trials)
		}
		if as := alone[c]; len(as) > 0 {
			slices.SortFunc(as, func(a, b Alone) int { return cmp.Compare(a.Mean, b.Mean) })
			// Requests that wait, or whose parts run beside each other, are served several at a time also here.
			if a := as[len(as)/2]; a.Mean > 0 && a.SD >= 0 && c.Rate*a.Mean/1e9 <= mostAtOnce {
				c.Alone = &a
			}
		}
		s.Header.Capacities = append(s.Header.Capacities, *c)
	}
	return nil
}

// closed are the capacities to measure, of every case with an open loop.
func (s *Sweep) closed() (list []*Capacity) {
	for _, c := range s.Plan.Cases {
		bare := workload.WithoutLoad(c.Point)
		had := slices.ContainsFunc(list,
			func(x *Capacity) bool { return x.Design == c.Design && x.Point.String() == bare.String() })
		if workload.OpenLoop(c.Point) && !had {
			list = append(list, &Capacity{Design: c.Design, Point: bare})
		}
	}
	return list
}

// capacityTrial is a trial of a closed loop before the sweep.
func (s *Sweep) capacityTrial(ctx context.Context, c plan.Case, round int) (trial.Outcome, error) {
	s.ask()
	return s.Run(ctx, s.capacitySpec(c.Design, c.Point, round))
}

func (s *Sweep) capacitySpec(design string, p plan.Point, round int) trial.Spec {
	set := s.Header.Settings
	spec := trial.Spec{
		Workload: s.Workload.Name, Design: design, Point: p,
		Duration: time.Duration(set.Duration), Warmup: time.Duration(set.Warmup), BurnRate: s.burnRate(),
		BurnRatio: s.paced,
		Recording: s.Costs,
	}
	spec.Seed = s.pilotSeed(spec, round)
	return spec
}

// capacityOf is the capacity of a case, 0 where it is unknown.
func (s *Sweep) capacityOf(c plan.Case) (found Capacity) {
	bare := workload.WithoutLoad(c.Point).String()
	for _, x := range s.Header.Capacities {
		if x.Design == c.Design && x.Point.String() == bare {
			return x
		}
	}
	return Capacity{}
}

// reference is the capacity of which a case's load is a fraction, 0 where it is unknown. Cases that can be
// compared are those at the same levels of all inputs; they have the same reference and so the same
// customers: it is the least of their capacities, those of bounds aside.
func (s *Sweep) reference(c plan.Case) float64 {
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

// sharedInputs are the inputs that all cases with an open loop have.
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

// offered is the load of a case; nil for a closed loop.
func (s *Sweep) offered(c plan.Case) *trial.OpenLoad {
	p := c.Point
	if !workload.OpenLoop(p) {
		return nil
	}
	o := &trial.OpenLoad{Capacity: s.capacityOf(c).Rate}
	if p.Has("arrivals") {
		o.Gaps = s.Recorded[p.Text("arrivals")]
	}
	switch {
	case p.Has("rate"):
		o.Rate = p.Float("rate")
	case p.Has("load"):
		o.Rate = p.Float("load") * s.reference(c)
	default:
		o.Rate = load.RateOf(o.Gaps)
	}
	return o
}

// CheckRates refuses loads that nobody can offer. Fractions of a capacity are checked once there are capacities; one
// that is a fraction of nothing is an [Unserved].
func (s *Sweep) CheckRates() error {
	for _, c := range s.Plan.Cases {
		o := s.offered(c)
		switch {
		case o == nil, o.Rate == 0 && s.Header.Capacities == nil:
		case o.Rate == 0:
			return s.unserved(c)
		case o.Rate*time.Duration(s.Header.Settings.Duration).Seconds() < 1:
			return fmt.Errorf("%s (%s): %.3g customers a second are less than one in a window of %v; give a higher "+
				"rate or a longer --duration", c.Design, c.Point, o.Rate, time.Duration(s.Header.Settings.Duration))
		case o.Rate > load.MaxRate:
			return fmt.Errorf("%s (%s) would need %.4g customers a second, more than the %.0f that the load loop can "+
				"send; give less --load or --rate", c.Design, c.Point, o.Rate, load.MaxRate)
		}
	}
	return nil
}
