package identity

import (
	"sync"

	"google.golang.org/grpc"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newGRPCSimple is a server with one lock around the whole call, including the reply.
func newGRPCSimple(e env.Env, p plan.Point) (workload.Job, error) {
	return remoteJob(e, p, "simple", unaryCalls)
}

// newGRPCSequence is a server with a lock around the counter.
func newGRPCSequence(e env.Env, p plan.Point) (workload.Job, error) {
	return remoteJob(e, p, "sequence", unaryCalls)
}

// newGRPCActor is a server whose counter belongs to a goroutine with a mailbox.
func newGRPCActor(e env.Env, p plan.Point) (workload.Job, error) {
	return remoteJob(e, p, "actor", unaryCalls)
}

// newGRPCLocker is a server with the interface of the actor, over a lock.
func newGRPCLocker(e env.Env, p plan.Point) (workload.Job, error) {
	return remoteJob(e, p, "locker", unaryCalls)
}

// newGRPCStream has a stream for each caller, over one locked counter.
func newGRPCStream(e env.Env, p plan.Point) (workload.Job, error) {
	return remoteJob(e, p, "sequence", streamCalls)
}

// newGRPCBatches has one stream for all callers. A message stands for all calls that wait.
func newGRPCBatches(e env.Env, p plan.Point) (workload.Job, error) {
	return remoteJob(e, p, "sequence", (&batcher{}).open)
}

// unaryCalls makes each call a unary call of gRPC.
func unaryCalls(c *client, conn *grpc.ClientConn) (func() (uint64, error), error) {
	return func() (uint64, error) { return c.ask(conn, "Next") }, nil
}

// streamCalls gives each caller a stream, on which it waits for the reply before it sends the next request.
func streamCalls(c *client, conn *grpc.ClientConn) (func() (uint64, error), error) {
	s, err := c.stream(conn, "Stream")
	if err != nil {
		return nil, err
	}
	return func() (uint64, error) { return s.ask(1) }, nil
}

// numbers is a stream of numbers.
type numbers struct {
	grpc.ClientStream
	reply []byte
}

// stream opens a stream.
func (c *client) stream(conn *grpc.ClientConn, name string) (*numbers, error) {
	s, err := conn.NewStream(c.ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true},
		"/"+serviceName+"/"+name)
	return &numbers{ClientStream: s}, err
}

// ask sends a number and waits for the reply.
func (s *numbers) ask(n uint64) (uint64, error) {
	if err := s.SendMsg(number(n)); err != nil {
		return 0, err
	}
	if err := s.RecvMsg(&s.reply); err != nil {
		return 0, err
	}
	return numberOf(s.reply)
}

// batcher combines the calls of all callers on one stream. A caller that finds the stream idle asks for all calls that
// wait. Those that come meanwhile are the next batch, for which one of them asks.
type batcher struct {
	lock   sync.Mutex // protects what follows
	stream *numbers   // of the caller that asks
	busy   bool       // a caller asks
	calls  []*waiting // that wait
	spare  []*waiting
}

// open returns the function for the calls of a caller. The first caller opens the stream.
func (b *batcher) open(c *client, conn *grpc.ClientConn) (func() (uint64, error), error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.stream == nil {
		s, err := c.stream(conn, "Batches")
		if err != nil {
			return nil, err
		}
		b.stream = s
	}
	own := &waiting{answer: make(chan answer, 1)}
	return func() (uint64, error) { return b.call(own) }, nil
}

// waiting is a call.
type waiting struct{ answer chan answer }

// answer is the answer to a call, or the turn to ask for all that wait.
type answer struct {
	id   uint64
	err  error
	turn bool
}

// call returns an identity.
func (b *batcher) call(own *waiting) (uint64, error) {
	b.lock.Lock()
	b.calls = append(b.calls, own)
	if b.busy {
		b.lock.Unlock()
		if a := <-own.answer; !a.turn {
			return a.id, a.err
		}
		b.lock.Lock()
	}
	b.busy = true
	batch := b.calls
	b.calls = b.spare[:0]
	b.lock.Unlock()

	first, err := b.stream.ask(uint64(len(batch)))
	id := uint64(0)
	for i, w := range batch {
		if w == own {
			id = first + uint64(i)
		} else {
			w.answer <- answer{id: first + uint64(i), err: err}
		}
	}

	b.lock.Lock()
	b.spare = batch
	if b.busy = len(b.calls) > 0; b.busy {
		b.calls[0].answer <- answer{turn: true}
	}
	b.lock.Unlock()
	return id, err
}
