// Package lines is a workload of the producer-consumer type, from an essay on the cost of channels (Fournier). A
// producer makes lines of 300 random letters. Consumers compute the SHA-1 of each line five times.
//
// A line takes P to make and C to hash. With one producer and m CPUs, n lines take at least
//
//	n max(P, (P+C)/m)
//
// (asymptotic bounds: Denning and Buzen, ACM Computing Surveys 10(3), 1978). The cost of the channel is added to that:
// a lock and a copy for each value, and a park and a wake-up whenever the channel is empty or full. A woken goroutine
// may wait for a sleeping thread, which takes as long as many lines. A small channel therefore not only costs CPU time,
// but also leaves CPUs idle. A larger buffer saves wake-ups but no sends; batches save both. P and C are measured in
// the same sweep: produce takes nP, and sequential n(P+C).
//
// The published program ends when its producer ends. Lines that are then in the channel or with a consumer are never
// hashed. The design original keeps this bug.
package lines

import (
	"math"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload lines.
func Workload() *workload.Workload {
	uses := func(own ...string) []string { return append(own, "total", "functions", workload.GOGC) }
	return &workload.Workload{
		Name: "lines",
		Doc:  "Make lines and hash them: one producer, some consumers.",
		Factors: []plan.Factor{
			{Name: "consumers", Doc: "goroutines that hash", Kind: plan.Int, Default: "cpus", Min: 1, Max: 100_000},
			{Name: "buffer", Doc: "buffer size of the channel, in lines or batches", Kind: plan.Int, Default: "25",
				Max: 10_000_000},
			{Name: "batch", Doc: "lines in each batch", Kind: plan.Int, Default: "100", Min: 1, Max: 1_000_000},
			{Name: "total", Doc: "how many lines", Kind: plan.Int, Default: "100000", Min: 1, Max: 1_000_000_000,
				Input: true},
			{Name: "functions", Doc: "functions that make and hash: original (allocating) or free " +
				"(allocation-free)", Kind: plan.Text,
				Default: "original", Input: true},
			workload.GOGCFactor(),
		},
		Check: check,
		Quick: map[string]string{"total": "50000"},
		Designs: []workload.Design{
			{Name: "sequential", Doc: "one goroutine makes and hashes each line in " +
				"turn", Uses: uses(), Job: newSequential},
			{Name: "produce", Doc: "makes lines without hashing them: the producer's share of the time", Uses: uses(),
				Job: newProduce, Expect: workload.Bound},
			{Name: "original", Doc: "one channel; the program ends with its producer, before the consumers finish",
				Uses: uses("consumers", "buffer"), Job: newOriginal, Expect: workload.WrongAnswer},
			{Name: "channel", Doc: "one channel", Uses: uses("consumers", "buffer"), Job: newChannel, Formula: law()},
			{Name: "batch", Doc: "sends batches through one channel",
				Uses: uses("consumers", "buffer", "batch"), Job: newBatch,
				Formula: law()},
			{Name: "recycled", Doc: "reuses batches: consumers send them back to be refilled",
				Uses: uses("consumers", "buffer", "batch"), Job: newRecycled, Formula: law()},
			{Name: "queues", Doc: "one channel per consumer, filled in turn", Uses: uses("consumers", "buffer"),
				Job: newQueues, Formula: law()},
			{Name: "helping", Doc: "the producer hashes a line itself when the channel is full",
				Uses: uses("consumers", "buffer"), Job: newHelping, Formula: law()},
			{Name: "index", Doc: "no producer: idle workers claim the next numbers, then make and hash these lines",
				Uses: uses("consumers", "batch"), Job: newShared, Formula: shared()},
			{Name: "objects", Doc: "one goroutine per object and one channel per method",
				Uses: uses("consumers"), Job: newObjects, Formula: law()},
		},
	}
}

// check returns an error if a level is unknown.
func check(p plan.Point) error {
	if f := p.Text("functions"); f != "original" && f != "free" {
		return &plan.Refusal{Field: "functions", Value: f, Reason: "unknown functions; use original or free"}
	}
	return nil
}

// bounds is the source of the formulas.
const bounds = "the busiest station and the work of all: Denning and Buzen, ACM Computing Surveys 10(3), 1978"

// law returns the bound for designs with one producer.
func law() *workload.Formula {
	return &workload.Formula{
		Text:   "max(nP, n(P+C)/m): nP is the time of produce, n(P+C) that of sequential",
		Source: bounds,
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			return math.Max(m.Wall("produce", p), m.Wall("sequential", p)/float64(p.Int("cpus")))
		},
	}
}

// shared returns the bound for designs whose workers all make lines.
func shared() *workload.Formula {
	return &workload.Formula{
		Text:   "n(P+C)/m: n(P+C) is the time of sequential",
		Source: bounds,
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			return m.Wall("sequential", p) / float64(min(p.Int("cpus"), p.Int("consumers")))
		},
	}
}
