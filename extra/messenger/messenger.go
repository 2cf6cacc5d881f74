// Package messenger has designs of the workload messenger that send over gRPC and other transports, to a server in a
// process of its own. They run the state machines of package catalog/messenger.
package messenger

import (
	"github.com/brewput/brewput/catalog/messenger"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload messenger with these designs.
func Workload() *workload.Workload {
	w := messenger.Workload()
	uses := func(own ...string) []string {
		return append([]string{"clients", "messages", "size", "work", "delay", "faults", "outage", "delivery",
			"network", "tls"}, own...)
	}
	live := func(name, doc string, job func(env.Env, plan.Point) (workload.Job, error), own ...string) workload.Design {
		return workload.Design{Name: name, Doc: doc, Job: job, Uses: uses(own...), Worlds: workload.LiveOnly}
	}
	w.Designs = []workload.Design{
		live("grpc-sync", "a stream of gRPC; waits for each acknowledgement", newSync),
		live("grpc-async", "another goroutine listens; the server works on all messages at once; without work it is "+
			"grpc-in-order", newAsync, "buffer"),
		live("grpc-in-order", "as grpc-async, and the server works on one message after the other; equal without work",
			newInOrder, "buffer"),
		live("grpc-window", "as grpc-in-order, with a limited number of messages in flight", newWindow, "buffer",
			"window"),
		live("grpc-batches", "as grpc-in-order, and all messages that are queued go in one message of gRPC", newBatches,
			"buffer"),
		live("grpc-unary", "a unary call of gRPC for each message", newUnary),
		live("connect", "a unary call of connect-go over HTTP/2 for each message", newConnect),
		live("drpc", "a unary call of drpc for each message", newDRPC),
		live("tcp", "a bound: waits for each acknowledgement on a connection without a library", newTCP),
	}
	w.Designs[len(w.Designs)-1].Expect = workload.Bound
	return w
}

// newSync waits for each acknowledgement before it sends the next message.
func newSync(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, mode{transport: "grpc"})
}

// newAsync sends while another goroutine listens. If messages have work, the server has a goroutine for each.
func newAsync(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, mode{transport: "grpc", limit: "buffer", parallel: true})
}

// newInOrder is newAsync with a server that handles one message of a stream after the other.
func newInOrder(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, mode{transport: "grpc", limit: "buffer"})
}

// newWindow is newInOrder with a limit of messages in flight that does not depend on the queue.
func newWindow(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, mode{transport: "grpc", limit: "window"})
}

// newBatches puts everything that is queued into one message of gRPC. It never waits for more.
func newBatches(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, mode{transport: "grpc", limit: "buffer", batches: true})
}

// newUnary makes a unary call for each message.
func newUnary(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, mode{transport: "grpc-unary"})
}

// newConnect makes a unary call of connect-go for each message.
func newConnect(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, mode{transport: "connect"})
}

// newDRPC makes a unary call of drpc for each message.
func newDRPC(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, mode{transport: "drpc"})
}

// newTCP is newSync on a connection without a library: no exchange of messages can be faster.
func newTCP(e env.Env, p plan.Point) (workload.Job, error) {
	return newJob(e, p, mode{transport: "tcp"})
}
