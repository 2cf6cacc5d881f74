package timeline

import "fmt"

// Validate returns an error for the first impossible span: a CPU with two goroutines, a goroutine with two states at
// once or with a gap between two spans, a span outside the recorded time.
func (t *Timeline) Validate() error {
	if t.CPUs < 1 || t.To < t.From {
		return fmt.Errorf("%d CPUs from %d to %d", t.CPUs, t.From, t.To)
	}
	cpuFree := make([]int64, t.CPUs)           // end of the last span of each CPU
	since := make([]int64, len(t.Goroutines))  // end of the last span of each goroutine
	started := make([]bool, len(t.Goroutines)) // whether a goroutine had a span
	for i, s := range t.Spans {
		if err := t.check(s); err != nil {
			return fmt.Errorf("span %d: %w: %+v", i, err, s)
		}
		if i > 0 && s.Start < t.Spans[i-1].Start {
			return fmt.Errorf("span %d starts before the one before it: %+v", i, s)
		}
		if s.Kind.OnCPU() {
			if s.Start < cpuFree[s.CPU] {
				return fmt.Errorf("span %d: CPU %d is busy until %d: %+v", i, s.CPU, cpuFree[s.CPU], s)
			}
			cpuFree[s.CPU] = s.End
		}
		if g := s.Goroutine; g != None {
			if started[g] && s.Start != since[g] {
				return fmt.Errorf("span %d: the previous span of %s ends at %d: %+v", i, t.Goroutines[g], since[g], s)
			}
			started[g], since[g] = true, s.End
		}
	}
	return nil
}

// check validates a single span.
func (t *Timeline) check(s Span) error {
	switch {
	case s.Start < t.From || s.End > t.To || s.End <= s.Start:
		return fmt.Errorf("its time is not within %d to %d", t.From, t.To)
	case s.Kind >= kinds:
		return fmt.Errorf("there is no kind %d", s.Kind)
	case s.Kind.OnCPU() && (s.CPU < 0 || s.CPU >= t.CPUs), !s.Kind.OnCPU() && s.CPU != None:
		return fmt.Errorf("%v on CPU %d of %d", s.Kind, s.CPU, t.CPUs)
	case s.Kind == Buffered && s.Goroutine != None, s.Kind != Buffered &&
		(s.Goroutine < 0 || s.Goroutine >= len(t.Goroutines)):
		return fmt.Errorf("there is no goroutine %d of %d", s.Goroutine, len(t.Goroutines))
	case s.Resource < None || s.Resource >= len(t.Resources):
		return fmt.Errorf("there is no resource %d of %d", s.Resource, len(t.Resources))
	case s.Request < NoRequest:
		return fmt.Errorf("request %d", s.Request)
	}
	return nil
}
