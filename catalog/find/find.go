// Package find searches 1000 XML documents for a topic (W. Kennedy, Scheduling in Go, part III: Concurrency, Ardan
// Labs, 2018). Reading a document blocks for 1 ms.
//
// For each document, a goroutine blocks for Z seconds and then needs a CPU for S seconds. With n documents, g
// goroutines and m CPUs, the search takes at least
//
//	max(n(Z+S)/g, nS/m)
//
// (asymptotic bounds of the machine-repairman model: Denning and Buzen, ACM Computing Surveys 10(3), 1978). The two
// terms are equal at the knee, g = m(Z+S)/S. Fewer goroutines leave CPUs idle, and more have no effect. The knee
// depends on the number of CPUs, so "more CPUs do not help" is true only below the knee of one CPU. The design
// sequential measures Z and S in the same sweep. Its metrics are read_seconds, parse_seconds and the knee.
//
// The original uses encoding/xml, which the level xml of the factor scanner selects. The package's own scanner finds
// the same items in a small part of the time, because it makes no tokens, attributes and strings that are not needed.
package find

import (
	"math"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload find.
func Workload() *workload.Workload {
	alone := []string{"documents", "items", "read", "scanner"}
	many := append([]string{"goroutines"}, alone...)
	return &workload.Workload{
		Name: "find",
		Doc:  "Find a topic in 1000 XML documents, each after 1 ms of blocking read.",
		Factors: []plan.Factor{
			{Name: "goroutines", Doc: "goroutines that read and parse",
				Kind: plan.Int, Default: "32", Min: 1, Max: 100_000},
			{Name: "parsers", Doc: "goroutines of read-ahead that parse, in addition to those that " +
				"read", Kind: plan.Int,
				Default: "cpus", Min: 1, Max: 100_000},
			{Name: "cache", Doc: "cache state of real files: warm, or cold if the system can drop its " +
				"cache", Kind: plan.Text,
				Default: "warm"},
			{Name: "documents", Doc: "how many", Kind: plan.Int, Default: "1000", Min: 1, Max: 1_000_000, Input: true},
			{Name: "items", Doc: "items of 500 bytes in each document", Kind: plan.Int, Default: "60", Min: 0,
				Max: 1_000_000, Input: true},
			{Name: "read", Doc: "how long a read blocks", Kind: plan.Duration, Default: "1ms", Input: true},
			{Name: "scanner", Doc: "the parser: own, or xml for encoding/xml", Kind: plan.Text, Default: "own",
				Input: true},
		},
		Check: check,
		Quick: map[string]string{"goroutines": "8,32,1000", "cache": "warm"},
		Designs: []workload.Design{
			{Name: "sequential", Doc: "one goroutine reads and parses each document in " +
				"turn", Uses: alone, Job: newSequential,
				Formula: law(func(p plan.Point) int { return 1 })},
			{Name: "pool", Doc: "goroutines take documents from a channel", Uses: many, Job: newPool,
				Formula: law(goroutines)},
			{Name: "semaphore", Doc: "a goroutine for each document, bounded by a semaphore", Uses: many,
				Job: newSemaphore, Formula: law(goroutines)},
			{Name: "each", Doc: "a goroutine for each document", Uses: alone, Job: newEach,
				Formula: law(func(p plan.Point) int { return p.Int("documents") })},
			{Name: "read-ahead", Doc: "some goroutines read and pass the text to others that parse it",
				Uses: append([]string{"parsers"}, many...), Job: newReadAhead, Formula: ahead()},
			{Name: "files", Doc: "the pool, with real files",
				Uses: []string{"goroutines", "cache", "documents", "items", "scanner"}, Job: newFiles,
				Worlds: workload.LiveOnly},
			{Name: "encoding-xml", Doc: "sequential, with the standard library's parser",
				Uses: []string{"documents", "items", "read"}, Job: newStandard, Reference: true},
		},
	}
}

// goroutines returns the number of goroutines of a point.
func goroutines(p plan.Point) int { return p.Int("goroutines") }

// check returns an error if a level is unknown.
func check(p plan.Point) error {
	if s := p.Text("scanner"); s != "own" && s != "xml" {
		return &plan.Refusal{Field: "scanner", Value: s, Reason: "unknown scanner; use own or xml"}
	}
	if c := p.Text("cache"); c != "warm" && c != "cold" {
		return &plan.Refusal{Field: "cache", Value: c, Reason: "unknown cache state; use warm or cold"}
	}
	return nil
}

// law returns the bound for a design that reads with g goroutines.
func law(g func(plan.Point) int) *workload.Formula {
	return &workload.Formula{
		Text:   "max(n(Z+S)/g, nS/m): nZ and nS are read_seconds and parse_seconds of sequential",
		Source: "asymptotic bounds: Denning and Buzen, ACM Computing Surveys 10(3), 1978",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			read, parse := demands(p, m)
			return bound(read, parse, min(g(p), p.Int("documents")), p.Int("cpus"))
		},
	}
}

// ahead returns the bound of read-ahead, whose readers only block.
func ahead() *workload.Formula {
	return &workload.Formula{
		Text:   "max(nZ/g, nS/min(m, parsers)): nZ and nS are read_seconds and parse_seconds of sequential",
		Source: "asymptotic bounds: Denning and Buzen, ACM Computing Surveys 10(3), 1978",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			read, parse := demands(p, m)
			return math.Max(read/float64(min(goroutines(p), p.Int("documents"))),
				parse/float64(min(p.Int("cpus"), p.Int("parsers"))))
		},
	}
}

// demands returns nZ and nS in seconds, or NaN if sequential was not measured.
func demands(p plan.Point, m workload.Measured) (read, parse float64) {
	read, ok := m.Metric("sequential", "read_seconds", p)
	parse, also := m.Metric("sequential", "parse_seconds", p)
	if !ok || !also {
		return math.NaN(), math.NaN()
	}
	return read, parse
}

// bound returns the bound for n documents in seconds, where read is nZ and parse is nS.
func bound(read, parse float64, g, m int) float64 {
	return math.Max((read+parse)/float64(g), parse/float64(m))
}

// knee returns the number of goroutines that keeps m CPUs fully utilized.
func knee(read, parse float64, m int) float64 { return float64(m) * (read + parse) / parse }
