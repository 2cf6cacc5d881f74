package model

import (
	"math"
	"strings"
	"testing"
)

// near is whether a and b differ by at most the tolerance, relative to b where b is not 0.
func near(a, b, tolerance float64) bool {
	if b == 0 {
		return math.Abs(a) <= tolerance
	}
	return math.Abs(a-b) <= tolerance*math.Abs(b)
}

// same complains of fields in which a steady state differs from the one wanted.
func (s Steady) same(want Steady, tolerance float64) string {
	var wrong []string
	for name, pair := range map[string][2]float64{
		"throughput": {s.Throughput, want.Throughput}, "utilization": {s.Utilization, want.Utilization},
		"lost": {s.Lost, want.Lost}, "delayed": {s.Delayed, want.Delayed}, "wait": {s.Wait, want.Wait},
		"response": {s.Response, want.Response}, "waiting": {s.Waiting, want.Waiting},
		"present": {s.Present, want.Present},
	} {
		if !near(pair[0], pair[1], tolerance) {
			wrong = append(wrong, name)
		}
	}
	return strings.Join(wrong, " ")
}

// consistent complains of a steady state that breaks Little's law, in the queue or as a whole, or the
// utilization law.
func (s Steady) consistent(service float64, servers int) string {
	switch {
	case !near(Little(s.Throughput, s.Wait), s.Waiting, 1e-9):
		return "Little's law of the queue"
	case !near(Little(s.Throughput, s.Response), s.Present, 1e-9):
		return "Little's law of the station"
	case !near(Utilization(s.Throughput, service, servers), s.Utilization, 1e-9):
		return "the utilization law"
	case s.Utilization > 1+1e-9 || s.Delayed > 1+1e-9 || s.Lost < 0 || s.Lost >= 1 && s.Throughput > 0:
		return "the range of a share"
	}
	return ""
}

func TestLaws(t *testing.T) {
	// A web shop in which 40 requests a second take 0.25 s each.
	if n := Little(40, 0.25); n != 10 {
		t.Errorf("%v are there, not 10", n)
	}
	if u := Utilization(40, 0.05, 4); !near(u, 0.5, 1e-15) {
		t.Errorf("utilization %v, not 0.5", u)
	}
	// Lazowska et al. 1984, ch. 3: 64 users who think 30 s, 2 interactions a second: 2 s.
	if r := InteractiveResponse(64, 2, 30); r != 2 {
		t.Errorf("a response of %v s, not 2", r)
	}
}

// ones are n mean service times or throughputs of 1.
func ones(n int) []float64 {
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	return ones
}
