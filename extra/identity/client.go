package identity

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/brewput/brewput/catalog/identity"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

const (
	maxConnections = 64      // further callers share connections
	maxBatch       = 100_000 // calls
)

// client calls a server in a process of its own.
type client struct {
	process *remote.Process
	conns   []*grpc.ClientConn
	ctx     context.Context // ends the streams
	cancel  context.CancelFunc

	lock    sync.Mutex // protects what follows
	callers int
	tallies []*tally
	err     error // the first failure
}

// open is how a caller gets its function for calls. It must be safe for concurrent use.
type open func(c *client, conn *grpc.ClientConn) (call func() (uint64, error), err error)

// remoteJob is the job of a design. It starts a server with a counter, and a connection for each caller. Callers make
// their calls by what open returns.
func remoteJob(e env.Env, p plan.Point, counter string, open open) (workload.Job, error) {
	s := settings{Counter: counter, Reply: p.Duration("reply")}
	if p.Has("mailbox") {
		s.Mailbox = p.Int("mailbox")
	}
	c, err := start(s, p.Int("callers"))
	if err != nil {
		return workload.Job{}, err
	}
	return c.job(e, p, open), nil
}

// start starts a server and connects to it.
func start(s settings, callers int) (c *client, err error) {
	c = &client{}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if c.process, err = remote.Start(remote.Config{Server: serverName, Network: "tcp", Args: s}); err != nil {
		return nil, err
	}
	for range min(callers, maxConnections) {
		conn, err := c.process.Endpoint().GRPC(grpc.WithDefaultCallOptions(grpc.ForceCodecV2(remote.Raw())))
		if err == nil {
			c.conns = append(c.conns, conn)
			_, err = c.ask(conn, "Waited") // connects
		}
		if err != nil {
			return nil, remote.Join(c.stop(), err)
		}
	}
	return c, nil
}

// stop ends the streams, the connections and the server.
func (c *client) stop() error {
	c.cancel()
	for _, conn := range c.conns {
		conn.Close()
	}
	return c.process.Stop()
}

// ask calls a unary method.
func (c *client) ask(conn *grpc.ClientConn, method string) (uint64, error) {
	var reply []byte
	if err := conn.Invoke(c.ctx, "/"+serviceName+"/"+method, []byte(nil), &reply); err != nil {
		return 0, err
	}
	return numberOf(reply)
}

// job is the job of the workload, whose calls go to the server.
func (c *client) job(e env.Env, p plan.Point, open open) workload.Job {
	waited, ended := uint64(0), error(nil)
	j := identity.Job(e, p, func(env.Env) identity.Service {
		return identity.Service{
			Caller: func(env.Env) func() (uint64, bool) { return c.caller(open) },
			Stop: func() {
				var err error
				waited, err = c.ask(c.conns[0], "Waited")
				ended = remote.Join(c.stop(), err)
			},
		}
	})

	run, check, metrics := j.Run, j.Check, j.Metrics
	j.Run = func(e env.Env) error {
		err := c.process.Measure(func() error { return run(e) })
		c.lock.Lock()
		defer c.lock.Unlock()
		if err = cmp.Or(err, c.err); err != nil {
			err = remote.Join(c.stop(), err)
		}
		return err
	}
	j.Check = func() (workload.Answer, error) {
		a, err := check()
		if err == nil && ended != nil {
			err = workload.FailedError{Err: ended}
		}
		return a, err
	}
	j.Metrics = func() map[string]float64 {
		m, all := metrics(), tally{}
		for _, t := range c.tallies {
			all.took += t.took
			all.calls += t.calls
		}
		m["call_mean_ns"] = float64(all.took) / float64(all.calls)
		m["sync_mean_ns"] = float64(waited) / float64(all.calls)
		m["sync_share"] = float64(waited) / float64(all.took)
		if d, ok := c.process.CPU(); ok {
			m["server_cpu_seconds"] = d.Seconds()
		}
		return m
	}
	return j
}

// caller returns the function for the calls of a caller. After a failure, its calls are rejected.
func (c *client) caller(open open) func() (uint64, bool) {
	c.lock.Lock()
	conn := c.conns[c.callers%len(c.conns)]
	c.callers++
	c.lock.Unlock()
	call, err := open(c, conn)
	if err != nil {
		c.fail(err)
		return func() (uint64, bool) { return 0, false }
	}
	own := &tally{}
	c.lock.Lock()
	c.tallies = append(c.tallies, own)
	c.lock.Unlock()
	failed := false
	return func() (uint64, bool) {
		if failed {
			return 0, false
		}
		begin := time.Now()
		id, err := call()
		if err != nil {
			failed = true
			c.fail(fmt.Errorf("a call failed: %s", status.Convert(err).Message()))
			return 0, false
		}
		own.took += time.Since(begin)
		own.calls++
		return id, true
	}
}

// tally is what a caller counts.
type tally struct {
	took  time.Duration // of all calls
	calls int64
}

// fail records the first failure.
func (c *client) fail(err error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.err == nil {
		c.err = err
	}
}
