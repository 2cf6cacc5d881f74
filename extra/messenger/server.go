package messenger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/brewput/brewput/catalog/messenger"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/internal/calibrate"
)

// serverName is the name of the server of messages.
const serverName = "messenger"

// Server returns the server of messages, which the designs start as a process of its own.
func Server() remote.Server { return remote.Server{Name: serverName, Serve: serve} }

// arguments are those of the server.
type arguments struct {
	Transport string // grpc, connect, drpc or tcp
	Delivery  messenger.Delivery
	Parallel  bool // handle each message of a stream in a goroutine of its own
	Size      int  // of a message, in bytes
	Work      time.Duration
	Log       string // path
	Records   int    // the most that the log can get
}

// gcPercent is the GOGC of the server. It keeps little memory, so that collections would be frequent otherwise.
const gcPercent = 400

// serve serves with the transport of the arguments.
func serve(ctx context.Context, l net.Listener, args json.RawMessage) error {
	var a arguments
	if err := json.Unmarshal(args, &a); err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	h, err := newHandler(a)
	if err != nil {
		return err
	}
	serve, ok := map[string]func(context.Context, net.Listener, *handler) error{
		"grpc": serveGRPC, "connect": serveConnect, "drpc": serveDRPC, "tcp": serveTCP,
	}[a.Transport]
	if !ok {
		return fmt.Errorf("there is no transport %q", a.Transport)
	}
	return errors.Join(serve(ctx, l, h), h.close())
}

// handler handles the transmissions of all connections. It is safe for concurrent use.
type handler struct {
	size     int
	spins    uint64 // the work of a message, in iterations of live.Spin
	parallel bool

	lock  sync.Mutex // protects what follows
	state *messenger.Server
	log   *log // nil: it is closed
}

// newHandler opens the log, and continues after what it has.
func newHandler(a arguments) (*handler, error) {
	h := &handler{size: a.Size, parallel: a.Parallel}
	if a.Work > 0 {
		h.spins = uint64(float64(a.Work) / calibrate.Probe(1)) // the probe is the time of an iteration in ns
	}
	l, stored, err := openLog(a.Log, a.Records)
	if err != nil {
		return nil, err
	}
	h.log = l
	h.state = messenger.NewServer(a.Delivery, stored.Marks(), l.store)
	return h, nil
}

// close closes the log.
func (h *handler) close() error {
	h.lock.Lock()
	defer h.lock.Unlock()
	l := h.log
	h.log = nil
	return l.close()
}

// handle handles a transmission, and appends the reply to it to reply. reply stays as it is if there is none. After an
// error the connection must be closed.
func (h *handler) handle(b, reply []byte) ([]byte, error) {
	f, err := h.parse(b)
	if err != nil {
		return reply, err
	}
	h.work(f)
	return h.answer(f, reply)
}

// parse decodes and checks a transmission.
func (h *handler) parse(b []byte) (frame, error) {
	f, err := decode(b)
	if err == nil && f.kind == kindBatch {
		err = f.verify(h.size)
	}
	return f, err
}

// work does the work of the messages of a transmission.
func (h *handler) work(f frame) {
	if f.kind == kindBatch && h.spins > 0 {
		runtime.KeepAlive(live.Spin(h.spins * uint64(f.batch.Len())))
	}
}

// answer stores the messages of a transmission, and appends the reply.
func (h *handler) answer(f frame, reply []byte) ([]byte, error) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.log == nil {
		return reply, errors.New("the server ends")
	}
	switch f.kind {
	case kindHello:
		w, err := h.state.Connect(f.hello)
		return appendWelcome(reply, w), err
	case kindBatch:
		a, ok, err := h.state.Receive(f.batch)
		if err != nil || !ok {
			return reply, err
		}
		return appendAck(reply, a), nil
	}
	return reply, fmt.Errorf("a server received a transmission of kind %q", f.kind)
}

// call is handle for a transport that must reply.
func (h *handler) call(b, reply []byte) ([]byte, error) {
	reply, err := h.handle(b, reply)
	if err == nil && len(reply) == 0 {
		reply = append(reply, kindNothing)
	}
	return reply, err
}
