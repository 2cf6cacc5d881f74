package model

import (
	"errors"
	"fmt"
	"math"
)

// chain is a Markov chain in continuous time whose transitions change the state by at most width.
type chain struct {
	states, width int
	rates         []float64 // of from to to at from (2 width + 1) + width + to - from
}

// mostElimination is the largest number of products in an elimination, which takes seconds.
const mostElimination = 4e9

func newChain(states, width int) (*chain, error) {
	if work := float64(states) * float64(width) * float64(width); work > mostElimination {
		return nil, fmt.Errorf("model: a Markov chain of %d states, %d apart, is too large to be solved: %.3g "+
			"products, at most %.3g",
			states, width, work, float64(mostElimination))
	}
	return &chain{states: states, width: width, rates: make([]float64, states*(2*width+1))}, nil
}

// rate returns the location of the rate from one state to another, in 1/s.
func (c *chain) rate(from, to int) *float64 {
	return &c.rates[from*(2*c.width+1)+c.width+to-from]
}

// stationary returns the long-run probability of each state, and overwrites the chain. It eliminates states from the
// last one (Grassmann, Taksar and Heyman, Operations Research 33, 1985, 1107-1116). The rate of leaving a state is
// summed again instead of subtracted. So only positive numbers are added, and all probabilities have nearly full
// relative accuracy. Fill stays inside the band.
func (c *chain) stationary() ([]float64, error) {
	for k := c.states - 1; k > 0; k-- {
		low := max(0, k-c.width)
		out := 0.0
		for j := low; j < k; j++ {
			out += *c.rate(k, j)
		}
		if !(out > 0) {
			return nil, errors.New("model: a Markov chain that does not come back to its first state has no steady " +
				"state to be solved")
		}
		from := c.rates[k*(2*c.width+1)+c.width+low-k:][:k-low]
		for i := low; i < k; i++ {
			in := c.rate(i, k)
			if *in == 0 {
				continue
			}
			*in /= out
			to := c.rates[i*(2*c.width+1)+c.width+low-i:][:k-low]
			for j, r := range from {
				to[j] += *in * r
			}
		}
	}
	chances := make([]float64, c.states)
	chances[0] = 1
	sum := 1.0
	for k := 1; k < c.states; k++ {
		for i := max(0, k-c.width); i < k; i++ {
			chances[k] += chances[i] * *c.rate(i, k)
		}
		sum += chances[k]
	}
	if math.IsInf(sum, 1) {
		return nil, errors.New("model: the probabilities of a Markov chain differ by more than floating point can hold")
	}
	for k := range chances {
		chances[k] /= sum
	}
	return chances, nil
}
