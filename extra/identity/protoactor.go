// Package identity has designs of the workload identity that use other modules.
package identity

import (
	"io"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/brewput/brewput/catalog/identity"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload identity with these designs.
func Workload() *workload.Workload {
	w := identity.Workload()
	uses := func(own ...string) []string { return append([]string{"callers", "calls", "reply"}, own...) }
	w.Designs = []workload.Design{
		{Name: "protoactor", Doc: "an actor of protoactor-go, called by RequestFuture",
			Uses: uses(), Job: newProtoactor, Worlds: workload.LiveOnly},
		{Name: "grpc-simple", Doc: "unary calls of gRPC; the server has one lock around the whole call", Uses: uses(),
			Job: newGRPCSimple, Worlds: workload.LiveOnly},
		{Name: "grpc-sequence", Doc: "unary calls of gRPC; the server has one lock around the counter only",
			Uses: uses(), Job: newGRPCSequence, Worlds: workload.LiveOnly},
		{Name: "grpc-actor", Doc: "unary calls of gRPC; a goroutine of the server has the counter, and a mailbox",
			Uses: uses("mailbox"), Job: newGRPCActor, Worlds: workload.LiveOnly},
		{Name: "grpc-locker", Doc: "unary calls of gRPC; the server has the interface of the actor, over a lock",
			Uses: uses(), Job: newGRPCLocker, Worlds: workload.LiveOnly},
		{Name: "grpc-stream", Doc: "a stream of gRPC for each caller; the server has a lock around the counter",
			Uses: uses(), Job: newGRPCStream, Worlds: workload.LiveOnly},
		{Name: "grpc-batches", Doc: "a stream of gRPC for all callers, each message with all calls that wait",
			Uses: uses(), Job: newGRPCBatches, Worlds: workload.LiveOnly},
	}
	return w
}

// next is the message of a call. The actor runs on goroutines of the library, which have no Env, so it uses that of the
// caller, which waits meanwhile.
type next struct{ e env.Env }

// newProtoactor is an actor of protoactor-go. A call sends a message to its unbounded mailbox and waits for the future
// of the reply, without a timeout, because a timer would add to its cost.
func newProtoactor(e env.Env, p plan.Point) (workload.Job, error) {
	reply := p.Duration("reply")
	return identity.Job(e, p, func(env.Env) identity.Service {
		system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
			return slog.New(slog.NewTextHandler(io.Discard, nil))
		}))
		last := uint64(0)
		pid := system.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
			if m, ok := c.Message().(*next); ok {
				last++
				if reply > 0 {
					m.e.Burn(reply)
				}
				c.Respond(last)
			}
		}))
		return identity.Service{
			Caller: func(e env.Env) func() (uint64, bool) {
				return func() (uint64, bool) {
					id, err := system.Root.RequestFuture(pid, &next{e}, -1).Result()
					if err != nil {
						return 0, false
					}
					return id.(uint64), true
				}
			},
			Stop: func() {
				system.Root.StopFuture(pid).Wait()
				system.Shutdown()
			},
		}
	}), nil
}
