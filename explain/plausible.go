package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// maxCPUs is the largest number of CPUs of a machine, if the evidence does not give it. The tolerances allow a profile
// to show more CPU time than its CPUs had, because the kernel moves the sampled threads.
const (
	maxCPUs      = 8192
	cpuTolerance = 1.25

	// tolerance if undisturbed runs give the CPU time, so that profile and trace give shares only
	runTolerance = 4
	cpuAllowance = 100 * time.Millisecond

	maxDuration = 366 * 24 * time.Hour // longest duration of a profile or a trace
)

// dropImplausible returns the evidence without the parts that contradict themselves, such as a profile with more CPU
// time than its CPUs had. It returns a sentence for each part that it left out.
func dropImplausible(e *evidence.Evidence) (*evidence.Evidence, []string) {
	cpus := 0
	for _, r := range e.Runs {
		cpus = max(cpus, r.CPUs, r.MachineCPUs)
	}

	slack := cpuTolerance
	if len(e.Runs) > 0 {
		slack = runTolerance
	}

	kept, notes := *e, []string(nil)
	if t := e.Trace; t != nil {
		if why := traceProblem(t, slack); why != "" {
			kept.Trace = nil
			notes = append(notes, "the trace is left out: "+why)
		} else {
			cpus = max(cpus, t.CPUs)
		}
	}
	if cpus == 0 {
		cpus = maxCPUs
	}

	kept.Profiles = nil
	timed := kept.Trace != nil || slices.ContainsFunc(e.Runs, func(r evidence.Run) bool { return r.Wall > 0 })
	for _, p := range e.Profiles {
		if why := profileProblem(&p, cpus, slack, timed); why != "" {
			notes = append(notes, fmt.Sprintf("the %s profile is left out: %s", p.Kind, why))
			continue
		}
		kept.Profiles = append(kept.Profiles, p)
	}

	return &kept, notes
}

// profileProblem returns why a profile is impossible, or "" if it is possible. timed says that other evidence gives the
// duration.
func profileProblem(p *evidence.Profile, cpus int, slack float64, timed bool) string {
	sums := make([]float64, len(p.Types))
	for _, s := range p.Samples {
		for i, v := range s.Values {
			// The change of the heap in use during a profile of some seconds may be negative.
			if v < 0 && !(i < len(p.Types) && strings.HasPrefix(p.Types[i], "inuse_")) {
				return fmt.Sprintf("it has the value %d, and none can be below 0", v)
			}
			if i < len(sums) {
				sums[i] += float64(v)
			}
		}
	}

	for i, sum := range sums {
		if sum > math.MaxInt64 {
			return "its values of " + p.Types[i] + " add up to more than can be counted"
		}
	}

	i := slices.Index(p.Types, "cpu/nanoseconds")
	switch {
	case p.Duration < 0:
		return fmt.Sprintf("it lasts %v, and no time can be below 0", p.Duration)
	case p.Duration > maxDuration:
		return tooLong(p.Duration)
	case p.Kind == evidence.CPU && i >= 0 && sums[i] > 0 && p.Duration == 0 && !timed:
		return "it does not say how long it lasted, nor does a trace or a run"
	case p.Kind != evidence.CPU || i < 0 || p.Duration == 0:
		return ""
	}

	most := p.Duration.Seconds()*float64(cpus)*slack + cpuAllowance.Seconds()
	if used := sums[i] / 1e9; used > most {
		return fmt.Sprintf("it shows %.3g s of CPU time in %v, which %d CPUs do not have", used, p.Duration, cpus)
	}

	return ""
}

// tooLong returns the reason against a profile or trace longer than maxDuration.
func tooLong(d time.Duration) string {
	return fmt.Sprintf("it lasts %v, and none is taken for more than a year", d)
}

// traceProblem returns why a trace is impossible, or "" if it is possible.
func traceProblem(t *evidence.Trace, slack float64) string {
	busy := t.Running + t.GC.Workers
	most := t.Duration.Seconds()*float64(t.CPUs)*slack + cpuAllowance.Seconds()
	switch {
	case t.Duration < 0 || t.Running < 0 || t.GC.Workers < 0 || t.Background < 0 || t.Searching < 0:
		return "it has a time below 0"
	case t.Duration > maxDuration:
		return tooLong(t.Duration)
	case t.CPUs > 0 && busy.Seconds() > most:
		return fmt.Sprintf("it shows %v of work in %v, which %d CPUs do not have", busy, t.Duration, t.CPUs)
	}

	return ""
}
