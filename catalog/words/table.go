package words

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newTable reads a buffer at a time and looks up each byte in a table of 256, without a branch. What limits it: each
// byte waits for the one before, some cycles.
func newTable(_ env.Env, p plan.Point) (workload.Job, error) {
	return counting(p, alone(func(in *input) (int, error) { return in.inOrder(in.rule.table()) }))
}

// table is the scan by a table of what each byte does to where one stands, which has two states.
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
