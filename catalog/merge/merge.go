// Package merge aggregates equal neighbours from a channel (B. Bengfort's journal of Go experiments). A producer sends
// events one by one. A consumer replaces each run of equal events that it finds waiting by one call with the event and
// its count, such as (a,4) for aaaa. Calls are expensive, as writes to a database are, so fewer are better; but the
// consumer does not wait for more events when its queue is empty.
//
// How many calls an event needs depends on the load. If calls take longer than events need to arrive, events queue, and
// a call takes a whole run. The traffic intensity a is the mean number of events that arrive during one call. For
// exponential gaps between events and geometric run lengths with mean 1/p, the number of queued events at the beginning
// of a call is a Markov chain, which gives the expected number of calls for each event.
//
// The published program has four faults. It calls aaaabbb (a,4), (b,1), (b,2), because it passes on the event that ends
// a run by itself. It takes the empty string for "no event", loops forever on a closed channel, and may drop queued
// events when it is told to stop. The design original keeps all four; the input of the workload meets only the first.
package merge

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload merge.
func Workload() *workload.Workload {
	uses := func(own ...string) []string {
		return append([]string{"events", "run", "runs", "intensity", "gaps", "call"}, own...)
	}
	return &workload.Workload{
		Name: "merge",
		Doc:  "Aggregate equal neighbours from a channel: one producer, one consumer.",
		Factors: []plan.Factor{
			{Name: "events", Doc: "how many events", Kind: plan.Int, Default: "1000000", Min: 1, Max: 100_000_000,
				Input: true},
			{Name: "run", Doc: "mean run length: equal events in succession", Kind: plan.Float, Default: "4", Min: 1,
				Max: 1_000_000, Input: true},
			{Name: "runs", Doc: "distribution of the run length", Kind: plan.Text, Default: "geometric",
				Words: []string{"geometric", "constant"}, Input: true},
			{Name: "call", Doc: "CPU time of one call with merged events", Kind: plan.Duration, Default: "0s",
				Max: 10, Input: true},
			{Name: "intensity", Doc: "traffic intensity: events that arrive during one call on average (0: no gaps)",
				Kind: plan.Float, Default: "0", Max: 1000, Input: true},
			{Name: "gaps", Doc: "distribution of the gaps between events, if there are gaps", Kind: plan.Text,
				Default: "exponential", Words: []string{"exponential", "constant"}, Input: true},
			{Name: "buffer", Doc: "capacity of the channel or queue", Kind: plan.Int, Default: "1024",
				Max: 10_000_000},
			{Name: "batch", Doc: "largest number of events in one call", Kind: plan.Int, Default: "1000", Min: 1,
				Max: 100_000_000},
			{Name: "delay", Doc: "longest time that a call waits for more events", Kind: plan.Duration,
				Default: "1ms", Max: 10},
		},
		Check: check,
		Quick: map[string]string{"events": "300000"},
		Designs: []workload.Design{
			{Name: "original", Doc: "groups what is waiting; the event that ends a run has a call of its own",
				Uses: uses("buffer"), Job: newOriginal, Formula: calls(original)},
			{Name: "carried", Doc: "the event that ends a run begins the next", Uses: uses("buffer"), Job: newCarried,
				Formula: calls(carried)},
			{Name: "swapped", Doc: "a slice under a lock, which the consumer swaps for an empty one",
				Uses: uses("buffer"), Job: newSwapped, Formula: calls(swapped)},
			{Name: "flush", Doc: "waits for more equal events, up to a count or a delay",
				Uses: uses("buffer", "batch", "delay"), Job: newFlush},
			{Name: "slice", Doc: "merges the events in memory, without a producer: the fewest calls",
				Uses: []string{"events", "run", "runs", "call"}, Job: newSlice, Expect: workload.Bound},
		},
	}
}

// check returns an error for a traffic intensity without a call to measure it by, and for constant runs of a fraction.
func check(p plan.Point) error {
	if run := p.Float("run"); p.Text("runs") == "constant" && run != math.Trunc(run) {
		return &plan.Refusal{Field: "run", Value: fmt.Sprint(run),
			Reason: "constant runs have a whole number of events"}
	}
	if p.Float("intensity") > 0 && p.Duration("call") == 0 {
		return &plan.Refusal{Field: "intensity", Value: fmt.Sprint(p.Float("intensity")),
			Reason: "it counts events during a call, and calls take no time; set call, such as 100us"}
	}
	return nil
}
