// Package messenger streams messages from clients to a server, which acknowledges each (B. Bengfort's Alia). It asks
// what a stream of messages costs if the client waits for each reply, listens in another goroutine, limits the messages
// in flight, or sends all that are queued in one transmission.
//
// # State machines
//
// [Sender] and [Server] are the protocol as pure values, so that all transports run the same code: links of package env
// here, and gRPC streams elsewhere. A transport does this for each client:
//
//  1. It connects, sends [Sender.Connect], and gives the reply of [Server.Connect] to [Sender.Resume].
//  2. It counts messages with [Sender.Add], and transmits what [Sender.Send] returns while that returns something. The
//     server gives each [Batch] to [Server.Receive], and transmits the [Ack] that this returns.
//  3. The client gives each Ack to [Sender.Acked]. That may open the window, so the transport tries Send again.
//  4. If the connection breaks, or no acknowledgement arrives for too long, it calls [Sender.Broken], closes the
//     connection and goes back to 1.
//  5. It ends when [Sender.Done] is true, or gives up. Both times it calls [Sender.Close].
//
// Both values need a lock if several goroutines use them. The lock of the server must be held until its function store
// returns, so that messages are in the log before a client learns of it. A server that starts again reads its log into
// a [Ledger], and calls [NewServer] with its Marks. The ledger of a client gets each final state from the function
// settled. [Audit] compares both ledgers.
package messenger

import (
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload messenger.
func Workload() *workload.Workload {
	wire := func(own ...string) []string {
		return append([]string{"clients", "messages", "size", "work", "overhead", "delay", "bandwidth"}, own...)
	}
	uses := func(own ...string) []string {
		return append(wire("buffer", "faults", "outage", "loss"), own...)
	}
	return &workload.Workload{
		Name:    "messenger",
		Doc:     "Stream messages to a server that acknowledges each: who waits for what.",
		Factors: factors(),
		Quick:   map[string]string{"messages": "5000"},
		Designs: []workload.Design{
			{Name: "sync", Doc: "waits for each acknowledgement before it sends the next message",
				Uses: uses("delivery"), Job: newSync, Formula: roundTrips()},
			{Name: "async", Doc: "another goroutine listens; the server has a goroutine for each message",
				Uses: uses("delivery"), Job: newAsync},
			{Name: "in-order", Doc: "as async, and the server handles one message after the other",
				Uses: uses("delivery"), Job: newInOrder, Formula: slowestStage()},
			{Name: "window", Doc: "as in-order, with a limited number of messages in flight",
				Uses: uses("delivery", "window"), Job: newWindow, Formula: fullWindow()},
			{Name: "batches", Doc: "as in-order, and all messages that are queued go in one transmission",
				Uses: uses("delivery"), Job: newBatches, Formula: batchCosts()},
			{Name: "original", Doc: "as in-order, with a racy flag, a listener that spins, and messages that are lost",
				Uses: uses(), Job: newOriginal, Expect: workload.MayBreak},
			{Name: "pingpong", Doc: "a message and its echo, without queue, log and protocol", Uses: wire(),
				Job: newPingPong, Expect: workload.Bound},
			{Name: "stages", Doc: "one goroutine does the work of all others by turns",
				Uses: []string{"messages", "size", "work", "overhead"}, Job: newStages, Expect: workload.Bound},
		},
	}
}

func factors() []plan.Factor {
	return []plan.Factor{
		{Name: "clients", Doc: "clients, each with a connection", Kind: plan.Int, Default: "1", Min: 1, Max: 10_000,
			Input: true},
		{Name: "messages", Doc: "messages of each client", Kind: plan.Int, Default: "20000", Min: 1, Max: 100_000_000,
			Input: true},
		{Name: "window", Doc: "messages of a client in flight", Kind: plan.Int, Default: "64", Min: 1, Max: 1_000_000},
		{Name: "buffer", Doc: "messages in the queue of a client; also the limit of those in flight", Kind: plan.Int,
			Default: "512", Min: 1, Max: 1_000_000},
		{Name: "size", Doc: "bytes of a message; they count for the bandwidth", Kind: plan.Int, Default: "64",
			Max: 1 << 30, Input: true},
		{Name: "work", Doc: "CPU time of the server for a message", Kind: plan.Duration, Default: "0s", Max: 1,
			Input: true},
		{Name: "overhead", Doc: "CPU time of a transmission at each end, as system calls and encoding take",
			Kind: plan.Duration, Default: "5us", Max: 1, Input: true},
		{Name: "delay", Doc: "latency of the network in each direction", Kind: plan.Duration, Default: "0s", Max: 10,
			Input: true},
		{Name: "bandwidth", Doc: "bytes a second of a connection in each direction; 0 is no limit", Kind: plan.Float,
			Default: "0", Max: 1e12, Input: true},
		{Name: "faults", Doc: "crashes of the server and resets of connections, while messages are sent",
			Kind: plan.Int, Default: "0", Max: 1_000_000, Input: true},
		{Name: "outage", Doc: "mean time until a server that crashed starts again; half to one and a half of it",
			Kind: plan.Duration, Default: "2ms", Max: 10, Input: true},
		{Name: "loss", Doc: "probability that the link loses a transmission, which no TCP connection does",
			Kind: plan.Float, Default: "0", Max: 0.9, Input: true},
		{Name: "delivery", Doc: "at-most-once never sends a message again; at-least-once does until it is stored",
			Kind: plan.Text, Default: "at-most-once", Words: []string{"at-most-once", "at-least-once"}, Input: true},
		{Name: "network", Doc: "between a client and a server that are processes; designs over links have none",
			Kind: plan.Text, Default: "tcp", Words: []string{"tcp", "unix"}, Input: true},
		{Name: "tls", Doc: "whether such a connection is encrypted", Kind: plan.Text, Default: "off",
			Words: []string{"off", "on"}, Input: true},
	}
}
