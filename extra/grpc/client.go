package grpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/brewput/brewput/endpoint"
)

// raw is a codec for messages that are bytes: what is sent was encoded before the load, and a reply is decoded only if
// it is checked.
type raw struct{}

var _ encoding.CodecV2 = raw{}

// Name is the name of protobuf's codec, whose bytes these are.
func (raw) Name() string { return "proto" }

// Marshal returns the bytes of a request.
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

// Unmarshal copies a reply if it is wanted, and counts its bytes.
func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	m := v.(*message)
	m.size = data.Len()
	if m.wanted {
		m.bytes = data.Materialize()
	}
	return nil
}

// message is a reply of the server.
type message struct {
	wanted bool
	bytes  []byte // if wanted
	size   int
}

// client calls a method of a server. It is an endpoint.Caller.
type client struct {
	method   *method
	conns    []*grpc.ClientConn
	requests [][]byte
	metadata metadata.MD // nil if there is none
	options  []grpc.CallOption
	most     int64         // bytes of all replies of a stream
	next     atomic.Uint64 // number of the next call, which decides its connection
}

// newClient returns a client of connections, which are dialed when they are needed.
func newClient(r *endpoint.RPC, m *method, requests [][]byte, conns []*grpc.ClientConn) *client {
	c := &client{method: m, requests: requests, conns: conns, most: r.MaxReply(), options: []grpc.CallOption{
		grpc.ForceCodecV2(raw{}), grpc.MaxCallRecvMsgSize(int(min(r.MaxReply(), math.MaxInt32))),
		grpc.MaxCallSendMsgSize(math.MaxInt32)}}
	for _, h := range r.Metadata {
		if c.metadata == nil {
			c.metadata = metadata.MD{}
		}
		c.metadata.Append(h[0], h[1])
	}
	return c
}

// connectParams make a client try again soon after a connection has ended.
func connectParams(timeout time.Duration) grpc.ConnectParams {
	return grpc.ConnectParams{MinConnectTimeout: timeout, Backoff: backoff.Config{BaseDelay: 20 * time.Millisecond,
		Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second}}
}

func (c *client) Requests() int { return len(c.requests) }

func (c *client) Close() (err error) {
	for _, conn := range c.conns {
		err = errors.Join(err, conn.Close())
	}
	return err
}

// Call sends request i and waits for the reply, or for all replies of a stream, of which the last one is the content.
func (c *client) Call(ctx context.Context, i int, wanted bool) endpoint.RPCReply {
	if c.metadata != nil {
		ctx = metadata.NewOutgoingContext(ctx, c.metadata)
	}
	m := message{wanted: wanted}
	var signs reply
	err := c.send(ctx, i, &m, append(c.options[:len(c.options):len(c.options)], grpc.Header(&signs.header),
		grpc.Trailer(&signs.trailer)))
	if err != nil {
		return signs.failed(ctx, err)
	}
	if !wanted {
		return endpoint.RPCReply{}
	}
	text, err := c.method.decode(m.bytes)
	return endpoint.RPCReply{JSON: text, Err: err}
}

// send sends request i and receives the reply.
func (c *client) send(ctx context.Context, i int, m *message, options []grpc.CallOption) error {
	conn := c.conns[c.next.Add(1)%uint64(len(c.conns))]
	if !c.method.streams {
		return conn.Invoke(ctx, c.method.path, c.requests[i], m, options...)
	}

	ctx, cancel := context.WithCancel(ctx) // ends a stream that is not received to its end
	defer cancel()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, c.method.path, options...)
	if err != nil {
		return err
	}
	if err := stream.SendMsg(c.requests[i]); err != nil && !errors.Is(err, io.EOF) { // io.EOF: RecvMsg has the cause
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	for received := int64(0); ; {
		switch err := stream.RecvMsg(m); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if received += int64(m.size); received > c.most {
			return endpoint.ErrReplySize
		}
	}
}

// reply is what arrived of a reply besides its messages. Each has at least a content type: in the header, or in the
// trailer if the reply has no messages.
type reply struct{ header, trailer metadata.MD }

// failed is the reply of a call that failed. The client makes some statuses itself, because no reply arrived.
func (r *reply) failed(ctx context.Context, err error) endpoint.RPCReply {
	s := status.Convert(err)
	cause := err
	if !errors.Is(err, endpoint.ErrReplySize) {
		cause = r.lost(ctx, s)
	}
	if cause != nil {
		return endpoint.RPCReply{Code: int(s.Code()), Lost: true, Err: cause}
	}
	return endpoint.RPCReply{Code: int(s.Code()), Err: errors.New(s.Message())}
}

// lost returns why no complete reply arrived; nil if one did. Behind a header only, the messages of statuses that the
// client also makes tell.
func (r *reply) lost(ctx context.Context, s *status.Status) error {
	end, limited := ctx.Deadline()
	switch {
	case s.Code() == codes.DeadlineExceeded && limited && !time.Now().Before(end):
		return context.DeadlineExceeded
	case len(r.trailer) > 0:
		return nil
	case len(r.header) == 0:
		if cause := causeOf(s.Message()); cause != nil {
			return cause
		}
		return errors.New(s.Message())
	case s.Code() == codes.Unavailable:
		return causeOf(s.Message())
	case s.Code() == codes.ResourceExhausted && strings.HasPrefix(s.Message(), "grpc: received message ") &&
		strings.Contains(s.Message(), "larger than max"):
		return endpoint.ErrReplySize
	}
	return nil
}

// lost is why no reply arrived: its text, and an error that says the same.
type lost struct {
	text  string
	cause error
}

func (l lost) Error() string { return l.text }
func (l lost) Unwrap() error { return l.cause }

// causeOf returns why a connection has ended by the message of the client; nil if it does not say so.
func causeOf(text string) error {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	switch {
	case has("connection refused"):
		return lost{"the server refuses connections", syscall.ECONNREFUSED}
	case has("connection reset", "broken pipe"):
		return lost{"the server reset the connection", syscall.ECONNRESET}
	case has("tls: ", "x509: ", "certificate"):
		return fmt.Errorf("tls: %s", text)
	case has("EOF", "transport is closing", "connection closed", "closing", "GOAWAY"):
		return lost{"the server closed the connection", io.ErrUnexpectedEOF}
	case has("server preface", "frame too large", "connection error", "transport:", "error reading from server"):
		return errors.New(text)
	}
	return nil
}
