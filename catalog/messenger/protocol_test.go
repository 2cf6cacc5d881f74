package messenger

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// network is clients and a server with a network that a script drives: it delays, loses and repeats whatever it likes,
// but keeps the order of a connection.
type network struct {
	delivery Delivery
	senders  []*Sender // by client - 1
	added    map[uint64]uint64
	settled  Ledger
	server   *Server
	log      Ledger
	full     bool // storing fails
	wires    []*wire
	err      error

	fault fault
}

// wire is a connection: what is on its way in both directions.
type wire struct {
	client uint64
	hello  *Hello
	up     []Batch
	down   []reply
	last   Batch // that arrived at the server
}

// fault is an error of an implementation that the check must find.
type fault int

const (
	none        fault = iota
	forgets           // a server that starts again does not read its log
	neverStores       // a server acknowledges messages and loses them
	resends           // a client sends messages again although it must not
	mistakes          // a client takes unknown messages for acknowledged ones
	unfenced          // a server does not refuse what arrives on earlier connections
)

func newScript(d Delivery, clients, window int, f fault) *network {
	n := &network{delivery: d, added: map[uint64]uint64{}, fault: f}
	for i := range clients {
		client := uint64(i + 1)
		n.added[client] = 0
		n.senders = append(n.senders, NewSender(client, d, window, func(s Span, state State) {
			if f == mistakes && state == Unknown {
				state = Acknowledged
			}
			n.settled.Add(client, s, state)
		}))
	}
	n.start()
	return n
}

// start starts the server.
func (n *network) start() {
	marks := n.log.Marks()
	if n.fault == forgets {
		marks = nil
	}
	n.full = false
	n.server = NewServer(n.delivery, marks, func(client uint64, s Span) error {
		if n.full {
			return errors.New("no space left on device")
		}
		if n.fault != neverStores {
			n.log.Add(client, s, Acknowledged)
		}
		return nil
	})
}

// connect begins a connection.
func (n *network) connect(s *Sender) {
	h := s.Connect()
	n.wires = append(n.wires, &wire{client: h.Client, hello: &h})
}

// send sends on the latest connection of a client.
func (n *network) send(s *Sender, limit int) {
	b, ok := s.Send(limit)
	for i := len(n.wires) - 1; ok && i >= 0; i-- {
		if w := n.wires[i]; w.client == b.Client {
			w.up = append(w.up, b)
			return
		}
	}
}

// toServer delivers what is next on the way to the server.
func (n *network) toServer(w *wire) {
	switch {
	case w.hello != nil:
		if welcome, err := n.server.Connect(*w.hello); err == nil {
			w.down = append(w.down, reply{Ack: Ack{Epoch: welcome.Epoch}, mark: welcome.Mark})
		}
		w.hello = nil
	case len(w.up) > 0:
		b := w.up[0]
		w.up, w.last = w.up[1:], b
		if x := n.server.sessions[b.Client]; n.fault == unfenced && x != nil {
			x.epoch = b.Epoch
			x.mark = min(x.mark, b.From-1)
		}
		a, ok, err := n.server.Receive(b)
		if err != nil {
			n.start()
		}
		if ok {
			w.down = append(w.down, reply{Ack: a})
		}
	}
}

// toClient delivers what is next on the way to the client.
func (n *network) toClient(w *wire) {
	if len(w.down) == 0 || n.err != nil {
		return
	}
	r, s := w.down[0], n.senders[w.client-1]
	w.down = w.down[1:]
	if r.Len() == 0 {
		n.err = s.Resume(Welcome{r.Epoch, r.mark})
		return
	}
	before := s.InFlight()
	settled, err := s.Acked(r.Ack)
	if n.err = err; settled != before-s.InFlight() {
		n.err = errors.New("Acked returns another number than the messages that are no longer in flight")
	}
}

// broken breaks the connection of a client.
func (n *network) broken(s *Sender) {
	if n.fault == resends && n.delivery == AtMostOnce && len(s.flying) > 0 {
		s.sent = s.flying[0].From - 1
	}
	s.Broken()
}

// step does what two bytes of a script say.
func (n *network) step(what, which byte) {
	s := n.senders[int(which)%len(n.senders)]
	var w *wire
	if len(n.wires) > 0 {
		w = n.wires[len(n.wires)-1-int(which)%min(3, len(n.wires))] // one of the latest
	}
	switch what % 16 {
	case 0, 1:
		span := s.Add(1 + int(which)%3)
		n.added[s.client] = span.To
	case 2:
		n.connect(s)
	case 3, 4, 5:
		n.send(s, 1+int(which)/16)
	case 6, 7, 8:
		if w != nil {
			n.toServer(w)
		}
	case 9, 10, 11:
		if w != nil {
			n.toClient(w)
		}
	case 12:
		n.broken(s)
	case 13:
		n.start()
	case 14:
		if w != nil && len(w.up) > 0 { // lost
			w.up = w.up[1:]
		}
		n.full = which%4 == 0
	case 15:
		switch {
		case w != nil && which%8 < 3 && w.last.Len() > 0: // repeated
			w.up = append(w.up, w.last)
		case w != nil && len(w.down) > 0: // lost
			w.down = w.down[1:]
		}
	}
}

// finish ends all faults, lets the clients send the rest unless they give up, and audits both logs.
func (n *network) finish(giveUp bool) (Totals, error) {
	n.full = false
	for _, s := range n.senders {
		if !giveUp {
			n.connect(s)
		}
		for w := n.wires[max(0, len(n.wires)-1):]; !giveUp && !s.Done() && n.err == nil; {
			before := n.settled.Marks()[s.client] + uint64(len(w[0].up)+len(w[0].down))
			n.toServer(w[0])
			n.toClient(w[0])
			n.send(s, 3)
			if w[0].hello == nil && len(w[0].up)+len(w[0].down) == 0 && n.settled.Marks()[s.client] == before &&
				!s.Done() {
				return Totals{}, errors.New("the client makes no progress")
			}
		}
		s.Close()
		s.Close()
		if s.InFlight() != 0 || !s.Done() {
			return Totals{}, errors.New("messages are in flight after Close")
		}
	}
	if n.err != nil {
		return Totals{}, n.err
	}
	return Audit(n.delivery, n.added, &n.settled, &n.log)
}

// run runs a script of two bytes a step.
func run(script []byte, d Delivery, clients, window int, giveUp bool, f fault) (Totals, error) {
	n := newScript(d, clients, window, f)
	for ; len(script) >= 2; script = script[2:] {
		n.step(script[0], script[1])
		for _, s := range n.senders {
			if window > 0 && s.InFlight() > window {
				return Totals{}, errors.New("more messages are in flight than the window allows")
			}
		}
	}
	return n.finish(giveUp)
}

// random returns a script.
func random(seed uint64) (script []byte, clients, window int) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2 * (20 + r.IntN(400)) {
		script = append(script, byte(r.Uint32()))
	}
	return script, 1 + r.IntN(3), r.IntN(5)
}

// TestScripts checks random networks, which lose, delay and crash what they like.
func TestScripts(t *testing.T) {
	var all Totals
	for seed := range uint64(4000) {
		script, clients, window := random(seed)
		d, giveUp := Delivery(seed%2), seed%8 >= 6
		totals, err := run(script, d, clients, window, giveUp, none)
		if err != nil {
			t.Fatalf("seed %d, %v: %v", seed, d, err)
		}
		if d == AtLeastOnce && !giveUp && (totals.Acknowledged != totals.Messages || totals.Stored != totals.Messages) {
			t.Fatalf("seed %d, %v: %+v", seed, d, totals)
		}
		all.Acknowledged += totals.Acknowledged
		all.NotSent += totals.NotSent
		all.Unknown += totals.Unknown
	}
	if all.Acknowledged < 1000 || all.NotSent < 1000 || all.Unknown < 1000 {
		t.Errorf("too few messages end in some state: %+v", all)
	}
}

// TestFaults checks that the audit finds errors of an implementation.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault    fault
		delivery Delivery
		want     string
	}{
		{forgets, AtMostOnce, ""}, // nothing is sent again, so the marks are not needed
		{forgets, AtLeastOnce, " "},
		{neverStores, AtMostOnce, "is acknowledged, and not in the log"},
		{neverStores, AtLeastOnce, "is acknowledged, and not in the log"},
		{resends, AtMostOnce, " has two states"},
		{mistakes, AtMostOnce, "is acknowledged, and not in the log"},
		{unfenced, AtMostOnce, " is in the log after message "},
		{unfenced, AtLeastOnce, " "},
	} {
		found := ""
		for seed := uint64(0); seed < 2000 && found == ""; seed++ {
			script, clients, window := random(seed)
			if _, err := run(script, c.delivery, clients, window, false, c.fault); err != nil {
				found = err.Error()
			}
		}
		if !strings.Contains(found, c.want) || (found == "") != (c.want == "") {
			t.Errorf("fault %d, %v: %q", c.fault, c.delivery, found)
		}
	}
}

func FuzzScripts(f *testing.F) {
	for seed := range uint64(8) {
		script, clients, window := random(seed)
		f.Add(script, seed%2 == 0, byte(clients), byte(window), seed%4 == 0)
	}
	f.Fuzz(func(t *testing.T, script []byte, once bool, clients, window byte, giveUp bool) {
		d := AtLeastOnce
		if once {
			d = AtMostOnce
		}
		if _, err := run(script, d, 1+int(clients)%4, int(window), giveUp, none); err != nil {
			t.Error(err)
		}
	})
}

// TestAudit checks each sentence of its contract.
func TestAudit(t *testing.T) {
	ledger := func(entries ...entry) *Ledger {
		l := &Ledger{}
		for _, e := range entries {
			l.Add(1, e.Span, e.state)
		}
		return l
	}
	is := func(from, to uint64, s State) entry { return entry{Span{from, to}, s} }
	right := ledger(is(1, 3, Acknowledged), is(4, 4, Unknown), is(6, 6, NotSent), is(5, 5, Unknown))
	for _, c := range []struct {
		settled, stored *Ledger
		delivery        Delivery
		want            string
	}{
		{right, ledger(is(1, 3, Acknowledged)), AtLeastOnce, ""},
		{right, ledger(is(1, 3, Acknowledged), is(5, 5, Acknowledged)), AtMostOnce, ""},
		{right, ledger(is(1, 3, Acknowledged), is(5, 5, Acknowledged)), AtLeastOnce, "message 4 is missing in the log"},
		{right, ledger(is(1, 2, Acknowledged)), AtMostOnce, "message 3 is acknowledged, and not in the log"},
		{right, ledger(is(2, 3, Acknowledged)), AtMostOnce, "message 1 is acknowledged, and not in the log"},
		{right, ledger(is(1, 3, Acknowledged), is(6, 6, Acknowledged)), AtMostOnce, "message 6 was not sent"},
		{right, ledger(is(1, 3, Acknowledged), is(3, 4, Acknowledged)), AtMostOnce, "message 3 is in the log after"},
		{right, ledger(is(1, 1, Acknowledged), is(3, 3, Acknowledged), is(2, 2, Acknowledged)), AtMostOnce,
			"message 2 is in the log after message 3"},
		{right, ledger(is(1, 7, Acknowledged)), AtMostOnce, "message 7 is in the log, and there are 6"},
		{ledger(is(1, 5, Acknowledged)), ledger(is(1, 6, Acknowledged)), AtMostOnce, "messages 1 to 5 have a state"},
		{ledger(is(1, 3, Acknowledged), is(5, 6, Unknown)), ledger(is(1, 3, Acknowledged)), AtMostOnce,
			"message 4 has no state"},
		{ledger(is(1, 6, Acknowledged), is(5, 5, Unknown)), ledger(is(1, 6, Acknowledged)), AtMostOnce,
			"message 5 has two states"},
		{ledger(is(1, 6, Pending)), ledger(), AtMostOnce, "message 1 has no final state"},
		{&Ledger{}, &Ledger{entries: map[uint64][]entry{2: nil}}, AtMostOnce, "there is no client 2"},
	} {
		_, err := Audit(c.delivery, map[uint64]uint64{1: 6}, c.settled, c.stored)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.stored.entries, err, c.want)
		}
	}
}

// TestResend checks what a client and a server make of a connection that breaks, where the logs do not show it.
func TestResend(t *testing.T) {
	states := &Ledger{}
	s := NewSender(1, AtLeastOnce, 0, func(s Span, state State) { states.Add(1, s, state) })
	s.Add(6)
	first := s.Connect()
	if err := s.Resume(Welcome{Epoch: first.Epoch}); err != nil {
		t.Fatal(err)
	}
	s.Send(4)
	s.Broken()
	if s.Online() || s.Unsent() != 6 || s.InFlight() != 0 || s.Sendable() != 0 {
		t.Errorf("after a connection broke: %+v", *s)
	}
	second := s.Connect()
	if err := s.Resume(Welcome{second.Epoch, 1}); err != nil || s.Sendable() != 5 {
		t.Error(err, s.Sendable())
	}
	s.Send(1)
	if n, err := s.Acked(Ack{first.Epoch, Span{1, 2}}); n != 0 || err != nil {
		t.Errorf("an acknowledgement of an earlier connection settles %d messages: %v", n, err)
	}
	s.Close()
	want := []entry{{Span{1, 1}, Acknowledged}, {Span{2, 4}, Unknown}, {Span{5, 6}, NotSent}}
	if got := states.entries[1]; !slices.Equal(got, want) {
		t.Errorf("the states are %v, want %v", got, want)
	}

	stored := 0
	server := NewServer(AtMostOnce, nil, func(_ uint64, s Span) error {
		stored += s.Len()
		return nil
	})
	for _, h := range []Hello{first, second} {
		if _, err := server.Connect(h); err != nil {
			t.Error(err)
		}
	}
	if _, ok, err := server.Receive(Batch{1, first.Epoch, Span{1, 2}}); ok || err != nil || stored != 0 {
		t.Errorf("the server stores %d messages of an earlier connection: %v", stored, err)
	}
}

// TestRefusals checks what both sides refuse of the other.
func TestRefusals(t *testing.T) {
	sender := func(acked int) *Sender {
		s := NewSender(1, AtLeastOnce, 0, nil)
		s.Add(5)
		h := s.Connect()
		if err := s.Resume(Welcome{Epoch: h.Epoch}); err != nil {
			t.Fatal(err)
		}
		s.Send(4)
		if n, err := s.Acked(Ack{h.Epoch, Span{1, uint64(acked)}}); n != acked || err != nil {
			t.Fatal(n, err)
		}
		return s
	}
	refused := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	s := sender(2)
	_, err := s.Acked(Ack{1, Span{1, 5}})
	refused(err, "acknowledges message 5, and only 4 were sent")
	refused(s.Resume(Welcome{s.Connect().Epoch, 1}), "has acknowledged message 2, and resumes after message 1")
	s = sender(2)
	refused(s.Resume(Welcome{s.Connect().Epoch, 5}), "resumes after message 5, and only 4 were sent")

	server := NewServer(AtMostOnce, nil, func(uint64, Span) error { return errors.New("broken disk") })
	if _, err := server.Connect(Hello{1, 2}); err != nil {
		t.Fatal(err)
	}
	_, err = server.Connect(Hello{1, 1})
	refused(err, "the connection 1 is older than the connection 2")
	_, _, err = server.Receive(Batch{1, 2, Span{3, 2}})
	refused(err, "a batch without messages: 3 to 2")
	_, _, err = server.Receive(Batch{1, 2, Span{1, 2}})
	refused(err, "storing messages 1 to 2: broken disk")

	for _, d := range []Delivery{AtMostOnce, AtLeastOnce} {
		if got, ok := ParseDelivery(d.String()); got != d || !ok {
			t.Errorf("%v is read as %v, %v", d, got, ok)
		}
	}
	if _, ok := ParseDelivery("exactly-once"); ok {
		t.Error("exactly-once is read")
	}
}
