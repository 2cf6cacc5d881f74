package sweep

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/model"
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
	Alone  *Alone     `json:"alone,omitempty"` // where only one request can be in service at a time
}

// Alone is the service of one request when nobody else is there.
type Alone struct {
	Mean float64 `json:"mean_ns"`
	SD   float64 `json:"sd_ns"`
}

// capacityTrials is how often a capacity is measured.
const capacityTrials = 3

// MeasureCapacities measures the capacity of every case with an open loop, before the sweep begins, and
// notes them in the header. tell is told before each trial.
func (s *Sweep) MeasureCapacities(ctx context.Context, tell func(c plan.Case, done, total int)) error {
	var list []*Capacity
	for _, c := range s.Plan.Cases {
		bare := workload.Unloaded(c.Point)
		had := slices.ContainsFunc(list, func(x *Capacity) bool { return x.Design == c.Design && x.Point.String() == bare.String() })
		if workload.OpenLoop(c.Point) && !had {
			list = append(list, &Capacity{Design: c.Design, Point: bare})
		}
	}
	alone := map[*Capacity][]Alone{}
	for round := range capacityTrials {
		for i, c := range list {
			tell(plan.Case{Design: c.Design, Point: c.Point}, round*len(list)+i, capacityTrials*len(list))
			t, err := s.capacityTrial(ctx, c.Design, c.Point, round)
			if err != nil {
				return err
			}
			if !t.Good() {
				continue
			}
			c.Trials = append(c.Trials, float64(t.Metrics.Get(result.Throughput)))
			if min(c.Point.Int("cpus"), c.Point.Int("workers")) > 1 {
				continue
			}
			if c.Point.Int("workers") > 1 {
				if t, err = s.capacityTrial(ctx, c.Design, c.Point.With("workers", plan.IntLevel(1)), round); err != nil {
					return err
				}
			}
			alone[c] = append(alone[c], Alone{float64(t.Metrics.Get(result.LatencyMean)), float64(t.Metrics.Get("latency_sd_ns"))})
		}
	}
	for _, c := range list {
		if len(c.Trials) == 0 {
			continue // it does not serve: its own trials will say why
		}
		c.Rate = stat.Median(c.Trials)
		if as := alone[c]; len(as) > 0 {
			slices.SortFunc(as, func(a, b Alone) int { return cmp.Compare(a.Mean, b.Mean) })
			if a := as[len(as)/2]; a.Mean > 0 && a.SD >= 0 {
				c.Alone = &a
			}
		}
		s.Header.Capacities = append(s.Header.Capacities, *c)
	}
	return nil
}

// capacityTrial is a trial of a closed loop before the sweep.
func (s *Sweep) capacityTrial(ctx context.Context, design string, p plan.Point, round int) (result.Trial, error) {
	set := s.Header.Settings
	outcome, err := s.Run(ctx, trial.Spec{
		Workload: s.Workload.Name, Design: design, Point: p, Seed: s.Plan.BlockSeed(round),
		Duration: time.Duration(set.Duration), Warmup: time.Duration(set.Warmup), BurnRate: s.Header.Burn.Rate,
	})
	return outcome.Trial, err
}

// capacityOf is the capacity of a case, 0 where it is unknown.
func (s *Sweep) capacityOf(c plan.Case) (found Capacity) {
	bare := workload.Unloaded(c.Point).String()
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
	job := workload.Unloaded(c.Point).Only(inputs).String()
	for _, bounds := range []bool{false, true} {
		least := 0.0
		for _, x := range s.Header.Capacities {
			d, _ := s.Workload.Find(x.Design)
			same := x.Point.Only(inputs).String() == job
			if same && (d.Expect == workload.Bound) == bounds && (least == 0 || x.Rate < least) {
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

// CheckRates refuses loads that nobody can offer, once the capacities are known.
func (s *Sweep) CheckRates() error {
	for _, c := range s.Plan.Cases {
		o := s.offered(c)
		switch {
		case o == nil:
		case o.Rate == 0:
			return fmt.Errorf("the load of %s (%s) is a fraction of a capacity that could not be measured: its trials in a closed loop failed; give --rate", c.Design, c.Point)
		case o.Rate > load.MaxRate:
			return fmt.Errorf("%s (%s) would need %.4g customers a second, more than the %.0f that the load loop can send; give less --load or --rate", c.Design, c.Point, o.Rate, load.MaxRate)
		}
	}
	return nil
}

// mostDeterministic is the coefficient of variation below which a service counts as deterministic.
const mostDeterministic = 0.05

// most of the customers that may be lost where a formula without losses is shown.
const mostLost = 0.01

// predict adds what queueing theory says of the response, where it applies: one request in service at a
// time, Poisson arrivals, hardly a loss.
func (s *Sweep) predict(t *result.Trial, c plan.Case, o *trial.OpenLoad) {
	a := s.capacityOf(c).Alone
	poisson := !c.Point.Has("arrivals") || c.Point.Text("arrivals") == load.Poisson
	if o == nil || a == nil || !poisson || !t.Good() || t.Unstable || float64(t.Metrics.Get(result.LostShare)) > mostLost {
		return
	}
	name, sd := result.ModelMG1, a.SD
	if a.SD < mostDeterministic*a.Mean {
		name, sd = result.ModelMD1, 0
	}
	if seconds, ok := model.MG1Response(o.Rate, a.Mean/1e9, sd/1e9); ok {
		t.Metrics[name] = result.Value(seconds * 1e9)
	}
}

// Recorded is a file of arrivals as it was when the sweep began.
type Recorded struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// ReadArrivals reads the recorded arrivals of all cases.
func ReadArrivals(cases []plan.Case) (map[string][]time.Duration, []Recorded, error) {
	gaps := map[string][]time.Duration{}
	var files []Recorded
	for _, c := range cases {
		if !c.Point.Has("arrivals") {
			continue
		}
		path := c.Point.Text("arrivals")
		if path == load.Poisson || path == load.Constant || gaps[path] != nil {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, fmt.Errorf("--arrivals %s: it is neither poisson nor constant, and no file of arrivals: %w", path, err)
		}
		if gaps[path], err = load.ReadGaps(bytes.NewReader(text)); err != nil {
			return nil, nil, fmt.Errorf("--arrivals %s: %w", path, err)
		}
		sum := sha256.Sum256(text)
		files = append(files, Recorded{path, hex.EncodeToString(sum[:])})
	}
	return gaps, files, nil
}

// RereadArrivals reads the recorded arrivals of a sweep that goes on. They must be those it began with.
func (s *Sweep) RereadArrivals() (err error) {
	var files []Recorded
	if s.Recorded, files, err = ReadArrivals(s.Plan.Cases); err != nil {
		return err
	}
	for i, f := range files {
		if i >= len(s.Header.Recorded) || f != s.Header.Recorded[i] {
			return fmt.Errorf("%s has changed since the run began: its other half would have other customers; restore the file or start a new run", f.Path)
		}
	}
	return nil
}
