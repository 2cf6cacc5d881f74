package messenger

import (
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// design is how clients send and a server handles. The limits depend on the point.
type design struct {
	limit  func(p plan.Point) int // messages of a client in flight
	most   func(p plan.Point) int // messages of a transmission
	send   func(c *client, e env.Env)
	handle func(e env.Env, h *host, c *conn, s *Server)
}

// one is the limit of designs that send each message alone.
func one(plan.Point) int { return 1 }

// level returns the level of a factor, as a limit.
func level(factor string) func(plan.Point) int {
	return func(p plan.Point) int { return p.Int(factor) }
}

// job returns the job of a design: all clients send their messages, while the server crashes and connections break.
func (d design) job(e env.Env, p plan.Point) (workload.Job, error) {
	t := &instance{settings: newSettings(p)}
	return workload.Job{
		Items: int64(t.clients) * int64(t.messages), Bytes: int64(t.clients) * int64(t.messages) * int64(t.size),
		Run: func(e env.Env) error {
			t.host = newHost(e, t.settings, d.handle)
			for i := range t.clients {
				t.all = append(t.all, newClient(e, t.host, i+1, d.limit(p), d.most(p)))
			}
			t.run(e, d.send)
			return nil
		},
		Check: t.check, Metrics: t.metrics,
	}, nil
}

// instance is a run of a design.
type instance struct {
	settings
	host            *host
	all             []*client
	totals          Totals
	crashes, resets int
}

// run runs the clients.
func (t *instance) run(e env.Env, send func(c *client, e env.Env)) {
	clients, faults, stop := e.Group(), e.Group(), env.NewChan[struct{}](e, "", 0)
	for _, c := range t.all {
		clients.Go(e, "produce", c.produce)
		clients.Go(e, "send", func(e env.Env) {
			send(c, e)
			for c.take() > 0 { // a client that ends with an error leaves messages, and the producer waits
			}
		})
	}
	if t.faults > 0 {
		faults.Go(e, "faults", func(e env.Env) { t.disturb(e, stop) })
	}
	clients.Wait()
	stop.Close()
	faults.Wait()
	t.host.crash()
}

// disturb makes the faults: crashes of the server and resets of connections, the first one a crash. They happen while
// messages are sent: each when a further part of all messages has its final state.
func (t *instance) disturb(e env.Env, stop *env.Chan[struct{}]) {
	h := t.host
	for f := range t.faults {
		d := e.Rand().At(uint64(f), 0)
		h.lock.Lock()
		h.alarmAt = int(int64(t.clients) * int64(t.messages) * int64(f+1) / int64(t.faults+1))
		due := h.settled >= h.alarmAt
		h.lock.Unlock()
		if !due && env.Select(stop.OnRecv(nil), h.alarm.OnRecv(nil)) == 0 {
			return
		}

		// Somewhere between two messages.
		e.Sleep(time.Duration(d.Float64() * float64(2*(t.delay+t.overhead+t.work))))
		if f > 0 && d.Float64() < 0.5 {
			if !t.reset(e, &d, stop) {
				return
			}
			continue
		}
		h.crash()
		t.crashes++
		down := time.Duration((0.5 + d.Float64()) * float64(t.outage))
		if env.Select(stop.OnRecv(nil), e.After(down).OnRecv(nil)) == 0 {
			return
		}
		h.start()
	}
}

// reset resets one of the connections, as soon as there is one. ok is false if the clients end before.
func (t *instance) reset(e env.Env, d *env.Draws, stop *env.Chan[struct{}]) (ok bool) {
	for {
		t.host.lock.Lock()
		var c *conn
		if open := t.host.conns; len(open) > 0 {
			c = open[d.IntN(len(open))]
		}
		t.host.lock.Unlock()
		switch {
		case c != nil:
			t.host.drop(c, true)
			t.resets++
			return true
		case env.Select(stop.OnRecv(nil), e.After(pause/100).OnRecv(nil)) == 0:
			return false
		}
	}
}

// check compares the logs of both sides.
func (t *instance) check() (workload.Answer, error) {
	sent, settled := map[uint64]uint64{}, &Ledger{}
	for _, c := range t.all {
		if c.err != nil {
			return nil, c.err
		}
		c.sender.Close()
		sent[c.number] = uint64(t.messages)
		settled.merge(c.ledger)
	}
	if t.host.err != nil {
		return nil, t.host.err
	}
	var err error
	if t.totals, err = Audit(t.delivery, sent, settled, &t.host.log); err == nil {
		err = t.totals.Complete(t.delivery, t.faults > 0 || t.loss > 0)
	}
	answer := workload.Answer{"messages": t.clients * t.messages}
	if t.loss > 0 {
		answer["link_loss"] = t.loss
	}
	return answer, err
}

// metrics returns what happened to the messages, and how long acknowledgements took.
func (t *instance) metrics() map[string]float64 {
	m := map[string]float64{"acknowledged": float64(t.totals.Acknowledged), "not_sent": float64(t.totals.NotSent),
		"unknown": float64(t.totals.Unknown), "stored": float64(t.totals.Stored), "crashes": float64(t.crashes),
		"resets": float64(t.resets)}
	var took []time.Duration
	connects, transmissions := 0, 0
	for _, c := range t.all {
		took = append(took, c.timing.took...)
		connects += c.connects
		transmissions += c.transmissions
	}
	m["connects"], m["transmissions"] = float64(connects), float64(transmissions)

	if len(took) > 0 {
		sum := time.Duration(0)
		for _, d := range took {
			sum += d
		}
		m["ack_mean_ns"] = float64(sum) / float64(len(took))
	}
	if len(took) >= 1000 { // 10 of them are above the quantile
		slices.Sort(took)
		m["ack_p99_ns"] = float64(took[len(took)*99/100])
	}
	return m
}
