// Package remote runs servers of this program in processes of their own, and connects to them.
//
// A program names its servers and calls [Main] first. [Start] starts the running program again as one of them: it
// listens on loopback or on a Unix socket, with TLS if it has [Keys], and prints its address. It ends when its standard
// input closes, so it does not outlive the process that started it. [Process.Kill] ends it without a chance to clean
// up, and [Process.Restart] starts it again at the same address. A [Proxy] delays, holds or resets connections.
package remote

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/brewput/brewput/internal/input"
)

// Sentinel is the environment variable that makes this program one of its servers. Its value is the name of the server.
const Sentinel = "BREWPUT_REMOTE"

// Server is a server that this program can run.
type Server struct {
	Name string

	// Serve accepts connections until ctx is done, and returns within a second then: nil if all went well. It runs in a
	// process of its own. Args are those of [Config].
	Serve func(ctx context.Context, l net.Listener, args json.RawMessage) error
}

// Exit codes of the process of a server.
const (
	exitFailed = 1
	exitMisuse = 2
	exitSlow   = 3 // it did not return in time
)

const (
	// grace is the time that a server has to return.
	grace = 2 * time.Second
	// listenLimit is how long a server tries to listen at an address that is in use: a client of the server before it
	// may have connected to itself at its port.
	listenLimit = 5 * time.Second
)

// specification is what the process of a server reads from its standard input first.
type specification struct {
	Network, Address string
	Keys             *Keys           `json:",omitempty"`
	Args             json.RawMessage `json:",omitempty"`
}

// Main runs this process as one of the servers if [Start] started it as one; then it exits and does not return.
// Otherwise it returns at once. Call it first in main, or in TestMain of a test binary that starts servers.
func Main(servers ...Server) {
	name := os.Getenv(Sentinel)
	if name == "" {
		return
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a dead parent must not end it before it has cleaned up
	for _, s := range servers {
		if s.Name == name {
			os.Exit(s.run(os.Stdin, os.Stdout, os.Stderr))
		}
	}
	fmt.Fprintf(os.Stderr, "this program has no server %.100q; unset %s if you set it by hand\n", name, Sentinel)
	os.Exit(exitMisuse)
}

// run serves until standard input ends. It returns the exit code.
func (s Server) run(stdin io.Reader, stdout, stderr io.Writer) int {
	in := bufio.NewReader(io.LimitReader(stdin, input.Messages.Bytes()))
	var spec specification
	line, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &spec)
	}
	if err != nil {
		fmt.Fprintf(stderr, "the server %s got no specification: %v\n", s.Name, err)
		return exitMisuse
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		io.Copy(io.Discard, in)
		cancel()
		time.Sleep(grace)
		os.Exit(exitSlow)
	}()

	l, err := listen(ctx, spec)
	if err == nil {
		fmt.Fprintln(stdout, l.Addr())
		err = s.Serve(ctx, l, spec.Args)
	}
	if err != nil {
		fmt.Fprintf(stderr, "server %s: %v\n", s.Name, err)
		return exitFailed
	}
	return 0
}

// listen listens at the address of the specification.
func listen(ctx context.Context, spec specification) (net.Listener, error) {
	if spec.Network == "unix" { // the server before it may have been killed
		if err := os.Remove(spec.Address); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	var l net.Listener
	var err error
	for deadline := time.Now().Add(listenLimit); ; {
		l, err = new(net.ListenConfig).Listen(ctx, spec.Network, spec.Address)
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(deadline) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err != nil || spec.Keys == nil {
		return l, err
	}
	config, err := spec.Keys.server()
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return tls.NewListener(l, config), nil
}
