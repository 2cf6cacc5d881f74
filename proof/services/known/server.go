// Package known is a server of known behaviour over HTTP: a FIFO queue before equal servers, with service times drawn
// by a seed and pauses at known times. It logs when each request reached its host, when it joined the queue, and how
// long its service took, so that the true response times follow by [model.KieferWolfowitz].
package known

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/internal/rxtime"
)

// Handler is the server. Its paths are:
//
//	/serve/N  request number N waits in the queue and is served; with the status 503 if the log is full
//	/serve    the same for a client that cannot number its requests; the number is that of the arrivals so far
//	/begin    begins a new epoch of the log and replies at once
//	/fast     replies at once
//	/log      the log so far: see [ReadLog]
//	/most     the largest number of connections that were open at the same time, as a decimal number
//
// All replies except the last two are "ok" with a line feed. A handler is for one [http.Server], whose ConnContext and
// ConnState it needs: see [New].
type Handler struct {
	queue  *queue
	number atomic.Uint64

	mu         sync.Mutex
	open, most int // connections
}

// New returns a server that logs the requests to it. Give it a listener.
func New(c Config) (*http.Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	h := &Handler{queue: newQueue(c)}
	mux := http.NewServeMux()
	mux.HandleFunc("/serve/{number}", h.numbered)
	mux.HandleFunc("/serve", func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, h.number.Add(1)) })
	mux.HandleFunc("/begin", func(w http.ResponseWriter, r *http.Request) { h.queue.begin(); reply(w) })
	mux.HandleFunc("/fast", func(w http.ResponseWriter, r *http.Request) { reply(w) })
	mux.HandleFunc("/log", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		h.queue.snapshot().write(w) // an error means that the client is gone
	})
	mux.HandleFunc("/most", func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		fmt.Fprint(w, h.most)
	})
	return &http.Server{
		Handler:   mux,
		ConnState: h.connection,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}, nil
}

// connection counts the connections that are open.
func (h *Handler) connection(_ net.Conn, now http.ConnState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch now {
	case http.StateNew:
		h.open++
		h.most = max(h.most, h.open)
	case http.StateClosed:
		h.open--
	}
}

// Listen returns a listener for a server of [New], which notes when requests reach this host.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return listener{l}, nil
}

// numbered serves a request whose path has its number.
func (h *Handler) numbered(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.ParseUint(r.PathValue("number"), 10, 64)
	if err != nil {
		http.Error(w, fmt.Sprintf("%q is no number of a request", r.PathValue("number")), http.StatusBadRequest)
		return
	}
	h.serve(w, r, n)
}

// serve serves a request by the queue.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, number uint64) {
	c, _ := r.Context().Value(connKey{}).(*conn)
	received := h.queue.now()
	if c != nil {
		received -= time.Since(c.Last())
	}
	index, err := h.queue.serve(number, received)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	reply(w)
	if f, ok := w.(http.Flusher); ok && c != nil {
		f.Flush()
		h.queue.written(index, h.queue.now()-time.Since(*c.written.Load()))
	}
}

// reply writes the reply.
func reply(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "3")
	w.Write([]byte("ok\n"))
}

// connKey is the key of the connection in the context of a request.
type connKey struct{}

// listener accepts connections that note when requests reach this host.
type listener struct{ net.Listener }

// Accept waits for a connection.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	noted := &conn{Conn: rxtime.New(c)}
	now := time.Now()
	noted.written.Store(&now)
	return noted, nil
}

// conn is a connection that notes when the last bytes that were read reached this host, and when it was last written.
type conn struct {
	*rxtime.Conn
	written atomic.Pointer[time.Time]
}

// Write writes to the connection. It notes the time before that, because the reader may be faster than its return.
func (c *conn) Write(b []byte) (int, error) {
	now := time.Now()
	c.written.Store(&now)
	return c.Conn.Write(b)
}
