package identity

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/brewput/brewput/extra/remote"
)

// serverName is the name of the server, and serviceName that of its service.
const (
	serverName  = "identity"
	serviceName = "brewput.Identity"
)

// settings are the arguments of the server.
type settings struct {
	Counter string        // simple, sequence, actor or locker
	Mailbox int           // of the actor
	Reply   time.Duration // CPU time of a reply
}

// Server is the server that hands out identities over gRPC, in a process of its own.
func Server() remote.Server { return remote.Server{Name: serverName, Serve: serve} }

// server hands out identities. It measures how long its counter takes.
type server struct {
	counter counter
	waited  atomic.Int64 // nanoseconds that calls spent in the counter, without the work of replies
}

// serve serves until ctx is done.
func serve(ctx context.Context, l net.Listener, args json.RawMessage) error {
	var s settings
	if err := json.Unmarshal(args, &s); err != nil {
		return err
	}
	x := &server{counter: newCounter(s, newWork(s.Reply))}
	g := grpc.NewServer(grpc.ForceServerCodecV2(remote.Raw()), grpc.MaxConcurrentStreams(1<<20))
	g.RegisterService(description(), x)
	ended := make(chan error, 1)
	go func() { ended <- g.Serve(l) }()
	select {
	case <-ctx.Done():
		g.Stop()
		x.counter.stop()
		return nil
	case err := <-ended:
		return err
	}
}

// description is the service: two unary methods and two streams. Messages are numbers of 8 bytes.
func description() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: serviceName,
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{
			{MethodName: "Next", Handler: unary((*server).next)},
			{MethodName: "Waited", Handler: unary(func(x *server) uint64 { return uint64(x.waited.Load()) })},
		},
		Streams: []grpc.StreamDesc{
			{StreamName: "Stream", Handler: stream((*server).one), ServerStreams: true, ClientStreams: true},
			{StreamName: "Batches", Handler: stream((*server).batch), ServerStreams: true, ClientStreams: true},
		},
	}
}

// unary handles a call whose request has no content.
func unary(reply func(*server) uint64) grpc.MethodHandler {
	return func(x any, _ context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var request []byte
		if err := dec(&request); err != nil {
			return nil, err
		}
		return number(reply(x.(*server))), nil
	}
}

// stream handles a stream: it answers each number with a number.
func stream(reply func(x *server, n uint64) (uint64, error)) grpc.StreamHandler {
	return func(x any, s grpc.ServerStream) error {
		var request []byte
		for {
			if err := s.RecvMsg(&request); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			n, err := numberOf(request)
			if err != nil {
				return err
			}
			if n, err = reply(x.(*server), n); err != nil {
				return err
			}
			if err := s.SendMsg(number(n)); err != nil {
				return err
			}
		}
	}
}

// next returns an identity.
func (x *server) next() uint64 {
	begin := time.Now()
	id, worked := x.counter.next()
	x.count(1, time.Since(begin)-worked)
	return id
}

// one returns an identity of a stream, whose requests have the number 1.
func (x *server) one(uint64) (uint64, error) { return x.next(), nil }

// batch returns the first of n identities.
func (x *server) batch(n uint64) (first uint64, err error) {
	s, ok := x.counter.(*sequence)
	if !ok || n == 0 || n > maxBatch {
		return 0, fmt.Errorf("a batch has 1 to %d identities, of a sequence", maxBatch)
	}
	begin := time.Now()
	first = s.reserve(n)
	x.count(n, time.Since(begin))
	for range n {
		s.reply()
	}
	return first, nil
}

// count adds a time in the counter that each of n calls spent.
func (x *server) count(n uint64, d time.Duration) { x.waited.Add(int64(n) * int64(d)) }

// number is a message with a number.
func number(n uint64) []byte { return binary.LittleEndian.AppendUint64(make([]byte, 0, 8), n) }

// numberOf returns the number of a message.
func numberOf(b []byte) (uint64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("a message of %d bytes is no number", len(b))
	}
	return binary.LittleEndian.Uint64(b), nil
}
