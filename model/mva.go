package model

import (
	"fmt"
	"sort"
)

// Solution is the steady state of a network with a fixed number of customers.
type Solution struct {
	Throughput float64   // cycles per second
	Response   float64   // mean seconds of a cycle without the think time
	Present    []float64 // mean number of customers at each station, waiting or in service
}

// mostWork is the largest number of terms that Solve adds, which takes seconds. mostKept is the largest number of
// values in its answer, which take 200 MB.
const (
	mostWork = 4e9
	mostKept = 25e6
)

// Solve returns the steady state of the network with 0, 1, ..., customers customers; element 0 is empty. It is exact
// for closed product-form networks with one class of customers (Baskett, Chandy, Muntz and Palacios 1975):
// exponential service in FIFO order, or service times of any distribution with processor sharing or unlimited
// servers.
//
// Stations with one server and with unlimited servers are solved by mean value analysis (Reiser and Lavenberg 1980;
// Lazowska et al. 1984, ch. 6), in time proportional to customers. With several servers its marginal probabilities
// cancel and may become negative (Casale 2008). Such stations therefore join one at a time. The network so far is
// equivalent to one station whose rate with k customers is its throughput with k (Chandy, Herzog and Woo, IBM J. Res.
// Dev. 19, 1975). Two stations are a birth-death process, whose probabilities are computed from the most likely state
// outwards. Only positive numbers are added and none overflows, so the error grows like the rounding error of a sum.
// Time is at most proportional to the square of customers for each station with several servers. More than 25 million
// customers times stations, with five added to the number of stations, are an error.
func (n Network) Solve(customers int) ([]Solution, error) {
	if err := n.check(customers); err != nil {
		return nil, err
	}
	if work := float64(customers) * float64(customers) * float64(len(n.Stations)); n.several() && work > mostWork {
		return nil, fmt.Errorf("model: %d customers and %d stations are too many to be solved exactly: %.3g "+
			"terms, at most %.3g",
			customers, len(n.Stations), work, float64(mostWork))
	}
	const each = 5 // words of a Solution beside the numbers at the stations
	if kept := float64(customers) * float64(len(n.Stations)+each); kept > mostKept {
		return nil, fmt.Errorf("model: %d customers and %d stations are too many to be solved: an answer of %.3g "+
			"numbers, at most %.3g",
			customers, len(n.Stations), kept, float64(mostKept))
	}
	solved := n.meanValues(customers)
	for i, s := range n.Stations {
		if s.Servers > 1 && s.Demand > 0 {
			solved = join(solved, i, s)
		}
	}
	for k := range solved[1:] {
		one := &solved[k+1]
		for i, s := range n.Stations {
			if s.Servers == Unlimited {
				one.Present[i] = Little(one.Throughput, s.Demand)
			}
			one.Response += one.Present[i] / one.Throughput
		}
	}
	return solved, nil
}

// several reports whether a station has several servers.
func (n Network) several() bool {
	for _, s := range n.Stations {
		if s.Servers > 1 {
			return true
		}
	}
	return false
}

// meanValues solves the network of the stations of one server, of unlimited servers and of thinking. If there are
// none, its throughput stays 0.
func (n Network) meanValues(customers int) []Solution {
	solved := make([]Solution, customers+1)
	solved[0].Present = make([]float64, len(n.Stations))
	for k := 1; k <= customers; k++ {
		present := make([]float64, len(n.Stations))
		cycle := n.Think
		for i, s := range n.Stations {
			switch s.Servers {
			case Unlimited:
				cycle += s.Demand
			case 1:
				present[i] = s.Demand * (1 + solved[k-1].Present[i]) // still the response there
				cycle += present[i]
			}
		}
		throughput := 0.0
		if cycle > 0 {
			throughput = float64(k) / cycle
		}
		for i := range present {
			present[i] *= throughput
		}
		solved[k] = Solution{Throughput: throughput, Present: present}
	}
	return solved
}

// join adds station i to the rest of the network. A rest without throughput never has customers.
func join(rest []Solution, i int, s Station) []Solution {
	solved := make([]Solution, len(rest))
	solved[0] = rest[0]
	empty := len(rest) < 2 || rest[1].Throughput == 0
	for n := 1; n < len(rest); n++ {
		present := make([]float64, len(rest[0].Present))
		if empty {
			present[i] = float64(n)
			solved[n] = Solution{Throughput: s.rate(n), Present: present}
			continue
		}
		low, chances := split(rest, s, n)
		throughput := 0.0
		for j, p := range chances {
			k := low + j // at the station, n-k in the rest
			present[i] += p * float64(k)
			for other, number := range rest[n-k].Present {
				if other != i {
					present[other] += p * number
				}
			}
			throughput += p * s.rate(k)
		}
		solved[n] = Solution{Throughput: throughput, Present: present}
	}
	return solved
}

// negligible is the smallest probability, relative to the most likely state, that counts. The neighbours of that
// state always count: if nearly all customers are in the rest, the throughput comes from the state with one customer
// at the station.
const negligible = 1e-30

// split returns the distribution of n customers between a station and the rest: the probabilities that low, low+1,
// ... are at the station, without negligible ones.
func split(rest []Solution, s Station, n int) (low int, chances []float64) {
	ratio := func(k int) float64 { return rest[n-k+1].Throughput / s.rate(k) } // of k to k-1; it falls with k
	mode := sort.Search(n, func(k int) bool { return ratio(k+1) < 1 })
	var below, above []float64
	for k, p := mode, 1.0; k > 0 && p > negligible; k-- {
		p /= ratio(k)
		below = append(below, p)
	}
	for k, p := mode, 1.0; k < n && p > negligible; k++ {
		p *= ratio(k + 1)
		above = append(above, p)
	}
	sum := 1.0
	for j := len(below) - 1; j >= 0; j-- {
		chances = append(chances, below[j])
		sum += below[j]
	}
	chances = append(append(chances, 1), above...)
	for _, p := range above {
		sum += p
	}
	for j := range chances {
		chances[j] /= sum
	}
	return mode - len(below), chances
}
