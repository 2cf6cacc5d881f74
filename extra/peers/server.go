package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/brewput/brewput/catalog/peers"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/extra/remote"
)

const (
	serverName  = "peer"
	serviceName = "brewput.Peer"
)

// settings are the arguments of a server.
type settings struct {
	Protocol      string // leased or interleaved
	Number, Peers int
	Block         uint64 // identities in a block, or before a bound is stored
	Dir           string // for what it stores, and for the log of what it issues
}

// stored is the file with what a server stores, and issued that with the identities that it has issued, 8 bytes each.
func (s settings) stored() string { return filepath.Join(s.Dir, fmt.Sprintf("stored-%d", s.Number)) }
func (s settings) issued() string { return filepath.Join(s.Dir, fmt.Sprintf("issued-%d", s.Number)) }

// Server is a peer in a process of its own. It may be killed at any time.
func Server() remote.Server { return newServer(serverName, writeNumber) }

// newServer returns a server that stores numbers in files by write.
func newServer(name string, write func(path string, n uint64) error) remote.Server {
	return remote.Server{Name: name, Serve: func(ctx context.Context, l net.Listener, args json.RawMessage) error {
		return (&server{write: write, events: make(chan event, 1024), links: map[int]*link{}}).serve(ctx, l, args)
	}}
}

// server runs a protocol. The protocol is called by the goroutine of run only.
type server struct {
	settings
	write   func(path string, n uint64) error
	value   uint64 // stored
	log     *os.File
	events  chan event
	waiting []request
	failure error // of storing or of the log: the server ends

	lock  sync.Mutex // protects what follows
	links map[int]*link
}

// event is what happens to a server: a request, a message from a peer, or the passing of time.
type event struct {
	request *request
	from    int
	message *peers.Message
}

// request is a client's request for an identity above last.
type request struct {
	ctx  context.Context
	last uint64
	id   chan uint64 // has room for the reply
}

// serve serves until ctx is done.
func (x *server) serve(ctx context.Context, l net.Listener, args json.RawMessage) (err error) {
	if err := json.Unmarshal(args, &x.settings); err != nil {
		return err
	}
	if x.value, err = readNumber(x.stored()); err != nil {
		return err
	}
	if x.log, err = os.OpenFile(x.issued(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	defer x.log.Close()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g := grpc.NewServer(grpc.ForceServerCodecV2(remote.Raw()))
	g.RegisterService(description(), x)
	var work sync.WaitGroup
	work.Go(func() { err = errors.Join(err, g.Serve(l)) })
	x.run(ctx)
	g.Stop()
	work.Wait()
	for _, k := range x.links {
		k.close()
	}
	return errors.Join(err, x.failure)
}

// run handles events until ctx is done, or the server cannot store.
func (x *server) run(ctx context.Context) {
	protocol := peers.NewLeased(x, x.Block)
	if x.Protocol == "interleaved" {
		protocol = peers.NewInterleaved(x, uint64(x.Peers), x.Block)
	}
	tick := time.NewTicker(peers.SyncEvery)
	defer tick.Stop()
	var e env.Env // of no world: the protocol only passes it to Store
	for x.failure == nil {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			protocol.Tick(e)
		case ev := <-x.events:
			if ev.request != nil {
				x.waiting = append(x.waiting, *ev.request)
			} else {
				protocol.Receive(e, ev.from, *ev.message)
			}
		}
		x.issue(protocol, e)
	}
}

// issue replies to requests until the protocol has no identity. Each is in the log before it is sent.
func (x *server) issue(protocol peers.Protocol, e env.Env) {
	for len(x.waiting) > 0 && x.failure == nil {
		q := x.waiting[0]
		if q.ctx.Err() == nil {
			id, ok := protocol.Issue(e, q.last)
			if !ok || x.failure != nil {
				return
			}
			if _, x.failure = x.log.Write(number(id)); x.failure != nil {
				return
			}
			q.id <- id
		}
		x.waiting = x.waiting[1:]
	}
}

// Number, Stored, Store, Send and Tell make the server a host of a protocol.
func (x *server) Number() int    { return x.settings.Number }
func (x *server) Stored() uint64 { return x.value }

// Store writes a value so that it survives a kill and power loss.
func (x *server) Store(_ env.Env, value uint64) bool {
	if x.failure = x.write(x.stored(), value); x.failure != nil {
		return false
	}
	x.value = value
	return true
}

func (x *server) Send(to int, m peers.Message) {
	x.lock.Lock()
	k := x.links[to]
	x.lock.Unlock()
	if k != nil {
		k.send(m)
	}
}

func (x *server) Tell(m peers.Message) {
	for to := range x.Peers {
		if to != x.Number() {
			x.Send(to, m)
		}
	}
}

// join connects to the other peers, by their numbers.
func (x *server) join(text []byte) error {
	var others map[int]remote.Endpoint
	if err := json.Unmarshal(text, &others); err != nil {
		return err
	}
	x.lock.Lock()
	defer x.lock.Unlock()
	for n, at := range others {
		if x.links[n] != nil || n == x.Number() {
			continue
		}
		k, err := newLink(at, x.Number())
		if err != nil {
			return err
		}
		x.links[n] = k
	}
	return nil
}

// description is the service: a client asks for an identity, a peer tells something, and the parent says where the
// peers are.
func description() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{ServiceName: serviceName, HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		{MethodName: "Issue", Handler: unary(func(ctx context.Context, x *server, text []byte) ([]byte, error) {
			n, err := numbers(text, 1)
			if err != nil {
				return nil, err
			}
			q := request{ctx, n[0], make(chan uint64, 1)}
			if err := x.post(ctx, event{request: &q}); err != nil {
				return nil, err
			}
			select {
			case id := <-q.id:
				return number(id), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})},
		{MethodName: "Tell", Handler: unary(func(ctx context.Context, x *server, text []byte) ([]byte, error) {
			n, err := numbers(text, 4)
			if err != nil {
				return nil, err
			}
			m := peers.Message{Kind: int(n[1]), Number: int(n[2]), Value: n[3]}
			return nil, x.post(ctx, event{from: int(n[0]), message: &m})
		})},
		{MethodName: "Join", Handler: unary(func(_ context.Context, x *server, text []byte) ([]byte, error) {
			return nil, x.join(text)
		})},
	}}
}

// post gives an event to run.
func (x *server) post(ctx context.Context, e event) error {
	select {
	case x.events <- e:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// unary handles a call.
func unary(handle func(context.Context, *server, []byte) ([]byte, error)) grpc.MethodHandler {
	return func(x any, ctx context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var text []byte
		if err := dec(&text); err != nil {
			return nil, err
		}
		reply, err := handle(ctx, x.(*server), text)
		return reply, err
	}
}
