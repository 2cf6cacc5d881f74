package messenger

// Delivery is what happens to a message whose connection breaks before it is acknowledged.
type Delivery int

// The ways of delivery.
const (
	// AtMostOnce never sends a message again: it becomes [Unknown].
	AtMostOnce Delivery = iota
	// AtLeastOnce sends it again on the next connection, unless the mark of the server shows that the server has it.
	// The server stores it once.
	AtLeastOnce
)

// ParseDelivery returns the way of delivery for "at-most-once" and "at-least-once".
func ParseDelivery(s string) (d Delivery, ok bool) {
	for d := AtMostOnce; d <= AtLeastOnce; d++ {
		if s == d.String() {
			return d, true
		}
	}
	return 0, false
}

// String returns "at-most-once" or "at-least-once".
func (d Delivery) String() string { return [...]string{"at-most-once", "at-least-once"}[d] }

// State is what became of a message.
type State uint8

// The states. Each message ends in exactly one of the last three.
const (
	Pending      State = iota // it is queued or in flight
	Acknowledged              // the server has stored it
	NotSent                   // it was never sent, so the server does not have it
	Unknown                   // it was sent, and its connection broke before an acknowledgement
)

// String returns the word that errors use.
func (s State) String() string {
	return [...]string{"pending", "acknowledged", "not sent", "unknown"}[s]
}

// Span is the messages From to To of a client, both included. A client numbers its messages from 1 in the order in
// which it sends them. The zero Span is empty.
type Span struct{ From, To uint64 }

// Len returns the number of messages.
func (s Span) Len() int {
	if s.From == 0 || s.To < s.From {
		return 0
	}
	return int(s.To - s.From + 1)
}

// Hello is what a client sends first on a connection. Each attempt of a client to connect has a higher epoch.
type Hello struct{ Client, Epoch uint64 }

// Welcome is the server's reply to a [Hello]. The Mark is the last message of the client that it has stored, or 0.
type Welcome struct{ Epoch, Mark uint64 }

// Batch is one transmission of messages to the server.
type Batch struct {
	Client, Epoch uint64
	Span
}

// Ack is one transmission of acknowledgements to a client. With at-least-once delivery it acknowledges all messages up
// to To.
type Ack struct {
	Epoch uint64
	Span
}
