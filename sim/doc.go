// Package sim is a simulation of goroutines on CPUs under the rules of Go's scheduler.
package sim
