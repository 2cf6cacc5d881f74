package trial

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
)

const (
	maxSections = 1 << 21 // most sections of a recording: about 100 bytes each

	// maxSection is the largest cost of one section.
	maxSection               = time.Hour
	maxTrial   time.Duration = 1 << 62 // all sections of a trial together: virtual time ends at twice that
)

// Recording holds the costs of the sections of real code of a workload, by design, point and seed.
//
// A recording that was read from a file replays its costs and is safe for concurrent use. Any other one also
// records what trials measure: a section that is run again costs the same.
type Recording struct {
	Workload string

	sealed bool // read from a file
	kept   bool // will be written to a file, or was

	mu     sync.Mutex
	clock  string // clock that measured it; "" before the first measurement
	trials []*trialCosts
	n      int // number of sections
}

// sectionKey identifies the sections of real code of one request on goroutines of one name, or of one goroutine
// that works for no request; see virtual.Code. The sections of a key are counted in the order of their ends.
type sectionKey struct {
	Request   uint64 // env.NoRequest for none
	Goroutine string
}

func (p sectionKey) String() string {
	if p.Request == env.NoRequest {
		return "goroutine " + p.Goroutine
	}
	return fmt.Sprintf("request %d in goroutine %s", p.Request, p.Goroutine)
}

// trialCosts are the costs of the real code of one trial.
type trialCosts struct {
	design string
	point  plan.Point
	seed   uint64
	costs  map[sectionKey][]time.Duration
	whole  int // sections of a job; other schedules of the same trial may have added more to costs
}

// NewRecording returns an empty recording; kept says that it will be written to a file.
func NewRecording(workload string, kept bool) *Recording {
	return &Recording{Workload: workload, kept: kept}
}

// Sections returns the number of sections.
func (r *Recording) Sections() int { return r.n }

// Trials returns the number of trials.
func (r *Recording) Trials() int { return len(r.trials) }

// resourceFactors are the factors that say how many CPUs and workers do the work; they do not change the work.
var resourceFactors = []string{"cpus", "workers"}

// workKey identifies the work of a point: the point without those factors.
func workKey(p plan.Point) string {
	var names []string
	for _, s := range p.Settings() {
		if !slices.Contains(resourceFactors, s.Factor) {
			names = append(names, s.Factor)
		}
	}
	return p.Only(names).String()
}

// find returns the costs of a trial, and makes an entry if a recording that is being made has none. In a
// recording from a file the trial's own entry comes first. Otherwise it is the entry with the fewest CPUs of
// the same design, seed and factors except CPUs and workers.
func (r *Recording) find(spec Spec) (*trialCosts, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var best *trialCosts
	for _, s := range r.trials {
		switch {
		case s.design != spec.Design || s.seed != spec.Seed:
		case s.point.Equal(spec.Point):
			return s, nil
		case r.sealed && workKey(s.point) == workKey(spec.Point) && (best == nil ||
			s.point.Int("cpus") < best.point.Int("cpus")):
			best = s
		}
	}
	switch {
	case best != nil:
		return best, nil
	case r.sealed:
		return nil, fmt.Errorf("the recording has no costs of %s (%s) with seed %d, only of %s; record that case, "+
			"or replay a recorded one", spec.Design, spec.Point, spec.Seed, r.contents())
	}
	s := &trialCosts{design: spec.Design, point: spec.Point, seed: spec.Seed, costs: map[sectionKey][]time.Duration{}}
	r.trials = append(r.trials, s)
	return s, nil
}

// Covers returns an error if the recording has no costs for a trial.
func (r *Recording) Covers(spec Spec) error {
	_, err := r.find(spec)
	return err
}

// contents names the first few trials.
func (r *Recording) contents() string {
	const most = 3
	var names []string
	for i, s := range r.trials {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(r.trials)-most))
			break
		}
		names = append(names, fmt.Sprintf("%s (%s) with seed %d", s.design, s.point, s.seed))
	}
	if names == nil {
		return "nothing"
	}
	return strings.Join(names, "; ")
}

// cost returns the cost of section number n of key p: the recorded cost if there is one, otherwise the measured
// cost, which is recorded.
func (r *Recording) cost(s *trialCosts, p sectionKey, n int, measured time.Duration) (time.Duration, error) {
	costs := s.costs[p]
	if n < len(costs) {
		return costs[n], nil
	}
	if r.sealed {
		return 0, fmt.Errorf("the recording of %s (%s) has %d sections of real code of %s, but the run needs one "+
			"more: record it again with at least this duration, and declare the work item of each goroutine "+
			"(env.For)",
			s.design, s.point, len(costs), p)
	}
	if measured > maxSection {
		return 0, fmt.Errorf("a section of real code of %s took %v, more than the limit of %v: do less in each", p,
			measured, maxSection)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n++; r.n > maxSections {
		return 0, fmt.Errorf("there are more than %d sections of real code: simulate fewer designs, points or "+
			"replications, or a shorter duration", maxSections)
	}
	s.costs[p] = append(costs, measured)
	return measured, nil
}

// checkComplete records the number of sections of a job that has ended, or compares it with the recorded
// number. Fewer than recorded are an error: the sections of the trial were larger than those of the recording,
// and part of their work was not charged.
func (r *Recording) checkComplete(s *trialCosts, sections int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.sealed && s.whole == 0:
		s.whole = sections
	case r.sealed && sections < s.whole:
		return fmt.Errorf("the recording of %s (%s) has %d sections of real code, but the job ended after %d of "+
			"them: declare the work item of each section (env.For), or record with the same CPUs and workers",
			s.design, s.point, s.whole, sections)
	}
	return nil
}

// setClock returns the clock of the recording. It sets it to the trial's clock if there is none yet.
func (r *Recording) setClock(trial string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.clock == "" {
		r.clock = trial
	}
	return r.clock
}
