// Package model holds closed forms of queueing theory: what a system would do if it were as simple as
// the formula. Each formula names its source, its units and when it holds. Times are in seconds, rates in
// 1/s, loads and shares of time are fractions. Nothing here measures, draws at random or reads a clock.
//
// One station: [MM1], [MMc], [MMcK], [MG1], [MD1], [Repairman]. Networks of stations with a fixed number
// of customers: [Network]. Lines with small buffers: [Line]. Speed-up by more CPUs: [Amdahl], [Gustafson],
// [USL].
package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// ErrUnstable: more work arrives than the servers can do, so that the queue has no steady state.
var ErrUnstable = errors.New("more work arrives than the servers can do")

// Steady is the steady state of one station.
type Steady struct {
	Throughput  float64 // customers served, 1/s
	Utilization float64 // share of the servers that are busy, 0 to 1
	Lost        float64 // share of the arrivals that are turned away, 0 to 1
	Delayed     float64 // probability that a customer who is let in must wait, 0 to 1
	Wait        float64 // mean wait before service of those let in, seconds
	Response    float64 // mean wait and service of those let in, seconds
	Waiting     float64 // mean number waiting
	Present     float64 // mean number waiting or in service
}

// most is the largest number of servers, places or customers: a recursion of that length takes seconds.
const most = 1e8

// positive is nil where the value is a positive number.
func positive(name string, value float64) error {
	if value > 0 && !math.IsInf(value, 1) {
		return nil
	}
	return fmt.Errorf("model: the %s is %v, but must be positive and finite", name, value)
}

// notNegative is nil where the value is 0 or a positive number.
func notNegative(name string, value float64) error {
	if value >= 0 && !math.IsInf(value, 1) {
		return nil
	}
	return fmt.Errorf("model: the %s is %v, but must be finite and not negative", name, value)
}

// within is nil where the number is between the bounds, both included.
func within(name string, value, low, high int) error {
	if low <= value && value <= high {
		return nil
	}
	return fmt.Errorf("model: %s: %d, but must be between %d and %d", name, value, low, high)
}

// probability is nil where p is at least 0 and less than 1.
func probability(p float64) error {
	if p >= 0 && p < 1 {
		return nil
	}
	return fmt.Errorf("model: the probability is %v, but must be at least 0 and less than 1", p)
}

// stable complains of bad rates, times and servers, and of a load that the servers cannot carry.
func stable(rate, service float64, servers int) error {
	err := cmp.Or(positive("rate", rate), positive("service time", service), within("servers", servers, 1, most))
	if load := Utilization(rate, service, servers); err == nil && !(load < 1) {
		return fmt.Errorf("model: the load is %v, but must be less than 1: %w", load, ErrUnstable)
	}
	return err
}
