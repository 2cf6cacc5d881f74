package remote

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/internal/tempdir"
)

// readyLimit is the time that a server has to print its address.
const readyLimit = 20 * time.Second

// Config describes a server to start.
type Config struct {
	Server  string // name of a [Server] that was given to Main
	Network string // tcp, on loopback; or unix
	Keys    *Keys  // for TLS; may be nil
	Args    any    // for the server, as JSON; must not have line breaks outside of strings
}

// Process is a server in a process of its own. Its methods must not be called concurrently, except Address.
type Process struct {
	spec   specification
	server string
	dir    *tempdir.Dir // of the socket; nil for tcp

	cmd    *exec.Cmd // nil: it does not run
	stdin  io.Closer
	stderr *proc.Ends
	done   chan error // receives the result of cmd.Wait

	ended    time.Duration // CPU time of its processes that have ended
	used     time.Duration // CPU time during the last Measure
	measured bool          // used is known
}

// Start starts a server and waits until it listens. Call Stop in the end.
func Start(c Config) (*Process, error) {
	args, err := json.Marshal(c.Args)
	if err != nil {
		return nil, err
	}
	p := &Process{server: c.Server, spec: specification{Network: c.Network, Keys: c.Keys, Args: args}}
	switch c.Network {
	case "tcp":
		p.spec.Address = "127.0.0.1:0"
	case "unix":
		if p.dir, err = (tempdir.Kind{Prefix: "brewput-remote"}).Make("", "socket"); err != nil {
			return nil, err
		}
		p.spec.Address = filepath.Join(p.dir.Path, "s")
	default:
		return nil, fmt.Errorf("the network of a server is tcp or unix, not %q", c.Network)
	}
	if err := p.Restart(); err != nil {
		return nil, errors.Join(err, p.dir.Close())
	}
	return p, nil
}

// PID returns the process ID of the server; 0 if it does not run.
func (p *Process) PID() int {
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// Measure calls f, and measures the CPU time that the server uses meanwhile, also if f kills it and starts it again.
// What it used before, such as to start and to accept connections, does not count.
func (p *Process) Measure(f func() error) error {
	before, known := p.cpu()
	err := f()
	after, ok := p.cpu()
	p.used, p.measured = after-before, known && ok
	return err
}

// CPU returns the CPU time during the last Measure. It is known on Linux, unless the server had ended by itself.
func (p *Process) CPU() (time.Duration, bool) { return p.used, p.measured }

// cpu returns the CPU time of all processes that this server had.
func (p *Process) cpu() (time.Duration, bool) {
	if p.cmd == nil {
		return p.ended, true
	}
	d, ok := proc.CPUTime(p.cmd.Process.Pid)
	return p.ended + d, ok
}

// Endpoint returns where clients connect to, also after Kill.
func (p *Process) Endpoint() Endpoint {
	return Endpoint{Network: p.spec.Network, Address: p.spec.Address, Keys: p.spec.Keys}
}

// Restart starts the server at its address, after Kill, and waits until it listens.
func (p *Process) Restart() error {
	if p.cmd != nil {
		return errors.New("the server runs already")
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	spec, err := json.Marshal(p.spec)
	if err != nil {
		return err
	}
	cmd := exec.Command(exe)
	isSentinel := func(kv string) bool { return strings.HasPrefix(kv, Sentinel+"=") }
	cmd.Env = append(slices.DeleteFunc(os.Environ(), isSentinel), Sentinel+"="+p.server)
	cmd.SysProcAttr = attributes()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	stderr := &proc.Ends{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot start the server %s: %w", p.server, err)
	}
	p.cmd, p.stdin, p.stderr, p.done = cmd, stdin, stderr, make(chan error, 1)
	limit := time.AfterFunc(readyLimit, func() { cmd.Process.Kill() })
	_, err = stdin.Write(append(spec, '\n'))
	address := ""
	if err == nil {
		address, err = bufio.NewReader(io.LimitReader(stdout, 4<<10)).ReadString('\n')
	}
	slow := !limit.Stop()
	go func() { p.done <- cmd.Wait() }() // only now, because it closes standard output
	if err != nil {
		cmd.Process.Kill()
		p.wait()
		if slow {
			err = fmt.Errorf("it printed no address within %v", readyLimit)
		}
		return fmt.Errorf("the server %s did not start: %w%s", p.server, err, said(stderr))
	}
	p.spec.Address = strings.TrimSpace(address)
	return nil
}

// said returns what a server printed, for the text of an error.
func said(stderr *proc.Ends) string {
	if text := strings.TrimSpace(stderr.String()); text != "" {
		return ": " + text
	}
	return ""
}

// Kill kills the server, as kill -9 does, and waits for its end. It returns an error if the server had ended before by
// itself. It does nothing after Kill or Stop.
func (p *Process) Kill() error {
	if p.cmd == nil {
		return nil
	}
	cmd := p.cmd
	err := cmd.Process.Kill()
	p.wait()
	if errors.Is(err, os.ErrProcessDone) {
		err = fmt.Errorf("the server %s had ended: %v%s", p.server, cmd.ProcessState, said(p.stderr))
	}
	return err
}

// Stop lets the server end, and kills it if it does not within some seconds. It returns an error if the server failed,
// or ended before. It removes the socket. Stop does nothing after Kill or Stop but remove it.
func (p *Process) Stop() (err error) {
	if p.cmd != nil {
		p.stdin.Close()
		server := p.cmd.Process // wait forgets it
		limit := time.AfterFunc(2*grace, func() { server.Kill() })
		stderr := p.stderr
		err = p.wait()
		limit.Stop()
		if err != nil {
			err = fmt.Errorf("the server %s failed: %w%s", p.server, err, said(stderr))
		}
	}
	return errors.Join(err, p.dir.Close())
}

// Join joins two errors, which may be nil, in one line. The first one explains the second.
func Join(first, second error) error {
	if first == nil || second == nil {
		return cmp.Or(first, second)
	}
	return fmt.Errorf("%w; %w", first, second)
}

// wait waits for the end of the server, and returns an error if it did not end by itself with code 0.
func (p *Process) wait() error {
	err := <-p.done
	p.stdin.Close()
	p.ended += p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
	p.cmd = nil
	return err
}
