package messenger

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/brewput/brewput/catalog/messenger"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/internal/hist"
	"github.com/brewput/brewput/internal/tempdir"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// mode is how a design sends.
type mode struct {
	transport string // see newDialer
	batches   bool   // everything that is queued in one transmission; otherwise one message
	limit     string // factor that limits the messages in flight; "": the design waits for each
	parallel  bool   // the server has a goroutine for each message
}

// trial is a trial in progress.
type trial struct {
	mode
	delivery messenger.Delivery
	faults   int
	outage   time.Duration
	dir      *tempdir.Dir
	process  *remote.Process
	proxy    *remote.Proxy // nil: the clients connect to the server
	clients  []*client

	disturbs chan struct{} // receives when the next fault is due; nil: there are none

	lock     sync.Mutex // protects what follows
	settled  messenger.Ledger
	progress int64 // messages with their final state
	due      int   // faults that were sent to disturbs

	totals          messenger.Totals
	crashes, resets int
}

// newJob returns the job of a design. Its constructor starts the server and connects the clients.
func newJob(e env.Env, p plan.Point, m mode) (workload.Job, error) {
	t := &trial{mode: m}
	err := t.open(p)
	if err != nil {
		return workload.Job{}, errors.Join(err, t.close())
	}
	return t.job(p), nil
}

// job returns the job of a trial that is open.
func (t *trial) job(p plan.Point) workload.Job {
	total := int64(p.Int("clients")) * int64(p.Int("messages"))
	return workload.Job{
		Items: total, Bytes: total * int64(p.Int("size")),
		Run: func(e env.Env) error {
			err := t.process.Measure(func() error { return t.run(e) })
			if err != nil {
				err = remote.Join(t.close(), err)
			}
			return err
		},
		Check:   t.check,
		Metrics: t.metrics,
	}
}

// open starts what the point asks for.
func (t *trial) open(p plan.Point) (err error) {
	var ok bool
	if t.delivery, ok = messenger.ParseDelivery(p.Text("delivery")); !ok {
		return fmt.Errorf("there is no delivery %q", p.Text("delivery"))
	}
	if t.dir, err = (tempdir.Kind{Prefix: "brewput-messenger"}).Make("", "log"); err != nil {
		return err
	}
	clients, messages, size := p.Int("clients"), p.Int("messages"), p.Int("size")
	if size > maxSize {
		return plan.Refuse("size", size, "a message of this design has at most %d bytes", maxSize)
	}
	c := remote.Config{Server: serverName, Network: p.Text("network"), Args: arguments{
		Transport: serverTransport(t.transport), Delivery: t.delivery, Parallel: t.parallel, Size: size,
		Work: p.Duration("work"), Log: t.logFile(), Records: clients * messages}}
	if p.Text("tls") == "on" {
		if c.Keys, err = remote.NewKeys(); err != nil {
			return err
		}
	}
	if t.process, err = remote.Start(c); err != nil {
		return err
	}
	endpoint := t.process.Endpoint()
	t.faults, t.outage = p.Int("faults"), p.Duration("outage")
	if delay := p.Duration("delay"); delay > 0 || t.faults > 0 {
		if t.proxy, err = remote.NewProxy(endpoint, delay); err != nil {
			return err
		}
		endpoint = t.proxy.Endpoint()
	}
	if t.faults > 0 {
		t.disturbs = make(chan struct{}, t.faults)
	}
	for i := range clients {
		if err := t.join(endpoint, uint64(i+1), p); err != nil {
			return err
		}
	}
	return nil
}

// serverTransport is the transport of the server for one of a client.
func serverTransport(transport string) string {
	if transport == "grpc-unary" {
		return "grpc"
	}
	return transport
}

func (t *trial) logFile() string { return filepath.Join(t.dir.Path, "log") }

// join adds a client and connects it.
func (t *trial) join(endpoint remote.Endpoint, id uint64, p plan.Point) error {
	limit := 1
	if t.mode.limit != "" {
		limit = p.Int(t.mode.limit)
	}
	every := max(1, int64(p.Int("clients"))*int64(p.Int("messages"))/int64(t.faults+1))
	c := newClient(id, p.Int("messages"), limit, t.delivery, func(s messenger.Span, state messenger.State) {
		t.lock.Lock()
		defer t.lock.Unlock()
		t.settled.Add(id, s, state)
		t.advance(int64(s.Len()), every)
	})
	c.size = p.Int("size")
	if t.faults > 0 {
		c.patience = reconnectLimit
	}
	if !t.exchange() {
		c.buffer = p.Int("buffer")
	}
	if t.batches {
		c.most = max(1, min(c.buffer, maxBatch/(c.size+4)))
	}
	t.clients = append(t.clients, c)
	var err error
	if c.dialer, err = newDialer(t.transport, endpoint); err != nil {
		return err
	}
	c.first, err = c.connect()
	return err
}

// exchange reports whether clients wait for each acknowledgement.
func (m mode) exchange() bool { return m.limit == "" }

// advance counts messages with their final state, and lets a fault happen after every so many. The lock must be held.
func (t *trial) advance(n, every int64) {
	t.progress += n
	for ; int64(t.due) < min(int64(t.faults), t.progress/every); t.due++ {
		t.disturbs <- struct{}{} // never waits, because it has room for all
	}
}

// run runs the clients, and the faults. It returns the first error, because the others are alike.
func (t *trial) run(e env.Env) error {
	all, over := e.Group(), e.Group()
	errs := make([]error, 1+len(t.clients)) // the first is that of the faults, which explains those of clients
	for i, c := range t.clients {
		all.Go(e, "client", func(e env.Env) {
			if t.exchange() {
				errs[1+i] = c.run(c.exchange, e)
				return
			}
			caller := e.Group()
			caller.Go(e, "caller", c.produce)
			errs[1+i] = c.run(c.pipeline, e)
			caller.Wait()
		})
	}
	if t.faults > 0 {
		over.Go(e, "faults", func(e env.Env) { errs[0] = t.disturb(e) })
	}
	all.Wait()
	if t.faults > 0 {
		close(t.disturbs)
		for range t.disturbs { // a fault that is late would disturb nobody
		}
		over.Wait()
	}
	return cmp.Or(errs...)
}

// disturb makes the faults: it kills the server and starts it again after an outage, or resets all connections, in
// turn.
func (t *trial) disturb(e env.Env) error {
	for range t.disturbs {
		if t.resets < t.crashes {
			t.proxy.Reset()
			t.resets++
			continue
		}
		d := e.Rand().At(uint64(t.crashes), 0)
		t.crashes++
		if err := t.process.Kill(); err != nil {
			return err
		}
		if outage := t.down(d.Float64()); outage > 0 {
			e.Wait(outage)
		}
		if err := t.process.Restart(); err != nil {
			return err
		}
	}
	return nil
}

// down is how long the server stays down for a random number from 0 to 1: half to one and a half of the mean.
func (t *trial) down(u float64) time.Duration { return time.Duration((0.5 + u) * float64(t.outage)) }

// close ends all that the trial started. It may be called twice.
func (t *trial) close() error {
	var errs []error
	for _, c := range t.clients {
		if c.first != nil {
			errs = append(errs, c.first.close())
			c.first = nil
		}
		if c.dialer != nil {
			errs = append(errs, c.dialer.close())
			c.dialer = nil
		}
	}
	if t.process != nil {
		errs = append(errs, t.process.Stop())
	}
	if t.proxy != nil {
		errs = append(errs, t.proxy.Close())
	}
	return errors.Join(append(errs, t.dir.Close())...)
}

// check ends the server, and compares the states of all messages with its log.
func (t *trial) check() (workload.Answer, error) {
	// The log is read before its directory is removed, and after the server has ended.
	stopped := t.process.Stop()
	stored, err := readLog(t.logFile())
	if err := errors.Join(stopped, err, t.close()); err != nil {
		return nil, workload.FailedError{Err: err}
	}
	sent := map[uint64]uint64{}
	for _, c := range t.clients {
		sent[c.id] = uint64(c.n)
	}
	totals, err := messenger.Audit(t.delivery, sent, &t.settled, stored)
	t.totals = totals
	if err == nil {
		err = totals.Complete(t.delivery, t.faults > 0)
	}
	return workload.Answer{"messages": totals.Messages}, err
}

// metrics returns what happened to the messages, and how long acknowledgements took.
func (t *trial) metrics() map[string]float64 {
	m := map[string]float64{"acknowledged": float64(t.totals.Acknowledged), "not_sent": float64(t.totals.NotSent),
		"unknown": float64(t.totals.Unknown), "stored": float64(t.totals.Stored), "crashes": float64(t.crashes),
		"resets": float64(t.resets)}
	if d, ok := t.process.CPU(); ok {
		m["server_cpu_seconds"] = d.Seconds()
	}
	h, connects, transmissions := hist.New(), 0, 0
	for _, c := range t.clients {
		h.Add(c.latency)
		connects += c.connects
		transmissions += c.transmissions
	}
	m["connects"], m["transmissions"] = float64(connects), float64(transmissions)
	if h.Count() > 0 {
		m["ack_mean_ns"] = h.Mean()
	}
	if p99, ok := h.Quantile(0.99); ok {
		m["ack_p99_ns"] = p99
	}
	return m
}
