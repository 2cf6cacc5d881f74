package messenger

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"

	"github.com/brewput/brewput/extra/remote"
)

// Names of the service and its methods, as a .proto file would declare them, with messages of bytes:
//
//	service Messenger {
//	  rpc Stream(stream Transmission) returns (stream Transmission);
//	  rpc Call(Transmission) returns (Transmission);
//	}
const (
	service      = "brewput.Messenger"
	streamMethod = "/" + service + "/Stream"
	callMethod   = "/" + service + "/Call"
)

// streamWindow is the number of bytes that a stream and its connection may have in flight. It replaces the default,
// 64 KB at first, which grows by a measurement of the network. net/http takes less than 4 MB.
const streamWindow = 4<<20 - 1

// serveGRPC serves streams and unary calls.
func serveGRPC(ctx context.Context, l net.Listener, h *handler) error {
	s := grpc.NewServer(grpc.ForceServerCodecV2(remote.Raw()), grpc.StaticStreamWindowSize(streamWindow),
		grpc.StaticConnWindowSize(streamWindow), grpc.MaxRecvMsgSize(maxTransmission))
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: service, HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{{StreamName: "Stream", ServerStreams: true, ClientStreams: true,
			Handler: func(_ any, s grpc.ServerStream) error { return h.stream(s) }}},
		Methods: []grpc.MethodDesc{{MethodName: "Call", Handler: func(_ any, _ context.Context, decode func(any) error,
			_ grpc.UnaryServerInterceptor) (any, error) {
			var b []byte
			if err := decode(&b); err != nil {
				return nil, err
			}
			return h.call(b, nil)
		}}},
	}, nil)
	context.AfterFunc(ctx, s.Stop)
	return s.Serve(l)
}

// stream handles the transmissions of a stream.
func (h *handler) stream(s grpc.ServerStream) error {
	handle := func(b []byte) error { return h.reply(s, b) }
	if h.parallel && h.spins > 0 { // without work, goroutines would only wait for their turn
		p := &parallel{handler: h, stream: s}
		defer p.all.Wait()
		handle = p.handle
	}
	var b []byte
	for {
		err := s.RecvMsg(&b)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = handle(b)
		}
		if err != nil {
			return err
		}
	}
}

// reply handles a transmission and sends the reply.
func (h *handler) reply(s grpc.ServerStream, b []byte) error {
	reply, err := h.handle(b, nil) // gRPC keeps the reply
	if err == nil && len(reply) > 0 {
		err = s.SendMsg(reply)
	}
	return err
}

// parallel handles each transmission of a stream in a goroutine of its own, so that their work is done at the same
// time. Messages are stored in the order in which they arrive: a goroutine stores its own, and those after them that
// had to wait for it.
type parallel struct {
	*handler
	stream grpc.ServerStream
	all    sync.WaitGroup

	lock    sync.Mutex // protects what follows, and orders the replies
	waiting []*task
	err     error
}

// task is a transmission of which the work is done or not.
type task struct {
	frame
	done bool
}

// handle starts a goroutine for a transmission, which need not be kept. It returns an error of those before.
func (p *parallel) handle(b []byte) error {
	f, err := p.parse(b)
	if err != nil {
		return err
	}
	own := &task{frame: f}
	p.lock.Lock()
	p.waiting = append(p.waiting, own)
	err = p.err
	p.lock.Unlock()
	p.all.Go(func() {
		p.work(f)
		p.lock.Lock()
		defer p.lock.Unlock()
		own.done = true
		for len(p.waiting) > 0 && p.waiting[0].done {
			p.finish(p.waiting[0])
			p.waiting = p.waiting[1:]
		}
	})
	return err
}

// finish stores and replies to a transmission. The lock must be held.
func (p *parallel) finish(t *task) {
	reply, err := p.answer(t.frame, nil)
	if err == nil && len(reply) > 0 {
		err = p.stream.SendMsg(reply)
	}
	if p.err == nil {
		p.err = err
	}
}

// grpcDialer makes streams, or unary calls, of one connection of gRPC.
type grpcDialer struct {
	c       *grpc.ClientConn
	unary   bool
	options []grpc.CallOption
	pool    bufferPool
}

func newGRPCDialer(p remote.Endpoint, unary bool) (dialer, error) {
	c, err := p.GRPC(grpc.WithDisableRetry(), grpc.WithStaticStreamWindowSize(streamWindow),
		grpc.WithStaticConnWindowSize(streamWindow))
	return &grpcDialer{c: c, unary: unary, options: []grpc.CallOption{grpc.ForceCodecV2(remote.Raw()),
		grpc.MaxCallRecvMsgSize(maxTransmission)}}, err
}

func (d *grpcDialer) close() error { return d.c.Close() }

func (d *grpcDialer) dial() (conn, error) {
	if d.unary {
		return &unary{call: func(request []byte, reply *[]byte) error {
			return d.c.Invoke(context.Background(), callMethod, request, reply, d.options...)
		}}, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := d.c.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, streamMethod, d.options...)
	if err != nil {
		cancel()
		return nil, err
	}
	return &grpcConn{s: s, cancel: cancel, pool: &d.pool}, nil
}

// grpcConn is a stream of gRPC.
type grpcConn struct {
	s        grpc.ClientStream
	cancel   context.CancelFunc
	pool     mem.BufferPool
	pooled   *[]byte
	received []byte
}

// bufferPool keeps buffers for transmissions. gRPC puts each back once it is sent. gRPC's own pool would clear a buffer
// before each use: 1 MB for a transmission of more than 32 KB.
type bufferPool struct{ buffers sync.Pool }

// Get returns a buffer of a length, with any content.
func (p *bufferPool) Get(n int) *[]byte {
	if b, ok := p.buffers.Get().(*[]byte); ok && cap(*b) >= n {
		*b = (*b)[:n]
		return b
	}
	b := make([]byte, n, max(n, batchBytes(0, 0)+maxBatch))
	return &b
}

// Put takes a buffer back.
func (p *bufferPool) Put(b *[]byte) { p.buffers.Put(b) }

// pooledBytes is the size from which a transmission takes a buffer from the pool. A small one does not need 64 KB.
const pooledBytes = 1 << 10

// buffer returns an empty buffer for n bytes: from the pool, to which gRPC returns it once it is sent, unless n is small.
func (c *grpcConn) buffer(n int) []byte {
	if c.pooled = nil; n < pooledBytes {
		return make([]byte, 0, n)
	}
	c.pooled = c.pool.Get(n)
	return (*c.pooled)[:0]
}

func (c *grpcConn) send(b []byte) error {
	if c.pooled == nil {
		return c.s.SendMsg(b)
	}
	*c.pooled = b
	return c.s.SendMsg(mem.NewBuffer(c.pooled, c.pool))
}

func (c *grpcConn) receive() ([]byte, error) {
	err := c.s.RecvMsg(&c.received)
	return c.received, err
}

func (c *grpcConn) close() error {
	c.cancel()
	return nil
}
