package model

import (
	"fmt"
	"slices"
)

// Line is the steady state of a line of stations with one server each.
type Line struct {
	Throughput float64   // 1/s
	Busy       []float64 // fraction of the time that each station serves
	Blocked    []float64 // fraction of the time that it holds a customer for which there is no room ahead
	Starved    []float64 // fraction of the time that it is empty
	States     int       // number of states of the Markov chain
}

// mostStates is the largest number of states; a chain with fewer may still be too wide.
const mostStates = 1 << 17

// Tandem returns the steady state of a line of stations with exponential service times of the given means in seconds.
// There is at least one station, and buffers[i] places (0 or more) between stations i and i+1. The first station
// never waits for a customer, and the last one always has room. A station without room ahead keeps its customer and
// stops: blocking after service, like a goroutine that sends on a full channel of that capacity. The Markov chain is
// built and solved exactly (Hunt, Operations Research 4, 1956, for two and three stations; Buzacott and Shanthikumar,
// Stochastic Models of Manufacturing Systems, 1993, ch. 5). That is possible only for small lines; larger ones are an
// error.
func Tandem(services []float64, buffers []int) (Line, error) {
	t, err := newTandem(services, buffers)
	if err != nil {
		return Line{}, err
	}
	codes, err := t.reachable()
	if err != nil {
		return Line{}, err
	}
	width := 0
	t.transitions(codes, func(from, to int, _ float64) { width = max(width, from-to, to-from) })
	c, err := newChain(len(codes), width)
	if err != nil {
		return Line{}, err
	}
	t.transitions(codes, func(from, to int, rate float64) { *c.rate(from, to) += rate })
	chances, err := c.stationary()
	if err != nil {
		return Line{}, err
	}
	return t.line(codes, chances), nil
}

// tandem numbers the states of a line. A state has, for each station but the first, the number of customers before
// and in it, plus one if the station before it is blocked. Its code is that as one number in mixed radix.
type tandem struct {
	services []float64
	full     []int // the state of a station by which the one before it is blocked; 0 at the first
}

func newTandem(services []float64, buffers []int) (tandem, error) {
	if len(services) == 0 || len(buffers) != len(services)-1 {
		return tandem{}, fmt.Errorf("model: %d service times and %d buffers, but there must be a station and a "+
			"buffer less than stations", len(services), len(buffers))
	}
	t := tandem{services, make([]int, len(services))}
	codes := 1.0
	for i, s := range services {
		if err := positive(fmt.Sprintf("service time of station %d", i), s); err != nil {
			return tandem{}, err
		}
		if i == 0 {
			continue
		}
		if err := within(fmt.Sprintf("places before station %d", i), buffers[i-1], 0, most); err != nil {
			return tandem{}, err
		}
		t.full[i] = buffers[i-1] + 2
		codes *= float64(t.full[i] + 1)
	}
	if codes > 1<<62 {
		return tandem{}, tooManyStates()
	}
	return t, nil
}

func tooManyStates() error {
	return fmt.Errorf("model: a line of more than %d states is too large to be solved: fewer stations or places",
		mostStates)
}

// starved and blocked report whether station i is empty, or blocked by the next.
func (t tandem) starved(state []int, i int) bool { return i > 0 && state[i] == 0 }
func (t tandem) blocked(state []int, i int) bool {
	return i+1 < len(state) && state[i+1] == t.full[i+1]
}

// finish returns the state after station i ends a service.
func (t tandem) finish(state []int, i int) []int {
	after := slices.Clone(state)
	if i+1 < len(after) {
		after[i+1]++
		if t.blocked(after, i) {
			return after // it keeps its customer
		}
	}
	t.leave(after, i)
	return after
}

// leave removes a customer from station i. Its place is taken by a customer that was blocked behind it.
func (t tandem) leave(state []int, i int) {
	if i == 0 {
		return
	}
	released := state[i] == t.full[i]
	state[i]--
	if released {
		t.leave(state, i-1)
	}
}

func (t tandem) code(state []int) (code int) {
	for i, k := range state {
		code = code*(t.full[i]+1) + k
	}
	return code
}

func (t tandem) state(code int) []int {
	state := make([]int, len(t.full))
	for i := len(state) - 1; i >= 0; i-- {
		state[i] = code % (t.full[i] + 1)
		code /= t.full[i] + 1
	}
	return state
}

// after calls visit with the rate and the code of every state that may follow.
func (t tandem) after(code int, visit func(rate float64, code int)) {
	state := t.state(code)
	for i, service := range t.services {
		if !t.starved(state, i) && !t.blocked(state, i) {
			visit(1/service, t.code(t.finish(state, i)))
		}
	}
}

// reachable returns the codes of the reachable states, ascending.
func (t tandem) reachable() ([]int, error) {
	codes, seen := []int{0}, map[int]bool{0: true}
	for i := 0; i < len(codes); i++ {
		t.after(codes[i], func(_ float64, code int) {
			if !seen[code] {
				seen[code] = true
				codes = append(codes, code)
			}
		})
		if len(codes) > mostStates {
			return nil, tooManyStates()
		}
	}
	slices.Sort(codes)
	return codes, nil
}

// transitions calls visit with every transition, by the indices of its states in codes. The only station of a line
// goes from its state to itself, which does not affect the chain.
func (t tandem) transitions(codes []int, visit func(from, to int, rate float64)) {
	for from, code := range codes {
		t.after(code, func(rate float64, after int) {
			to, _ := slices.BinarySearch(codes, after)
			visit(from, to, rate)
		})
	}
}

// line returns the steady state for the probabilities of the states.
func (t tandem) line(codes []int, chances []float64) Line {
	n := len(t.services)
	l := Line{Busy: make([]float64, n), Blocked: make([]float64, n), Starved: make([]float64, n), States: len(codes)}
	for s, code := range codes {
		state := t.state(code)
		for i := range n {
			switch {
			case t.starved(state, i):
				l.Starved[i] += chances[s]
			case t.blocked(state, i):
				l.Blocked[i] += chances[s]
			default:
				l.Busy[i] += chances[s]
			}
		}
	}
	l.Throughput = l.Busy[n-1] / t.services[n-1]
	return l
}
