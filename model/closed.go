package model

import (
	"cmp"
	"fmt"
	"math"
)

// Network is a closed queueing network: a fixed number of customers think, visit the stations and begin again. A
// closed loop of workers is one.
type Network struct {
	Think    float64 // mean seconds between two cycles, 0 or more
	Stations []Station
}

// Station is a station of a network: equal servers with one queue. The CPUs are a station with P servers.
type Station struct {
	// Demand is the mean service time in seconds that a customer needs there in a cycle, over all visits: 0, or at
	// least 1e-200.
	Demand  float64
	Servers int // 1 or more, or Unlimited
}

// shortest is the smallest demand in seconds, so that rates are finite.
const shortest = 1e-200

// Unlimited servers mean that no customer waits. A sleep is such a station.
const Unlimited = -1

// rate returns the throughput in 1/s of the station with k customers.
func (s Station) rate(k int) float64 {
	if s.Servers != Unlimited {
		k = min(k, s.Servers)
	}
	return float64(k) / s.Demand
}

// capacity returns the greatest throughput of the station in 1/s; +Inf without a limit.
func (s Station) capacity() float64 {
	if s.Servers == Unlimited || s.Demand == 0 {
		return math.Inf(1)
	}
	return s.rate(s.Servers)
}

// check returns an error for an invalid network or number of customers.
func (n Network) check(customers int) error {
	if err := cmp.Or(notNegative("think time", n.Think), within("customers", customers, 1, most)); err != nil {
		return err
	}
	for i, s := range n.Stations {
		if s.Servers != Unlimited && s.Servers < 1 {
			return fmt.Errorf("model: station %d has %d servers, but must have 1 or more, or Unlimited", i, s.Servers)
		}
		if err := notNegative(fmt.Sprintf("demand at station %d", i), s.Demand); err != nil {
			return err
		}
		if s.Demand > 0 && s.Demand < shortest {
			return fmt.Errorf("model: the demand at station %d is %v, but must be 0 or at least %v", i, s.Demand,
				shortest)
		}
	}
	if n.alone() < shortest || math.IsInf(n.alone(), 1) {
		return fmt.Errorf("model: a cycle of %v seconds: think time and demands must add up to at "+
			"least %v and be finite", n.alone(), shortest)
	}
	return nil
}

// alone returns the length of a cycle in seconds without waiting.
func (n Network) alone() float64 {
	sum := n.Think
	for _, s := range n.Stations {
		sum += s.Demand
	}
	return sum
}

// JobBound returns an upper bound of the throughput of customers (workers) that use resources, in 1/s. Each customer
// needs at least the given seconds per cycle, and no station serves more than servers/demand:
//
//	min(customers / seconds, min over stations of servers / demand)
//
// These are the asymptotic bounds (Denning and Buzen 1978; Lazowska et al. 1984, ch. 5). They hold for all
// distributions and orders of service. They also hold if a customer uses several stations at once, such as a machine
// and a CPU: seconds is the length of a cycle without waiting, in which such times count once. limit is the station
// that limits the throughput, or -1 for the customers.
func JobBound(customers int, seconds float64, stations ...Station) (throughput float64, limit int, err error) {
	if err := cmp.Or(positive("length of a cycle", seconds),
		(Network{seconds, stations}).check(customers)); err != nil {
		return 0, 0, err
	}
	throughput, limit = float64(customers)/seconds, -1
	for i, s := range stations {
		if c := s.capacity(); c < throughput {
			throughput, limit = c, i
		}
	}
	return throughput, limit, nil
}

// Bounds are bounds of the throughput of a network in 1/s, without solving it.
type Bounds struct {
	Upper, Lower                 float64 // asymptotic bounds, for all distributions
	Limit                        int     // the station that limits Upper, or -1 for the customers
	Knee                         float64 // customers from which on a station decides Upper; +Inf if none ever does
	BalancedUpper, BalancedLower float64 // tighter: of product-form networks only
}

// Bounds returns bounds of the throughput with a number of customers n. D is the sum of the demands, Z the think
// time, and b the largest demand divided by its servers. The asymptotic bounds are n/(n D + Z) and JobBound. The
// balanced job bounds (Zahorjan, Sevcik, Eager and Galler 1982; Lazowska et al. 1984, ch. 5) hold for product-form
// networks, which Solve computes:
//
//	n / (D + Z + (n-1) b / (1 + Z/(n D)))  to  n / (D + Z + (n-1) a / (1 + z/d)), at most 1/b
//
// Here a is the mean and d the sum of the demands at stations of one server, and z is the think time plus the demands
// elsewhere: the upper bound assumes that no customer waits at a station of several servers. For stations of one
// server both are the published bounds. With several servers, the lower bound follows from the arrival theorem,
// because a customer that finds k customers at c servers waits at most k demand/c. The upper bound follows from the
// monotonicity of closed product-form networks in their rates (Suri 1985).
func (n Network) Bounds(customers int) (Bounds, error) {
	if err := n.check(customers); err != nil {
		return Bounds{}, err
	}
	b := Bounds{}
	var err error
	if b.Upper, b.Limit, err = JobBound(customers, n.alone(), n.Stations...); err != nil {
		return Bounds{}, err
	}
	k, cycle, demand := float64(customers), n.alone(), n.alone()-n.Think
	slowest, single, stations := math.Inf(1), 0.0, 0.0
	for _, s := range n.Stations {
		slowest = min(slowest, s.capacity())
		if s.Servers == 1 && s.Demand > 0 {
			single += s.Demand
			stations++
		}
	}
	b.Lower = k / (k*demand + n.Think)
	b.Knee = cycle * slowest
	b.BalancedUpper, b.BalancedLower = b.Upper, k/cycle
	if demand > 0 {
		b.BalancedLower = k / (cycle + (k-1)/slowest/(1+n.Think/(k*demand)))
	}
	if stations > 0 {
		b.BalancedUpper = min(b.Upper, k/(cycle+(k-1)*single/stations*single/cycle))
	}
	return b, nil
}
