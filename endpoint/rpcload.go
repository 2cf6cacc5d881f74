package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"

	"github.com/brewput/brewput/internal/quote"
)

// rpcClient sends the requests of an RPC by a caller.
type rpcClient struct {
	rpc      *RPC
	caller   Caller // nil: it is not connected
	counters *counters
	opened   atomic.Uint64 // connections
}

// send sends request i, and checks the reply.
func (c *rpcClient) send(i int, _ *shard) (code int, f *failure, wrong error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.rpc.Timeout())
	defer cancel()
	reply := c.caller.Call(ctx, i, c.rpc.json != nil)
	if reply.Lost {
		return 0, c.lost(reply.Err), nil
	}
	f, wrong = c.check(reply)
	return reply.Code + 1, f, wrong
}

// lost is the failure of a call without a complete reply.
func (c *rpcClient) lost(err error) *failure {
	if errors.Is(err, ErrReplySize) {
		return failed(body, "the replies have more than %d bytes, the limit", c.rpc.MaxReply())
	}
	f := classify(err)
	if f.kind == timeout {
		return failed(timeout, "no complete reply within %v", c.rpc.Timeout())
	}
	return f
}

// check checks a reply.
func (c *rpcClient) check(reply RPCReply) (f *failure, wrong error) {
	switch expected := c.rpc.codes[reply.Code]; {
	case c.rpc.codes != nil && !expected:
		return nil, fmt.Errorf("status %s, not %s", describeCode(reply), c.rpc.expect)
	case reply.Code != 0 && !expected:
		return failed(status, "status %s", describeCode(reply)), nil
	case reply.Code != 0 || c.rpc.json == nil:
		return nil, nil
	case reply.Err != nil: // the content cannot be read
		return nil, reply.Err
	}
	v, err := decodeJSON(reply.JSON)
	if err != nil {
		return nil, err
	}
	for _, check := range c.rpc.json {
		if err := check.check(v); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// describeCode is the status of a reply with its message.
func describeCode(reply RPCReply) string {
	text := CodeName(reply.Code)
	if reply.Err != nil && reply.Err.Error() != "" {
		text += " (" + quote.Line(shorten(reply.Err.Error())) + ")"
	}
	return text
}

func (c *rpcClient) count() int { return c.caller.Requests() }

func (c *rpcClient) describe(i int, err error) error {
	name := c.rpc.Service + "/" + c.rpc.Method
	if c.count() > 1 {
		name += fmt.Sprintf(", request %d of the data", i+1)
	}
	return fmt.Errorf("%s: %w", quote.Line(name), err)
}

func (c *rpcClient) close() {
	if c.caller != nil {
		c.caller.Close() // which only returns what the calls said
	}
}

// dial is the [Dial] of the caller.
func (c *rpcClient) dial(ctx context.Context) (net.Conn, error) {
	conn, err := c.rpc.service.dial(ctx, "tcp", c.rpc.Target)
	if err != nil {
		return nil, err
	}
	s := c.counters.of(c.opened.Add(1))
	s.connections.Add(1)
	return countedConn{conn, s}, nil
}
