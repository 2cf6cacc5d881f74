package messenger

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/brewput/brewput/extra/remote"
)

// maxSize bounds the bytes of a message, and maxTransmission those that are sent at once.
const (
	maxSize         = 32 << 20
	maxTransmission = maxSize + 1<<20
)

// serveTCP serves transmissions without a library: the length of each in 4 bytes, little-endian, and its bytes.
func serveTCP(ctx context.Context, l net.Listener, h *handler) error {
	var lock sync.Mutex // protects conns
	conns := map[net.Conn]bool{}
	context.AfterFunc(ctx, func() {
		l.Close()
		lock.Lock()
		defer lock.Unlock()
		for c := range conns {
			c.Close()
		}
	})
	var all sync.WaitGroup
	defer all.Wait()
	for {
		c, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		lock.Lock()
		conns[c] = true
		lock.Unlock()
		all.Go(func() {
			h.exchange(&plainConn{c: c, in: bufio.NewReader(c)})
			c.Close()
			lock.Lock()
			delete(conns, c)
			lock.Unlock()
		})
	}
}

// exchange handles the transmissions of a connection until it ends.
func (h *handler) exchange(c *plainConn) {
	for {
		b, err := c.receive()
		if err != nil {
			return
		}
		reply, err := h.handle(b, c.buffer(0))
		if err != nil || len(reply) > prefix && c.send(reply) != nil {
			return
		}
	}
}

// tcpDialer makes connections without a library.
type tcpDialer struct{ p remote.Endpoint }

func (tcpDialer) close() error { return nil }

func (d tcpDialer) dial() (conn, error) {
	c, err := d.p.Dial(context.Background())
	if err != nil {
		return nil, err
	}
	return &plainConn{c: c, in: bufio.NewReader(c)}, nil
}

// prefix is the length of the length.
const prefix = 4

// plainConn is a connection without a library. Its buffers begin with room for the length.
type plainConn struct {
	c        net.Conn
	in       *bufio.Reader
	out      []byte
	received []byte
}

func (c *plainConn) buffer(n int) []byte {
	if cap(c.out) < prefix+n {
		c.out = make([]byte, 0, prefix+n)
	}
	return c.out[:prefix]
}

func (c *plainConn) send(b []byte) error {
	binary.LittleEndian.PutUint32(b, uint32(len(b)-prefix))
	c.out = b
	_, err := c.c.Write(b)
	return err
}

func (c *plainConn) receive() ([]byte, error) {
	var header [prefix]byte
	if _, err := io.ReadFull(c.in, header[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(header[:])
	if n > maxTransmission {
		return nil, fmt.Errorf("a transmission of %d bytes", n)
	}
	if cap(c.received) < int(n) {
		c.received = make([]byte, n)
	}
	c.received = c.received[:n]
	_, err := io.ReadFull(c.in, c.received)
	return c.received, err
}

func (c *plainConn) close() error { return c.c.Close() }
