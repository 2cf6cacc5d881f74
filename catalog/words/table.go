package words

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newTable reads a chunk at a time and looks up each byte in a table, without a branch. The latency of the lookups
// limits it: each depends on the one before, which takes some cycles.
func newTable(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) { return in.inOrder(in.rule.table()) }))
}

// table returns the scan as a state machine. It has two states, and a table of the next state for each byte.
func (r rule) table() scan {
	var inside, begins [2 * 256]uint8 // by 256 x inside + byte
	for b := range 256 {
		for state := range 2 {
			t := tally{inside: state == 1}
			t.step(r.class(byte(b)))
			inside[256*state+b], begins[256*state+b] = uint8(t.carry()), uint8(t.words)
		}
	}
	return func(t tally, p []byte) tally {
		state, words := int(t.carry()), 0
		for _, b := range p {
			i := 256*state + int(b)
			words += int(begins[i])
			state = int(inside[i])
		}
		return tally{t.words + words, state == 1}
	}
}
