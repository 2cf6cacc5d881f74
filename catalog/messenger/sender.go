package messenger

import (
	"fmt"
	"slices"
)

// Sender is the state of a client's messages. It is a pure value: it starts no goroutine, reads no clock and knows no
// connection. It is not safe for concurrent use: a transport that sends and listens in two goroutines needs a lock.
type Sender struct {
	client   uint64
	delivery Delivery
	window   int
	settled  func(Span, State)

	added  uint64 // messages so far
	sent   uint64 // the last message that was sent in this epoch, or that need not be sent again
	most   uint64 // the last message that was ever sent
	acked  uint64 // at-least-once: messages that are acknowledged
	flying []Span // in flight, in order, without empty spans
	count  int    // of messages in flight
	epoch  uint64
	online bool
	closed bool
}

// NewSender returns a sender of a client without messages and without connection. At most window messages are in
// flight at once; 0 means no limit. settled is called once for each message, when it gets its final state; it may be
// nil.
func NewSender(client uint64, d Delivery, window int, settled func(Span, State)) *Sender {
	if settled == nil {
		settled = func(Span, State) {}
	}
	return &Sender{client: client, delivery: d, window: window, settled: settled}
}

// Add queues n new messages and returns their numbers. The transport keeps the payload of a message until that is
// settled.
func (s *Sender) Add(n int) Span {
	from := s.added + 1
	s.added += uint64(n)
	return Span{from, s.added}
}

// Connect begins a new attempt to connect, and returns what the transport sends first. Messages in flight on an earlier
// connection are treated as by [Sender.Broken].
func (s *Sender) Connect() Hello {
	s.Broken()
	s.epoch++
	return Hello{s.client, s.epoch}
}

// Resume continues with the server's reply. With at-least-once delivery the mark acknowledges all messages up to it,
// and those after it are sent again. With at-most-once delivery the mark has no meaning, because earlier messages may
// be missing. A reply to an earlier attempt is ignored. An error means that the server has lost messages, or invented
// some.
func (s *Sender) Resume(w Welcome) error {
	if w.Epoch != s.epoch || s.online || s.closed {
		return nil
	}
	if s.delivery == AtLeastOnce {
		if w.Mark < s.acked {
			return fmt.Errorf("client %d: the server has acknowledged message %d, and resumes after message %d",
				s.client, s.acked, w.Mark)
		}
		if w.Mark > s.most {
			return fmt.Errorf("client %d: the server resumes after message %d, and only %d were sent", s.client,
				w.Mark, s.most)
		}
		s.settle(w.Mark)
		s.sent = w.Mark
	}
	s.online = true
	return nil
}

// Online reports whether messages can be sent.
func (s *Sender) Online() bool { return s.online }

// Sendable returns the number of messages that [Sender.Send] would return if it had no limit.
func (s *Sender) Sendable() int {
	if !s.online {
		return 0
	}
	n := int(s.added - s.sent)
	if s.window > 0 {
		n = min(n, s.window-s.count)
	}
	return n
}

// Unsent returns the number of messages that are queued and not in flight.
func (s *Sender) Unsent() int { return int(s.added - s.sent) }

// InFlight returns the number of messages that were sent on this connection and are not acknowledged.
func (s *Sender) InFlight() int { return s.count }

// Send returns the next messages to send in one transmission, at most limit. They are in flight from now on, so a
// transport that cannot send them must call [Sender.Broken]. ok is false if there is none, or no connection, or if the
// window is full.
func (s *Sender) Send(limit int) (b Batch, ok bool) {
	n := min(limit, s.Sendable())
	if n <= 0 {
		return Batch{}, false
	}
	span := Span{s.sent + 1, s.sent + uint64(n)}
	s.sent = span.To
	s.most = max(s.most, s.sent)
	s.count += n
	if k := len(s.flying) - 1; k >= 0 && s.flying[k].To+1 == span.From {
		s.flying[k].To = span.To
	} else {
		s.flying = append(s.flying, span)
	}
	return Batch{s.client, s.epoch, span}, true
}

// Acked records acknowledgements, and returns the number of messages that they settle. Those of an earlier connection
// are ignored. An error means that the server acknowledges messages that were not sent.
func (s *Sender) Acked(a Ack) (int, error) {
	if a.Epoch != s.epoch || !s.online || a.Len() == 0 {
		return 0, nil
	}
	if a.To > s.sent {
		return 0, fmt.Errorf("client %d: the server acknowledges message %d, and only %d were sent", s.client, a.To,
			s.sent)
	}
	before := s.count
	if s.delivery == AtLeastOnce {
		s.settle(a.To)
	} else {
		s.remove(a.Span)
	}
	return before - s.count, nil
}

// settle acknowledges all messages up to one. Some may be in flight.
func (s *Sender) settle(to uint64) {
	if to <= s.acked {
		return
	}
	s.settled(Span{s.acked + 1, to}, Acknowledged)
	s.acked = to
	for len(s.flying) > 0 && s.flying[0].From <= to {
		f := &s.flying[0]
		end := min(f.To, to)
		s.count -= Span{f.From, end}.Len()
		if end < f.To {
			f.From = end + 1
			break
		}
		s.flying = slices.Delete(s.flying, 0, 1)
	}
}

// remove acknowledges the messages of a span that are in flight.
func (s *Sender) remove(a Span) {
	for i := 0; i < len(s.flying) && s.flying[i].From <= a.To; {
		f := s.flying[i]
		part := Span{max(f.From, a.From), min(f.To, a.To)}
		if part.Len() == 0 {
			i++
			continue
		}
		s.settled(part, Acknowledged)
		s.count -= part.Len()
		before, after := Span{f.From, part.From - 1}, Span{part.To + 1, f.To}
		switch {
		case before.Len() > 0 && after.Len() > 0:
			s.flying[i] = before
			s.flying = slices.Insert(s.flying, i+1, after)
			return
		case before.Len() > 0:
			s.flying[i] = before
			i++
		case after.Len() > 0:
			s.flying[i] = after
			return
		default:
			s.flying = slices.Delete(s.flying, i, i+1)
		}
	}
}

// Broken records that the connection broke, or that the transport gave it up. With at-most-once delivery the messages
// in flight are [Unknown] from now on; with at-least-once delivery they are queued again. A second call has no effect.
func (s *Sender) Broken() {
	s.online = false
	if s.delivery == AtMostOnce {
		for _, f := range s.flying {
			s.settled(f, Unknown)
		}
	} else {
		s.sent = s.acked
	}
	s.flying, s.count = s.flying[:0], 0
}

// Done reports whether all messages that were added have their final state.
func (s *Sender) Done() bool {
	return s.closed || s.count == 0 && s.sent == s.added && (s.delivery == AtMostOnce || s.acked == s.added)
}

// Close gives up: messages that were ever sent and are not acknowledged are [Unknown], and the others [NotSent]. A
// second call has no effect.
func (s *Sender) Close() {
	if s.closed {
		return
	}
	s.Broken()
	s.closed = true
	last := s.sent
	if s.delivery == AtLeastOnce && s.most > s.acked {
		s.settled(Span{s.acked + 1, s.most}, Unknown)
		last = s.most
	}
	if rest := (Span{last + 1, s.added}); rest.Len() > 0 {
		s.settled(rest, NotSent)
	}
}
