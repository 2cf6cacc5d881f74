// Package identity hands out increasing numbers to many callers (B. Bengfort's Ipseity). It asks what an actor costs, a
// goroutine that owns the counter and receives each call as a message, compared with a lock.
//
// The published comparison ran over gRPC, where a call takes some 18 us, so that all designs were equal. Here the calls
// stay in the process; those of the designs over links cross a simulated network. A call of the actor parks twice in
// the worst case, the caller for the reply and the actor for the next message, and each time the scheduler runs. A lock
// that is free costs two atomic operations.
//
// Each caller must get strictly increasing identities, and no identity may be issued twice. The check of every trial
// verifies both. Identities need not be consecutive: the design leased skips the rest of its last block.
package identity

import (
	"fmt"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload identity.
func Workload() *workload.Workload {
	uses := func(own ...string) []string { return append([]string{"callers", "calls", "reply"}, own...) }
	return &workload.Workload{
		Name: "identity",
		Doc:  "Hand out increasing identities to many callers: what an actor costs.",
		Factors: []plan.Factor{
			{Name: "callers", Doc: "goroutines that call in a closed loop", Kind: plan.Int,
				Default: "16", Min: 1, Max: 100_000, Input: true},
			{Name: "calls", Doc: "calls of all callers together", Kind: plan.Int, Default: "400000", Min: 1,
				Max: 1_000_000_000, Input: true},
			{Name: "reply", Doc: "CPU time that a reply takes in addition", Kind: plan.Duration, Default: "0s", Max: 1,
				Input: true},
			{Name: "mailbox", Doc: "number of calls that the mailbox of the actor holds", Kind: plan.Int,
				Default: "1024", Max: 10_000_000},
			{Name: "when-full", Doc: "what a call does at a full mailbox: block or reject", Kind: plan.Text,
				Default: "block", Words: []string{"block", "reject"}},
			{Name: "lease", Doc: "identities in a block that a caller leases", Kind: plan.Int,
				Default: "1000", Min: 1, Max: 100_000},
			{Name: "overhead", Doc: "CPU time of a transmission at each end, as system calls and encoding take",
				Kind: plan.Duration, Default: "5us", Max: 1, Input: true},
			{Name: "delay", Doc: "latency of the network in each direction", Kind: plan.Duration, Default: "0s",
				Max: 10, Input: true},
		},
		Check: check,
		Quick: map[string]string{"calls": "100000"},
		Designs: []workload.Design{
			{Name: "simple", Doc: "one lock around the whole call", Uses: uses(), Job: newSimple},
			{Name: "sequence", Doc: "one lock around the counter only", Uses: uses(), Job: newSequence},
			{Name: "atomic", Doc: "an atomic counter", Uses: uses(), Job: newAtomic},
			{Name: "actor", Doc: "a goroutine with a buffered mailbox, and a channel for each reply",
				Uses: uses("mailbox", "when-full"), Job: newActor},
			{Name: "locker", Doc: "the interface of the actor, over a lock", Uses: uses(), Job: newLocker},
			{Name: "stream", Doc: "a goroutine and a pair of channels for each caller, over one locked counter",
				Uses: uses(), Job: newStream},
			{Name: "draining", Doc: "an actor that runs on the caller that finds it idle, and drains its mailbox",
				Uses: uses(), Job: newDraining},
			{Name: "combining", Doc: "flat combining: the caller that holds the lock serves all callers", Uses: uses(),
				Job: newCombining},
			{Name: "leased", Doc: "each caller leases blocks of identities", Uses: uses("lease"), Job: newLeased},
			{Name: "remote", Doc: "a server behind a connection for each caller: a call waits for its reply",
				Uses: uses("overhead", "delay"), Job: newRemote, Formula: oneInFlight(), OnRequest: true},
			{Name: "remote-batches", Doc: "one connection: a transmission asks for all calls that wait",
				Uses: uses("overhead", "delay"), Job: newRemoteBatches, Formula: batchCosts(), OnRequest: true},
			{Name: "echo", Doc: "calls of one caller and their replies, alone and in batches", Job: newEcho,
				Uses: []string{"calls", "reply", "overhead", "delay"}, Expect: workload.Bound, OnRequest: true},
		},
	}
}

// maxLeased limits the identities that all callers lease at once: the check of a trial has a bit for each, 1 GiB.
const maxLeased = 1 << 33

func check(p plan.Point) error {
	if callers, lease := int64(p.Int("callers")), int64(p.Int("lease")); callers*lease > maxLeased {
		return &plan.Refusal{Field: "lease", Value: fmt.Sprint(lease),
			Reason: fmt.Sprintf("%d callers lease %d identities at once, and the check of a trial has memory for %d; "+
				"set lease to %d or less", callers, callers*lease, int64(maxLeased), maxLeased/callers)}
	}
	return nil
}
