package peers

import (
	"time"

	"github.com/brewput/brewput/env"
)

// Protocol decides which identities a peer issues. A peer calls it from one goroutine.
type Protocol interface {
	// Issue returns an identity above last. ok is false if there is none now: the peer tries again after each message.
	Issue(e env.Env, last uint64) (id uint64, ok bool)

	// Receive handles a message of another peer, and Tick the passing of the time SyncEvery.
	Receive(e env.Env, from int, m Message)
	Tick(e env.Env)
}

// Host is what a protocol needs of the peer that runs it.
type Host interface {
	Number() int                        // of the peer, from 0
	Stored() uint64                     // what was stored last, before a crash too; at first 0
	Store(e env.Env, value uint64) bool // false: the peer crashes, and the value may or may not be stored
	Send(to int, m Message)             // which may be lost, delayed or overtaken
	Tell(m Message)                     // to all other peers
}

// newProtocol returns the protocol of a peer that starts.
type newProtocol func(p *peer) Protocol

// SyncEvery is how often the peers tell each other what they know, by their own clocks.
const SyncEvery = 20 * time.Millisecond

// peer is a server. Its disk survives a crash.
type peer struct {
	*env.Node
	number int
	net    *network
	disk   disk
	down   *env.Chan[struct{}]
	out    *output
}

// disk stores one number.
type disk struct {
	takes time.Duration
	value uint64
	rand  env.Rand
	count uint64
}

// stageStore is the stage of the random numbers of the first peer's disk. Those of other peers follow.
const stageStore = 16

// Number returns the number of the peer.
func (p *peer) Number() int { return p.number }

// Stored returns what was stored last.
func (p *peer) Stored() uint64 { return p.disk.value }

// Store stores a value. If it returns false, the peer crashes, and must do nothing more; the value may or may not be
// stored.
func (p *peer) Store(e env.Env, value uint64) bool {
	p.disk.count++
	if env.Select(e.After(p.disk.takes).OnRecv(nil), p.down.OnRecv(nil)) == 0 {
		p.disk.value = value
		return true
	}
	d := p.disk.rand.At(p.disk.count, stageStore+uint64(p.number))
	if d.Float64() < 0.5 {
		p.disk.value = value
	}
	return false
}

// Send sends a message to another peer.
func (p *peer) Send(to int, m Message) { p.net.messages[to][p.number].Send(m, 0) }

// start starts the peer.
func (p *peer) start(e env.Env, of newProtocol) {
	p.Go(e, "serve", func(e env.Env, down *env.Chan[struct{}]) {
		p.down = down
		p.serve(e, of(p))
	})
}

// serve replies to requests until the peer crashes.
func (p *peer) serve(e env.Env, proto Protocol) {
	var q request
	var m Message
	var waiting []request
	tick := p.After(e, SyncEvery)
	for {
		cases := []env.Case{p.down.OnRecv(nil), tick.OnRecv(nil)}
		for _, l := range p.net.requests[p.number] {
			cases = append(cases, l.OnRecv(&q))
		}
		first := len(cases)
		from := make([]int, 0, len(p.net.messages))
		for k, l := range p.net.messages[p.number] {
			if l != nil {
				cases, from = append(cases, l.OnRecv(&m)), append(from, k)
			}
		}

		i := env.Select(cases...)
		if _, _, crashed := p.down.TryRecv(); crashed {
			return
		}
		switch {
		case i == 1:
			proto.Tick(e)
			tick = p.After(e, SyncEvery)
		case i < first:
			waiting = append(waiting, q)
		default:
			proto.Receive(e, from[i-first], m)
		}

		// A protocol that cannot issue an identity for one request can issue none for the others.
		for len(waiting) > 0 {
			q := waiting[0]
			id, ok := proto.Issue(e, q.last)
			if !ok {
				break
			}
			waiting = waiting[1:]
			p.out.issue(id, p.number)
			p.net.replies[q.client][p.number].Send(reply{q.number, id}, 0)
		}
	}
}
