package messenger

import "fmt"

// Server is the state of a server: the connections of its clients, and the last message of each that it has stored. It
// is a pure value, as a [Sender] is, and not safe for concurrent use: a lock must order its calls, including the
// storing.
type Server struct {
	delivery Delivery
	store    func(client uint64, s Span) error
	sessions map[uint64]*session
}

// session is what a server knows of a client.
type session struct {
	epoch uint64 // of its connection
	mark  uint64 // the last message that is stored
}

// NewServer returns a server that starts. marks has the last stored message of each client, from the log of its earlier
// lives; it may be nil. store appends messages of a client to the log, and returns when they are durable. After an
// error of store the server must not be used any more.
func NewServer(d Delivery, marks map[uint64]uint64, store func(client uint64, s Span) error) *Server {
	s := &Server{delivery: d, store: store, sessions: map[uint64]*session{}}
	for client, mark := range marks {
		s.sessions[client] = &session{mark: mark}
	}
	return s
}

// Connect accepts a connection, which replaces earlier ones of the same client: what still arrives on those is ignored.
// An error means that the client has a later connection already; the transport closes this one.
func (s *Server) Connect(h Hello) (Welcome, error) {
	x := s.sessions[h.Client]
	if x == nil {
		x = &session{}
		s.sessions[h.Client] = x
	}
	if h.Epoch < x.epoch {
		return Welcome{}, fmt.Errorf("client %d: the connection %d is older than the connection %d", h.Client, h.Epoch,
			x.epoch)
	}
	x.epoch = h.Epoch
	return Welcome{h.Epoch, x.mark}, nil
}

// Receive stores the messages of a batch that are new, and returns what to send to the client. ok is false if there is
// nothing to send: the connection is not the latest one of the client, or nothing was stored. With at-least-once
// delivery a batch that does not follow on what is stored is not stored, so that the log has no gap. An error is one of
// store, or means that the batch is invalid: the transport must close the connection.
func (s *Server) Receive(b Batch) (a Ack, ok bool, err error) {
	if b.Len() == 0 {
		return Ack{}, false, fmt.Errorf("client %d: a batch without messages: %d to %d", b.Client, b.From, b.To)
	}
	x := s.sessions[b.Client]
	if x == nil || x.epoch != b.Epoch {
		return Ack{}, false, nil
	}

	fresh := Span{max(b.From, x.mark+1), b.To}
	if s.delivery == AtLeastOnce && fresh.From > x.mark+1 {
		fresh = Span{}
	}
	if fresh.Len() > 0 {
		if err := s.store(b.Client, fresh); err != nil {
			return Ack{}, false, fmt.Errorf("client %d: storing messages %d to %d: %w", b.Client, fresh.From, fresh.To,
				err)
		}
		x.mark = fresh.To
	}

	if s.delivery == AtLeastOnce {
		return Ack{b.Epoch, Span{1, x.mark}}, x.mark > 0, nil
	}
	return Ack{b.Epoch, fresh}, fresh.Len() > 0, nil
}
