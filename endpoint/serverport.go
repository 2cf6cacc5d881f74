package endpoint

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// portRange is where freePort looks first: below the ports that kernels give to connections (from 32,768 on Linux,
// from 49,152 elsewhere), so that none of a load's 10,000 connections takes the port before the server does.
const (
	firstPort    = 10_240
	lastPort     = 32_767
	portAttempts = 100
)

// givenPorts holds the ports that freePort has returned.
type givenPorts struct {
	mu    sync.Mutex
	ports map[int]bool
}

// given is the ports of this process.
var given = sync.OnceValue(func() *givenPorts { return &givenPorts{ports: map[int]bool{}} })

// freePort returns a TCP port of this machine on which nobody listened a moment ago. It never returns a port twice.
func freePort() (int, error) {
	g := given()
	g.mu.Lock()
	defer g.mu.Unlock()
	err := errors.New("all ports tried are in use")
	for attempt := range 2 * portAttempts {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		if attempt >= portAttempts {
			port = 0 // the kernel's choice
		}
		if port, err = canListen(port); err == nil && !g.ports[port] {
			g.ports[port] = true
			return port, nil
		}
	}
	return 0, err
}

// canListen returns the port if a server may listen on it at the loopback address and at all addresses.
func canListen(port int) (int, error) {
	var found int
	for _, host := range []string{"127.0.0.1", ""} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return 0, err
		}
		found = l.Addr().(*net.TCPAddr).Port
		port = found
		if err := l.Close(); err != nil {
			return 0, err
		}
	}
	return found, nil
}
