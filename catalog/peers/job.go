package peers

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// output is what the peers issue and the clients receive.
type output struct {
	lock     *env.Mutex
	issued   map[uint64]int // peer by identity
	received int
	faults   int // partitions, their ends, and crashes
	cuts     int // partitions that separate peers
	crashes  int
	err      error // the first violation
}

// issue records an identity that a peer issues, whether or not a client receives it.
func (o *output) issue(id uint64, peer int) {
	o.lock.Lock()
	defer o.lock.Unlock()
	if first, again := o.issued[id]; again && o.err == nil {
		o.err = fmt.Errorf("the identity %d was issued twice, by peers %d and %d, after %d others", id, first, peer,
			len(o.issued)-1)
	}
	o.issued[id] = peer
}

// receive records an identity that a client receives.
func (o *output) receive(client int, id, last uint64) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.received++
	if id <= last && o.err == nil {
		o.err = fmt.Errorf("client %d received the identity %d after %d", client, id, last)
	}
}

// job returns the job of a protocol: the clients get their identities, while partitions and crashes happen.
func job(e env.Env, p plan.Point, of newProtocol) workload.Job {
	clients, identities, rand := p.Int("clients"), p.Int("identities"), e.Rand()
	o := &output{issued: map[uint64]int{}}
	return workload.Job{
		Items: int64(clients) * int64(identities),
		Run: func(e env.Env) error {
			o.lock = e.Mutex("")
			net := newNetwork(e, p)
			peers := make([]*peer, p.Int("peers"))
			for i := range peers {
				d := rand.At(uint64(i), 2)
				skew := env.Skew{Offset: time.Duration(d.Float64() * float64(time.Second)),
					Drift: (2*d.Float64() - 1) * p.Float("drift")}
				peers[i] = &peer{Node: e.Node(fmt.Sprintf("peer %d", i), skew), number: i, net: net, out: o,
					disk: disk{takes: p.Duration("store"), rand: rand}}
				peers[i].start(e, of)
			}

			// A peer may have to store a value for every client and every other peer before it can reply.
			patience := 10*time.Millisecond + 10*p.Duration("latency") +
				time.Duration(2*(clients+len(peers)))*p.Duration("store")
			all, faults, stop := e.Group(), e.Group(), env.NewChan[struct{}](e, "", 0)
			for c := range clients {
				all.Go(e, "client", func(e env.Env) { o.client(e, net, c, identities, patience) })
			}
			faults.Go(e, "faults", func(e env.Env) { o.disturb(e, peers, of, p.Int("faults"), stop) })
			all.Wait()
			stop.Close()
			faults.Wait()
			for _, p := range peers {
				p.Crash()
			}
			return nil
		},
		Check: func() (workload.Answer, error) {
			if want := clients * identities; o.err == nil && o.received != want {
				return nil, fmt.Errorf("the clients received %d of %d identities", o.received, want)
			}
			return workload.Answer{"received": o.received}, o.err
		},
		Metrics: func() map[string]float64 {
			return map[string]float64{"issued": float64(len(o.issued)), "faults": float64(o.faults),
				"partitions": float64(o.cuts), "crashes": float64(o.crashes)}
		},
	}
}

// client gets identities, one after the other. It turns to the next peer if a reply takes too long.
func (o *output) client(e env.Env, net *network, c, identities int, patience time.Duration) {
	last, number, at := uint64(0), 0, c%len(net.requests)
	for got := 0; got < identities; {
		number++
		net.requests[at][c].Send(request{c, number, last}, 0)
		r, late := reply{}, e.After(patience)
		cases := []env.Case{late.OnRecv(nil)}
		for _, l := range net.replies[c] {
			cases = append(cases, l.OnRecv(&r))
		}
		for r.number != number && env.Select(cases...) != 0 { // replies to earlier requests are ignored
		}
		if r.number != number {
			at = (at + 1) % len(net.requests)
			continue
		}
		o.receive(c, r.id, last)
		last = r.id
		got++
	}
}

// disturb makes faults until it is told to stop: partitions, their end, and crashes. At the end all peers are up and
// reach each other.
func (o *output) disturb(e env.Env, peers []*peer, of newProtocol, faults int, stop *env.Chan[struct{}]) {
	net := peers[0].net
	wait := func(d *env.Draws) (stopped bool) {
		pause := time.Millisecond + time.Duration(d.Exp()*float64(20*time.Millisecond))
		return env.Select(stop.OnRecv(nil), e.After(pause).OnRecv(nil)) == 0
	}
	for f := range faults {
		d := e.Rand().At(uint64(f), 3)
		if wait(&d) {
			break
		}
		o.faults++
		sides := d.Uint64()
		switch d.IntN(3) {
		case 0:
			net.divide(func(int) bool { return false })
		case 1:
			if net.divide(func(peer int) bool { return sides>>(peer%64)&1 == 1 }) {
				o.cuts++
			}
		default:
			o.crashes++
			p := peers[d.IntN(len(peers))]
			p.Crash()
			wait(&d)
			p.Start(e)
			p.start(e, of)
		}
	}
	net.divide(func(int) bool { return false })
}
