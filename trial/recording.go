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
	maxSections = 1 << 21 // of a recording: about 100 bytes each

	maxSection               = time.Hour
	maxTrial   time.Duration = 1 << 62 // its sections together: virtual time ends at twice that
)

// Recording is what the sections of real code of a workload cost: of each design at each point, with each seed. One
// that was read from a file answers for what it has, and may be used by many trials at once; another one takes in
// what trials measure, and keeps it: a section that is run again costs the same.
type Recording struct {
	Workload string

	sealed bool // read from a file
	kept   bool // in a file, sooner or later

	mu     sync.Mutex
	clock  string // that measured it; "" while nothing is
	trials []*trialCosts
	n      int // sections
}

// Piece names the sections of real code of one request on goroutines of one name, or of one goroutine that works for
// no request; see virtual.Code. They are counted in the order of their ends.
type SectionKey struct {
	Request   uint64 // env.NoRequest for none
	Goroutine string
}

func (p SectionKey) String() string {
	if p.Request == env.NoRequest {
		return "goroutine " + p.Goroutine
	}
	return fmt.Sprintf("request %d in goroutine %s", p.Request, p.Goroutine)
}

// script is what one trial's real code cost.
type trialCosts struct {
	design string
	point  plan.Point
	seed   uint64
	costs  map[SectionKey][]time.Duration
	whole  int // sections of a job; other schedules of the same trial may have added more to costs
}

// NewRecording is an empty one; kept says that it will be written to a file.
func NewRecording(workload string, kept bool) *Recording {
	return &Recording{Workload: workload, kept: kept}
}

// Sections is the number of sections, Trials that of the trials that they are of.
func (r *Recording) Sections() int { return r.n }

// Trials is the number of trials.
func (r *Recording) Trials() int { return len(r.trials) }

// whoWorks are the factors that say on what and by how many the work is done, and not what it is.
var resourceFactors = []string{"cpus", "workers"}

// work is the point without them.
func workKey(p plan.Point) string {
	var names []string
	for _, s := range p.Settings() {
		if !slices.Contains(resourceFactors, s.Factor) {
			names = append(names, s.Factor)
		}
	}
	return p.Only(names).String()
}

// script is the part of the recording that a trial goes by. That of a file is the trial's own, or else one of the same
// design, seed and factors but for CPUs and workers, of the fewest CPUs.
func (r *Recording) find(spec Spec) (*trialCosts, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var best *trialCosts
	for _, s := range r.trials {
		switch {
		case s.design != spec.Design || s.seed != spec.Seed:
		case s.point.String() == spec.Point.String():
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
		return nil, fmt.Errorf("the recording has no costs of %s (%s) with seed %d, but of %s; record it, or "+
			"replay what is there", spec.Design, spec.Point, spec.Seed, r.contents())
	}
	s := &trialCosts{design: spec.Design, point: spec.Point, seed: spec.Seed, costs: map[SectionKey][]time.Duration{}}
	r.trials = append(r.trials, s)
	return s, nil
}

// Covers is an error if a trial cannot go by the recording.
func (r *Recording) Covers(spec Spec) error {
	_, err := r.find(spec)
	return err
}

// contents names a few of the trials.
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

// cost is what section number n of a piece of a trial costs: as recorded, and else, where that may be, as measured.
func (r *Recording) cost(s *trialCosts, p SectionKey, n int, measured time.Duration) (time.Duration, error) {
	costs := s.costs[p]
	if n < len(costs) {
		return costs[n], nil
	}
	if r.sealed {
		return 0, fmt.Errorf("the recording of %s (%s) has %d sections of real code of %s, and it comes to one more: "+
			"record it anew, for as long or longer, and let each goroutine say for which piece of the work "+
			"it works (env.For)",
			s.design, s.point, len(costs), p)
	}
	if measured > maxSection {
		return 0, fmt.Errorf("a section of real code of %s took %v, and more than %v are not kept: do less in each", p,
			measured, maxSection)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n++; r.n > maxSections {
		return 0, fmt.Errorf("more than %d sections of real code are not kept: calculate fewer designs, points or "+
			"replications, or a shorter duration", maxSections)
	}
	s.costs[p] = append(costs, measured)
	return measured, nil
}

// ended is told how many sections a job had that came to its end. Fewer than were recorded are an error: where a
// section is larger in the trial than in the recording, it costs what the smaller one did, and the rest of the work
// nothing.
func (r *Recording) checkComplete(s *trialCosts, sections int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.sealed && s.whole == 0:
		s.whole = sections
	case r.sealed && sections < s.whole:
		return fmt.Errorf("the recording of %s (%s) has %d sections of real code, and the job ended after %d of "+
			"them, without the cost of the others: let each goroutine say for which piece of the work it works, in a "+
			"section for each (env.For), or record it at the CPUs and workers that are asked for",
			s.design, s.point, s.whole, sections)
	}
	return nil
}

// clocked is the clock of the recording, which is the trial's if it has none yet.
func (r *Recording) setClock(trial string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.clock == "" {
		r.clock = trial
	}
	return r.clock
}
