// Package peers issues identities by several servers, the peers, without asking each other for each of them. It answers
// what was left open when identity servers were first compared (B. Bengfort's Ipseity), where synchronization between
// servers was announced but not built.
//
// No identity may be issued twice, whatever the network loses, delays or reorders, whichever peers crash, and however
// their clocks differ. The identities that a client receives must increase, also if it turns to another peer because
// the first does not reply. To get that, a client sends the last identity that it has received with each request. The
// clock of a peer decides only when it sends messages to the others.
//
//   - interleaved: peer i of n (i from 0) issues the identities k n + i + 1. A peer that must issue a larger identity
//     than a client has seen skips some. Before it issues identities, it stores a bound that it will not exceed, from
//     which it continues after a crash.
//   - leased: the first peer leases blocks of identities to the others (block allocation, as hi/lo; the blocks do not
//     expire), and stores the end of the last block before it replies. A peer without a block cannot issue identities
//     until the first peer can be reached.
//   - jump: a peer issues the identity after the largest one that it knows, and the peers tell each other what they
//     know. It was the plan for the original. Two peers may issue the same identity before either hears from the
//     other.
package peers

import (
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload peers.
func Workload() *workload.Workload {
	uses := func(own ...string) []string {
		return append([]string{"peers", "clients", "identities", "loss", "latency", "faults", "drift", "store"}, own...)
	}
	return &workload.Workload{
		Name: "peers",
		Doc:  "Issue identities by several servers, through partitions and crashes.",
		Factors: []plan.Factor{
			{Name: "peers", Doc: "servers that issue identities", Kind: plan.Int, Default: "3", Min: 1, Max: 64,
				Input: true},
			{Name: "clients", Doc: "clients that ask for identities, one after the other", Kind: plan.Int, Default: "5",
				Min: 1, Max: 1000, Input: true},
			{Name: "identities", Doc: "identities that each client asks for", Kind: plan.Int, Default: "50", Min: 1,
				Max: 10_000_000, Input: true},
			{Name: "loss", Doc: "probability that a message is lost", Kind: plan.Float, Default: "0.02", Max: 0.9,
				Input: true},
			{Name: "latency", Doc: "mean latency of a message; messages may overtake each other", Kind: plan.Duration,
				Default: "1ms", Max: 10, Input: true},
			{Name: "faults", Doc: "partitions, their ends, and crashes; fewer if the clients finish first",
				Kind: plan.Int, Default: "4", Max: 10_000_000, Input: true},
			{Name: "drift", Doc: "largest drift rate of a peer's clock, which times its messages to others",
				Kind: plan.Float, Default: "0.1", Max: 0.9, Input: true},
			{Name: "store", Doc: "time in which a peer stores a value", Kind: plan.Duration, Default: "200us", Max: 10,
				Input: true},
			{Name: "lease", Doc: "identities in a block, or before a bound is stored", Kind: plan.Int, Default: "20",
				Min: 1, Max: 1_000_000_000},
		},
		Quick: map[string]string{"identities": "20", "faults": "2"},
		Designs: []workload.Design{
			{Name: "interleaved", Doc: "each peer issues every n-th identity, below a stored bound",
				Uses: uses("lease"), Job: newInterleaved},
			{Name: "leased", Doc: "the first peer leases blocks of identities to the others", Uses: uses("lease"),
				Job: newLeased},
			{Name: "jump", Doc: "each peer issues the identity after the largest that it knows", Uses: uses(),
				Job: newJump, Expect: workload.WrongAnswer},
		},
	}
}
