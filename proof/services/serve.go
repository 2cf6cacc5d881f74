package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/proof/services/known"
)

// serveCommand is the argument that makes this program the server.
const serveCommand = "serve"

// serve is the server: it prints its address and serves until its standard input ends.
func serve(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	fail := func(code int, err error) int {
		fmt.Fprintln(stderr, "services serve:", err)
		return code
	}
	flags := flag.NewFlagSet(serveCommand, flag.ContinueOnError)
	flags.SetOutput(stderr)
	address := flags.String("address", "127.0.0.1:0", "`ADDRESS` to listen on")
	k := known.Config{Limit: 1_000_000}
	flags.IntVar(&k.Servers, "servers", 1, "requests in service at once")
	flags.DurationVar(&k.Mean, "mean", 0, "mean service `TIME`")
	flags.BoolVar(&k.Constant, "constant", false, "equal service times instead of exponential ones")
	flags.Uint64Var(&k.Seed, "seed", 1, "seed of the service times")
	flags.DurationVar(&k.Every, "every", 0, "`TIME` from one pause to the next")
	flags.DurationVar(&k.Pause, "pause", 0, "`TIME` of a pause")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return record.ExitUsage
	}
	s, err := known.New(k)
	if err != nil {
		return fail(record.ExitUsage, err)
	}
	l, err := known.Listen(*address)
	if err != nil {
		return fail(record.ExitFailed, err)
	}

	fmt.Fprintf(stdout, "http://%s\n", l.Addr())
	go func() {
		io.Copy(io.Discard, stdin)
		s.Close()
	}()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fail(record.ExitFailed, err)
	}
	return 0
}

// server is a server of known behaviour in a process of its own.
type server struct {
	owner   *campaign
	url     string
	command *exec.Cmd
	stdin   io.Closer
	began   time.Time
	ended   bool
}

// startServer starts a server. cpu is the CPU that it is pinned to; negative means any.
func (c *campaign) startServer(ctx context.Context, k known.Config, cpu int) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{self, serveCommand, "-servers", fmt.Sprint(k.Servers), "-mean", k.Mean.String(),
		fmt.Sprintf("-constant=%t", k.Constant), "-seed", fmt.Sprint(k.Seed), "-every", k.Every.String(),
		"-pause", k.Pause.String()}
	args = pinned(args, cpu)
	s := &server{owner: c, command: exec.CommandContext(ctx, args[0], args[1:]...), began: time.Now()}
	s.command.SysProcAttr = proc.DieWithParent()
	s.command.Stderr = os.Stderr
	stdin, err := s.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	s.stdin = stdin
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}

	address, err := bufio.NewReader(io.LimitReader(stdout, 1000)).ReadString('\n')
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("the server did not start: %w", err)
	}
	s.url = strings.TrimSpace(address)
	return s, nil
}

// pinned returns a command that runs on one CPU. A negative CPU means any.
func pinned(args []string, cpu int) []string {
	if cpu < 0 {
		return args
	}
	return append([]string{"taskset", "-c", fmt.Sprint(cpu)}, args...)
}

// stop ends the server, and returns the CPU time that it used as a share of its lifetime. A second call has no effect.
func (s *server) stop() (cpuShare float64) {
	if s.ended {
		return 0
	}
	s.ended = true
	s.stdin.Close()
	s.command.Wait()
	p := s.command.ProcessState
	if p == nil {
		return 0
	}
	s.owner.add(p)
	return (p.UserTime() + p.SystemTime()).Seconds() / time.Since(s.began).Seconds()
}

// maxLog is the largest log of a server in bytes.
const maxLog = 1 << 30

// get returns the body of the reply to a request.
func (s *server) get(ctx context.Context, path string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	return reply.Body, nil
}

// connections returns the largest number of connections that were open at the same time. Its own comes after them.
func (s *server) connections(ctx context.Context) (n float64, err error) {
	body, err := s.get(ctx, "/most")
	if err != nil {
		return 0, err
	}
	defer body.Close()
	_, err = fmt.Fscan(body, &n)
	return n, err
}

// log returns the log, whose waits must be those of its own arrivals and service times.
func (s *server) log(ctx context.Context) (known.Log, error) {
	body, err := s.get(ctx, "/log")
	if err != nil {
		return known.Log{}, err
	}
	defer body.Close()
	l, err := known.ReadLog(io.LimitReader(body, maxLog))
	if err == nil && l.Lost > 0 {
		err = fmt.Errorf("the log of the server was full: %d requests were not served", l.Lost)
	}
	if err == nil {
		err = l.Check()
	}
	return l, err
}
