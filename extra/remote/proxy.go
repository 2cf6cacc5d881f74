package remote

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"sync"
	"time"

	"github.com/brewput/brewput/internal/alarm"
	"github.com/brewput/brewput/internal/tempdir"
)

// Proxy forwards connections to a server. It delays each direction by a time, without limiting the bandwidth, and can
// hold or reset all connections. It runs on goroutines of this process. Its methods are safe for concurrent use.
type Proxy struct {
	target   Endpoint
	delay    time.Duration
	listener net.Listener
	dir      *tempdir.Dir // of the socket; nil for tcp
	work     sync.WaitGroup

	lock   sync.Mutex // protects what follows
	pairs  map[*pair]bool
	held   chan struct{} // closed by Release; nil: nothing is held
	resets int
	closed bool
}

// NewProxy listens for connections to a server, on the same network. It delays each direction. Call Close in the end.
func NewProxy(target Endpoint, delay time.Duration) (*Proxy, error) {
	p := &Proxy{target: target, delay: delay, pairs: map[*pair]bool{}}
	address, err := "127.0.0.1:0", error(nil)
	if target.Network == "unix" {
		if p.dir, err = (tempdir.Kind{Prefix: "brewput-remote"}).Make("", "proxy"); err != nil {
			return nil, err
		}
		address = filepath.Join(p.dir.Path, "p")
	}
	if p.listener, err = net.Listen(target.Network, address); err != nil {
		return nil, errors.Join(err, p.dir.Close())
	}
	p.work.Go(p.accept)
	return p, nil
}

// Endpoint returns where clients connect to, instead of to the server. TLS is between the client and the server.
func (p *Proxy) Endpoint() Endpoint {
	return Endpoint{Network: p.target.Network, Address: p.listener.Addr().String(), Keys: p.target.Keys}
}

// accept accepts connections until Close.
func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.work.Go(func() { p.connect(client) })
	}
}

// connect forwards a connection until it ends. If the server is gone, the connection is reset.
func (p *Proxy) connect(client net.Conn) {
	c := &pair{proxy: p, client: client, ended: make(chan struct{})}
	if !p.add(c) {
		reset(client)
		return
	}
	defer p.remove(c)
	server, err := net.Dial(p.target.Network, p.target.Address)
	if err != nil || !c.join(server) {
		c.reset()
		if err == nil {
			reset(server)
		}
		return
	}
	var both sync.WaitGroup
	both.Go(func() { c.forward(server, client) })
	both.Go(func() { c.forward(client, server) })
	both.Wait()
	client.Close()
	server.Close()
}

// add adds a connection; false after Close.
func (p *Proxy) add(c *pair) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	if !p.closed {
		p.pairs[c] = true
	}
	return !p.closed
}

func (p *Proxy) remove(c *pair) {
	p.lock.Lock()
	defer p.lock.Unlock()
	delete(p.pairs, c)
}

// Reset resets all connections, and returns their number. Bytes on their way are lost.
func (p *Proxy) Reset() int {
	p.lock.Lock()
	defer p.lock.Unlock()
	for c := range p.pairs {
		c.reset()
	}
	p.resets += len(p.pairs)
	return len(p.pairs)
}

// Resets returns the number of connections that Reset has ended.
func (p *Proxy) Resets() int {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.resets
}

// Hold makes a partition: until Release, no bytes arrive in either direction, and connections stay open. What is sent
// meanwhile arrives after Release.
func (p *Proxy) Hold() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.held == nil && !p.closed {
		p.held = make(chan struct{})
	}
}

// Release ends a partition.
func (p *Proxy) Release() {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.release()
}

// release is Release with the lock held.
func (p *Proxy) release() {
	if p.held != nil {
		close(p.held)
		p.held = nil
	}
}

// holding returns a channel that is closed at the end of the partition; nil: there is none.
func (p *Proxy) holding() <-chan struct{} {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.held
}

// Close resets all connections, ends the goroutines of the proxy, and removes its socket.
func (p *Proxy) Close() error {
	p.lock.Lock()
	p.closed = true
	p.release()
	for c := range p.pairs {
		c.reset()
	}
	p.lock.Unlock()
	err := p.listener.Close()
	p.work.Wait()
	return errors.Join(err, p.dir.Close())
}

// reset ends a connection so that the other side gets an error, not the end of the stream. Over a unix socket, which
// has no resets, the other side gets the end.
func reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		t.SetLinger(0)
	}
	c.Close()
}

// pair is a connection through the proxy.
type pair struct {
	proxy  *Proxy
	client net.Conn
	ended  chan struct{} // closed by reset

	lock   sync.Mutex // protects what follows
	server net.Conn   // nil until it is connected
	over   bool       // it was reset
}

// join adds the connection to the server; false after reset.
func (c *pair) join(server net.Conn) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	if !c.over {
		c.server = server
	}
	return !c.over
}

// reset resets both sides, once.
func (c *pair) reset() {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.over {
		return
	}
	c.over = true
	close(c.ended)
	reset(c.client)
	if c.server != nil {
		reset(c.server)
	}
}

// forward copies what from sends, delayed, until it ends. Then it ends the other direction's input likewise.
func (c *pair) forward(to, from net.Conn) {
	line := &delayLine{most: maxDelayed}
	line.changed.L = &line.lock
	var writer sync.WaitGroup
	writer.Go(func() {
		if err := c.deliver(to, line); err != nil {
			line.stop()
			c.reset() // bytes are lost, so neither side may take the connection for complete
		}
	})
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && !line.put(buf[:n], time.Now().Add(c.proxy.delay)) {
			break
		}
		if err != nil {
			line.end(errors.Is(err, io.EOF))
			break
		}
	}
	writer.Wait()
}

// errReset is the error of a connection that was reset.
var errReset = errors.New("the connection was reset")

// deliver writes what the line holds when it is due. An error means that bytes were lost.
func (c *pair) deliver(to net.Conn, line *delayLine) error {
	timer, precise := alarm.New()
	if precise {
		defer timer.Close()
	}
	for {
		part, ok := line.take()
		if !ok {
			break
		}
		for wait := time.Until(part.due); wait > 0; wait = time.Until(part.due) {
			if !precise || !timer.Wait(wait) {
				time.Sleep(wait)
			}
		}
		for held := c.proxy.holding(); held != nil; held = c.proxy.holding() {
			select {
			case <-held:
			case <-c.ended:
				return errReset
			}
		}
		if _, err := to.Write(part.bytes); err != nil {
			return err
		}
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok && line.complete() {
		return half.CloseWrite()
	}
	return errReset
}
