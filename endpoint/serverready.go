package endpoint

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/brewput/brewput/internal/quote"
)

// attemptLimit bounds one attempt, so that a server that hangs in one request may answer the next one.
const attemptLimit = 5 * time.Second

// attempt returns nil if the server answers.
func (r readiness) attempt(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	if r.url != "" {
		return r.get(ctx)
	}
	network, address := "tcp", r.address
	if r.unix != "" {
		network, address = "unix", r.unix
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// get sends one GET.
func (r readiness) get(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	if err != nil {
		return err
	}
	client := http.Client{}
	if r.client != nil {
		client = *r.client
	} else {
		// Whose certificate it is does not matter here: the first request of the load checks it.
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
		defer transport.CloseIdleConnections()
		client.Transport = transport
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

	reply, err := client.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	io.CopyN(io.Discard, reply.Body, 64<<10) // lets the server finish a short reply
	if reply.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("GET %s was answered by %s", request.URL.Redacted(), statusText(reply.StatusCode))
	}
	return nil
}

// port returns the port of address if its host is this machine.
func (r readiness) port() (port int, local bool) {
	host, text, err := net.SplitHostPort(r.address)
	if err != nil || r.unix != "" {
		return 0, false
	}
	port, err = strconv.Atoi(text)
	ip := net.ParseIP(host)
	local = host == "" || isLoopback(host) || ip != nil && ip.IsUnspecified()
	return port, err == nil && local
}

// free returns an error if another process already listens on the port, or accepts connections at the unix socket.
func (r readiness) free() error {
	if r.unix != "" {
		conn, err := net.Dial("unix", r.unix)
		if err == nil {
			conn.Close()
		} else if !errors.Is(err, syscall.EAGAIN) { // its queue is full
			return nil
		}
		return fmt.Errorf("the socket %s is already in use; end the process that listens there, or use another path",
			quote.Line(r.unix))
	}
	port, local := r.port()
	if !local {
		return nil
	}
	return usable(port, listenOnce(r.address))
}

// usable returns an error if a server cannot listen on a port, where err is that of an attempt.
func usable(port int, err error) error {
	// Somebody may listen on another local address, such as [::1]. The server may have the right to use a port that
	// this process must not use.
	if (err == nil || errors.Is(err, syscall.EACCES)) && !listening(port) {
		return nil
	}
	if user := portUser(port); user != "" || err == nil {
		return fmt.Errorf("port %d is already in use%s; end that process, or use another port", port, user)
	}
	return fmt.Errorf("port %d cannot be used: %w; use another port", port, err)
}

// A port may seem to belong to another process while processes of the server start and end. It is read that often.
const (
	ownTries = 20
	ownPause = 50 * time.Millisecond
)

// held returns an error if the port keeps belonging to none of the processes of the server. It gives up when the server
// is over.
func (r readiness) held(over <-chan struct{}, processes func() []int) (err error) {
	for try := range ownTries {
		if err = r.owned(processes); err == nil || try == ownTries-1 {
			break
		}
		select {
		case <-over:
			return err
		case <-time.After(ownPause):
		}
	}
	return err
}

// listenOnce listens on an address for a moment.
func listenOnce(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}
