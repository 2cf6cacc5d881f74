package messenger

import (
	"cmp"
	"fmt"
	"slices"
)

// Ledger is a list of what happened to messages, by client and in order: the final states that a client gave them, or
// those that a server stored. The zero Ledger is empty. It is not safe for concurrent use.
type Ledger struct{ entries map[uint64][]entry }

// entry is what happened to messages of a client.
type entry struct {
	Span
	state State
}

// Add appends messages with their state. The messages that a server stores have the state [Acknowledged].
func (l *Ledger) Add(client uint64, s Span, state State) {
	if s.Len() == 0 {
		return
	}
	if l.entries == nil {
		l.entries = map[uint64][]entry{}
	}
	list := l.entries[client]
	if k := len(list) - 1; k >= 0 && list[k].state == state && list[k].To+1 == s.From {
		list[k].To = s.To
		return
	}
	l.entries[client] = append(list, entry{s, state})
}

// merge appends the entries of another ledger.
func (l *Ledger) merge(other *Ledger) {
	for client, list := range other.entries {
		for _, e := range list {
			l.Add(client, e.Span, e.state)
		}
	}
}

// Marks returns the last message of each client.
func (l *Ledger) Marks() map[uint64]uint64 {
	marks := map[uint64]uint64{}
	for client, list := range l.entries {
		for _, e := range list {
			marks[client] = max(marks[client], e.To)
		}
	}
	return marks
}

// Totals counts messages.
type Totals struct {
	Messages, Acknowledged, NotSent, Unknown int64
	Stored                                   int64 // in the log of the server
}

// Audit compares the states that clients gave to their messages with the log of the server. sent has the number of
// messages of each client, settled their states, and stored the log. It returns an error unless
//
//   - each message has exactly one state,
//   - the log has each message at most once, those of a client in order, and with at-least-once delivery without a gap,
//   - the log has each acknowledged message, and none that was not sent, of whatever client.
func Audit(d Delivery, sent map[uint64]uint64, settled, stored *Ledger) (Totals, error) {
	t := Totals{}
	for _, l := range []*Ledger{settled, stored} {
		for client := range l.entries {
			if _, ok := sent[client]; !ok {
				return t, fmt.Errorf("there is no client %d", client)
			}
		}
	}
	clients := make([]uint64, 0, len(sent))
	for client := range sent {
		clients = append(clients, client)
	}
	slices.Sort(clients)
	for _, client := range clients {
		if err := t.audit(d, client, sent[client], settled.entries[client], stored.entries[client]); err != nil {
			return t, fmt.Errorf("client %d: %w", client, err)
		}
	}
	return t, nil
}

// Complete returns an error if less was delivered than must be: with at-least-once delivery each message is
// acknowledged, and if nothing fails each is stored. faulty says that there were faults, or that the network lost
// transmissions.
func (t Totals) Complete(d Delivery, faulty bool) error {
	switch {
	case d == AtLeastOnce && t.Acknowledged != t.Messages:
		return fmt.Errorf("%d of %d messages are acknowledged, and delivery is %v", t.Acknowledged, t.Messages, d)
	case !faulty && t.Stored != t.Messages:
		return fmt.Errorf("the server has %d of %d messages, and there were no faults", t.Stored, t.Messages)
	}
	return nil
}

// audit audits the n messages of a client.
func (t *Totals) audit(d Delivery, client, n uint64, settled, stored []entry) error {
	states := slices.Clone(settled)
	slices.SortStableFunc(states, func(a, b entry) int { return cmp.Compare(a.From, b.From) })
	next := uint64(1)
	for _, e := range states {
		switch {
		case e.state == Pending:
			return fmt.Errorf("message %d has no final state", e.From)
		case e.From < next:
			return fmt.Errorf("message %d has two states, one of them %q", e.From, e.state)
		case e.From > next:
			return fmt.Errorf("message %d has no state", next)
		}
		next = e.To + 1
		t.add(e)
	}
	if next != n+1 {
		return fmt.Errorf("messages 1 to %d have a state, and there are %d messages", next-1, n)
	}

	last := uint64(0)
	for _, e := range stored {
		switch {
		case e.From <= last:
			return fmt.Errorf("message %d is in the log after message %d", e.From, last)
		case d == AtLeastOnce && e.From != last+1:
			return fmt.Errorf("message %d is missing in the log before message %d", last+1, e.From)
		case e.To > n:
			return fmt.Errorf("message %d is in the log, and there are %d messages", e.To, n)
		}
		last = e.To
		t.Stored += int64(e.Len())
	}
	return agree(states, stored)
}

// add counts the messages of an entry by their state.
func (t *Totals) add(e entry) {
	n := int64(e.Len())
	t.Messages += n
	switch e.state {
	case Acknowledged:
		t.Acknowledged += n
	case NotSent:
		t.NotSent += n
	default:
		t.Unknown += n
	}
}

// agree compares the states of messages with the log. Both are in order and without overlaps.
func agree(states, stored []entry) error {
	for _, e := range states {
		in := uint64(0) // messages of e in the log
		first := e.From // the first message of e that is not in the log
		for len(stored) > 0 && stored[0].From <= e.To {
			part := Span{max(stored[0].From, e.From), min(stored[0].To, e.To)}
			in += uint64(part.Len())
			if part.From == first {
				first = part.To + 1
			}
			if e.state == NotSent && part.Len() > 0 {
				return fmt.Errorf("message %d was not sent, and is in the log", part.From)
			}
			if stored[0].To > e.To {
				break
			}
			stored = stored[1:]
		}
		if e.state == Acknowledged && in != uint64(e.Len()) {
			return fmt.Errorf("message %d is acknowledged, and not in the log", first)
		}
	}
	return nil
}
