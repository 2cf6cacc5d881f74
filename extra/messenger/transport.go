package messenger

import (
	"fmt"

	"github.com/brewput/brewput/extra/remote"
)

// conn is a connection of a client. One goroutine sends and one receives.
type conn interface {
	// buffer returns an empty buffer for a transmission of n bytes.
	buffer(n int) []byte
	// send sends a buffer of the function buffer, which must not be used afterwards.
	send(b []byte) error
	// receive returns the next transmission of the server, which is valid until the next call.
	receive() ([]byte, error)
	close() error
}

// dialer makes connections of a client to the server. Each may need the one before to be closed.
type dialer interface {
	dial() (conn, error)
	close() error
}

// newDialer returns the dialer of a transport: grpc, grpc-unary, connect, drpc or tcp.
func newDialer(transport string, p remote.Endpoint) (dialer, error) {
	switch transport {
	case "grpc", "grpc-unary":
		return newGRPCDialer(p, transport == "grpc-unary")
	case "connect":
		return newConnectDialer(p)
	case "drpc":
		return drpcDialer{p}, nil
	case "tcp":
		return tcpDialer{p}, nil
	}
	return nil, fmt.Errorf("there is no transport %q", transport)
}

// unary adapts calls to a conn: send makes the call, and receive returns its reply. One goroutine may use it.
type unary struct {
	call func(request []byte, reply *[]byte) error
	end  func() error

	request, reply []byte
}

func (u *unary) buffer(n int) []byte {
	if cap(u.request) < n {
		u.request = make([]byte, 0, n)
	}
	return u.request[:0]
}

func (u *unary) send(b []byte) error      { return u.call(b, &u.reply) }
func (u *unary) receive() ([]byte, error) { return u.reply, nil }
func (u *unary) close() error {
	if u.end == nil {
		return nil
	}
	return u.end()
}
