// Package model implements queueing theory and scaling laws: the performance of a system under the assumptions of a
// formula. Each function names its source, its units and its assumptions. Times are in seconds and rates in 1/s;
// utilizations are fractions. The package measures nothing, draws no random numbers and reads no clock.
//
// One station: [MM1], [MMc], [MMcK], [MG1], [MD1], [Repairman]. Networks with a fixed number of customers: [Network].
// Lines with small buffers: [Tandem]. Given requests: [Lindley], [KieferWolfowitz]. Speed-up by
// more CPUs: [Amdahl], [Gustafson], [USL], which [FitUSL] fits to measurements.
package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// ErrUnstable means that more work arrives than the servers can do, so that the queue has no steady state.
var ErrUnstable = errors.New("more work arrives than the servers can do")

// Steady is the steady state of one station.
type Steady struct {
	Throughput  float64 // customers served per second
	Utilization float64 // fraction of the servers in use, 0 to 1
	Lost        float64 // fraction of the arrivals that are lost, 0 to 1
	Delayed     float64 // probability that an admitted customer must wait, 0 to 1
	Wait        float64 // mean waiting time of admitted customers, seconds
	Response    float64 // mean response time (wait and service) of admitted customers, seconds
	Waiting     float64 // mean number of waiting customers
	Present     float64 // mean number of customers waiting or in service
}

// most is the largest number of servers, places or customers: a recursion of that length takes seconds.
const most = 1e8

// positive returns an error unless the value is positive and finite.
func positive(name string, value float64) error {
	if value > 0 && !math.IsInf(value, 1) {
		return nil
	}
	return fmt.Errorf("model: the %s is %v, but must be positive and finite", name, value)
}

// notNegative returns an error unless the value is 0 or positive, and finite.
func notNegative(name string, value float64) error {
	if value >= 0 && !math.IsInf(value, 1) {
		return nil
	}
	return fmt.Errorf("model: the %s is %v, but must be finite and not negative", name, value)
}

// within returns an error unless the value is between the bounds, inclusive.
func within(name string, value, low, high int) error {
	if low <= value && value <= high {
		return nil
	}
	return fmt.Errorf("model: %s: %d, but must be between %d and %d", name, value, low, high)
}

// probability returns an error unless p is at least 0 and less than 1.
func probability(p float64) error {
	if p >= 0 && p < 1 {
		return nil
	}
	return fmt.Errorf("model: the probability is %v, but must be at least 0 and less than 1", p)
}

// stable returns an error for invalid rates, times and servers, and for a load that the servers cannot carry.
func stable(rate, service float64, servers int) error {
	err := cmp.Or(positive("rate", rate), positive("service time", service), within("servers", servers, 1, most))
	if load := Utilization(rate, service, servers); err == nil && !(load < 1) {
		return fmt.Errorf("model: the load is %v, but must be less than 1: %w", load, ErrUnstable)
	}
	return err
}
