package peers

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
)

// request is a client's request for an identity above the last one that it has received.
type request struct {
	client, number int
	last           uint64
}

// reply is the reply to a request.
type reply struct {
	number int
	id     uint64
}

// Message is what peers tell each other. What it means is up to the protocol.
type Message struct {
	Kind, Number int
	Value        uint64
}

// network connects clients and peers: each pair by a link in each direction.
type network struct {
	requests [][]*env.Link[request] // by peer and client
	replies  [][]*env.Link[reply]   // by client and peer
	messages [][]*env.Link[Message] // by receiver and sender; nil from a peer to itself
	sides    []bool                 // of the peers
}

func newNetwork(e env.Env, p plan.Point) *network {
	peers, clients, latency := p.Int("peers"), p.Int("clients"), p.Duration("latency")
	config := env.LinkConfig{Loss: p.Float("loss"), Reorder: 0.5, Latency: func(d *env.Draws) time.Duration {
		return latency/2 + time.Duration(d.Exp()*float64(latency/2))
	}}
	n := &network{make([][]*env.Link[request], peers), make([][]*env.Link[reply], clients),
		make([][]*env.Link[Message], peers), make([]bool, peers)}
	for i := range peers {
		for c := range clients {
			to, from := fmt.Sprintf("request %d to %d", c, i), fmt.Sprintf("reply %d to %d", i, c)
			n.requests[i] = append(n.requests[i], env.NewLink[request](e, to, config))
			n.replies[c] = append(n.replies[c], env.NewLink[reply](e, from, config))
		}
		n.messages[i] = make([]*env.Link[Message], peers)
		for k := range peers {
			if k != i {
				n.messages[i][k] = env.NewLink[Message](e, fmt.Sprintf("message %d to %d", k, i), config)
			}
		}
	}
	return n
}

// divide makes a partition: peers of different sides do not reach each other, and a client only the peers of its side.
// Client c is on the side of peer c mod the number of peers. If all are on one side, the partition ends.
// It reports whether peers that reached each other no longer do.
func (n *network) divide(side func(peer int) bool) (cut bool) {
	set := func(l interface {
		Cut()
		Heal()
	}, a, b int) {
		if side(a) != side(b) {
			l.Cut()
		} else {
			l.Heal()
		}
	}
	peers := len(n.requests)
	for i := range peers {
		for c := range n.replies {
			set(n.requests[i][c], i, c%peers)
			set(n.replies[c][i], i, c%peers)
		}
		for k := range peers {
			if k != i {
				set(n.messages[i][k], i, k)
				cut = cut || side(i) != side(k) && n.sides[i] == n.sides[k]
			}
		}
	}
	for i := range peers {
		n.sides[i] = side(i)
	}
	return cut
}
