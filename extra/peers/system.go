package peers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/internal/tempdir"
)

// Config describes a system of servers and clients.
type Config struct {
	Protocol       string // leased or interleaved
	Peers, Clients int
	Identities     int           // that each client gets at least
	Faults         int           // that happen
	Latency        time.Duration // of each direction of a connection
	Lease          uint64        // identities in a block, or before a bound is stored
	Seed           uint64        // of the faults

	// for tests
	server string        // name of the server; "" is that of Server
	limit  time.Duration // after which a client without an identity gives up; 0 is that of giveUp
}

// giveUp is how long a client goes on that gets no identity. Faults end within milliseconds.
const giveUp = 30 * time.Second

// Counts are what happened in a system.
type Counts struct {
	Received, Issued, Faults, Partitions, Kills int

	Asked int // identities of Received that the clients were to get; they go on until all faults have happened
}

// system is servers in processes of their own, and a proxy for each pair that is connected.
type system struct {
	Config
	counts    Counts
	dir       *tempdir.Dir
	processes []*remote.Process
	between   [][]*remote.Proxy // by receiver and sender; nil from a server to itself
	from      [][]*remote.Proxy // by server and client
	sides     []bool            // of the servers
	rand      *rand.Rand

	lock     sync.Mutex // protects what follows
	received [][]uint64 // by client
	over     bool       // all faults have happened
}

// open starts a system. Call finish or stop in the end.
func open(ctx context.Context, c Config) (s *system, err error) {
	s = &system{Config: c, sides: make([]bool, c.Peers), received: make([][]uint64, c.Clients),
		rand: rand.New(rand.NewPCG(c.Seed, 0))}
	if s.dir, err = (tempdir.Kind{Prefix: "brewput-peers"}).Make("", "peers"); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// run makes the faults while the clients get their identities.
func (s *system) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var clients sync.WaitGroup
	errs := make([]error, s.Clients)
	for i := range s.Clients {
		clients.Go(func() {
			if errs[i] = s.client(ctx, i); errs[i] != nil {
				cancel() // the faults and the others end too
			}
		})
	}
	failed := s.disturb(ctx)
	if failed != nil {
		cancel()
	}
	clients.Wait()
	return cmp.Or(append(errs, failed)...) // the first one, because it ended the others
}

// finish ends the servers, checks their logs, and ends everything else. wrong says that an identity was issued twice,
// or that those of a client do not increase or are too few.
func (s *system) finish() (wrong, err error) {
	if err = s.stopServers(); err == nil {
		wrong = s.check()
	}
	return wrong, errors.Join(err, s.stop())
}

// start starts the servers and connects them.
func (s *system) start(ctx context.Context) error {
	for i := range s.Peers {
		p, err := remote.Start(remote.Config{Server: cmp.Or(s.server, serverName), Network: "tcp",
			Args: settings{Protocol: s.Protocol, Number: i, Peers: s.Peers, Block: s.Lease, Dir: s.dir.Path}})
		if err != nil {
			return err
		}
		s.processes = append(s.processes, p)
	}
	proxies := func(list *[][]*remote.Proxy, to, n int, is func(k int) bool) error {
		row := make([]*remote.Proxy, n)
		*list = append(*list, row)
		for k := range n {
			if !is(k) {
				continue
			}
			var err error
			if row[k], err = remote.NewProxy(s.processes[to].Endpoint(), s.Latency); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range s.Peers {
		if err := errors.Join(proxies(&s.between, i, s.Peers, func(k int) bool { return k != i }),
			proxies(&s.from, i, s.Clients, func(int) bool { return true })); err != nil {
			return err
		}
	}
	for i := range s.Peers {
		if err := s.join(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// join tells a server where the others are.
func (s *system) join(ctx context.Context, i int) error {
	others := map[int]remote.Endpoint{}
	for k := range s.Peers {
		if k != i {
			others[k] = s.between[k][i].Endpoint()
		}
	}
	text, err := json.Marshal(others)
	if err != nil {
		return err
	}
	conn, err := s.processes[i].Endpoint().GRPC(grpc.WithDefaultCallOptions(grpc.ForceCodecV2(remote.Raw())))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var reply []byte
	return conn.Invoke(ctx, "/"+serviceName+"/Join", text, &reply)
}

// each calls f for every proxy.
func (s *system) each(f func(*remote.Proxy) error) (err error) {
	for _, rows := range [][][]*remote.Proxy{s.between, s.from} {
		for _, row := range rows {
			for _, p := range row {
				if p != nil {
					err = errors.Join(err, f(p))
				}
			}
		}
	}
	return err
}

// stopServers ends the servers. One that cannot store is an error.
func (s *system) stopServers() (err error) {
	for _, p := range s.processes {
		err = errors.Join(err, p.Stop())
	}
	return err
}

// stop ends everything.
func (s *system) stop() error {
	return errors.Join(s.stopServers(), s.each((*remote.Proxy).Close), s.dir.Close())
}

// client gets identities, one after the other, until it has enough and all faults have happened. It turns to the next
// server if a reply takes too long.
func (s *system) client(ctx context.Context, c int) error {
	conns := make([]*grpc.ClientConn, s.Peers)
	for i := range conns {
		conn, err := s.from[i][c].Endpoint().GRPC(grpc.WithDefaultCallOptions(grpc.ForceCodecV2(remote.Raw())))
		if err != nil {
			return err
		}
		defer conn.Close()
		conns[i] = conn
	}
	patience := 50*time.Millisecond + 10*s.Latency
	limit := cmp.Or(s.limit, giveUp+time.Duration(2*s.Peers)*patience)
	last, at := uint64(0), c%s.Peers
	for got, since := 0, time.Now(); ctx.Err() == nil && !s.done(got); {
		one, cancel := context.WithTimeout(ctx, patience)
		var reply []byte
		err := conns[at].Invoke(one, "/"+serviceName+"/Issue", number(last), &reply)
		cancel()
		var n []uint64
		if err == nil {
			n, err = numbers(reply, 1)
		}
		switch {
		case err != nil && time.Since(since) > limit:
			return fmt.Errorf("client %d got no identity for %v: %s", c, limit, status.Convert(err).Message())
		case err != nil:
			at = (at + 1) % s.Peers
			s.pause(ctx, time.Millisecond) // a server that refuses connections replies at once
			continue
		}
		last = max(last, n[0])
		got++
		since = time.Now()
		s.lock.Lock()
		s.received[c] = append(s.received[c], n[0])
		s.lock.Unlock()
	}
	return nil
}

// done reports whether a client with so many identities may stop.
func (s *system) done(got int) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.over && got >= s.Identities
}

// pause waits, unless ctx is done.
func (s *system) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// check reads the logs of all servers: no identity is there twice, and each one that a client received is there.
func (s *system) check() error {
	issued := map[uint64]int{}
	for i := range s.processes {
		text, err := os.ReadFile(settings{Number: i, Dir: s.dir.Path}.issued())
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		list, bad := numbers(text, 0)
		if err = errors.Join(err, bad); err != nil {
			return fmt.Errorf("the log of server %d: %w", i, err)
		}
		for _, id := range list {
			if other, again := issued[id]; again {
				return fmt.Errorf("the identity %d was issued twice, by servers %d and %d", id, other, i)
			}
			issued[id] = i
		}
	}
	s.counts.Issued = len(issued)
	for c, list := range s.received {
		s.counts.Received += len(list)
		s.counts.Asked += min(len(list), s.Identities)
		if len(list) < s.Identities {
			return fmt.Errorf("client %d received %d of %d identities", c, len(list), s.Identities)
		}
		last := uint64(0)
		for _, id := range list {
			if id <= last {
				return fmt.Errorf("client %d received the identity %d after %d", c, id, last)
			}
			last = id
			if _, ok := issued[id]; !ok {
				return fmt.Errorf("client %d received the identity %d, which no server has in its log", c, id)
			}
		}
	}
	return nil
}
