package messenger

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newOriginal is the design of the original, with its faults. Its flag for an open connection is shared by the
// goroutine that sends and the one that listens, without a lock. The one that listens reads it in a loop while there is
// no connection, and ends at the reset of a connection. Messages that are taken from the queue while there is none are
// lost, and so are those in flight. A message has no state but acknowledged.
func newOriginal(e env.Env, p plan.Point) (workload.Job, error) {
	return design{limit: level("buffer"), most: one, send: (*client).original, handle: handleInOrder}.job(e, p)
}

// original is a client with its faults.
type original struct {
	*client
	online *env.Var[bool] // racy, as in the original
	stop   *env.Atomic[int]
	flying *env.Chan[struct{}] // a value for each message in flight: TCP would block
	news   *env.Chan[struct{}] // there are acknowledgements
}

// giveUp is how long the original waits for an acknowledgement.
const giveUp = time.Second

// original sends messages while another goroutine listens. If no acknowledgement arrives for a long time, because
// nobody listens, it drops the rest of the messages, where the program of the original would hang.
func (c *client) original(e env.Env) {
	o := &original{c, env.NewVar[bool](e, "online"), env.NewAtomic[int](e, "stop"),
		env.NewChan[struct{}](e, "flying", c.buffer), env.NewChan[struct{}](e, "", 1)}
	listener := e.Group()
	listener.Go(e, "listen", o.listen)
	number, stalled := uint64(0), false
	for _, ok := c.queue.Recv(); ok; _, ok = c.queue.Recv() {
		number++
		switch {
		case stalled:
		case !o.online.Load() && !o.connect(e): // the message is lost
		case !o.flying.TrySend(struct{}{}) &&
			env.Select(o.flying.OnSend(struct{}{}), e.After(giveUp).OnRecv(nil)) == 1:
			stalled = true
		default:
			o.send(e, number)
		}
	}

	for o.flying.Len() > 0 && !stalled {
		stalled = env.Select(o.news.OnRecv(nil), e.After(giveUp).OnRecv(nil)) == 1
	}
	o.stop.Store(1)
	if c.conn != nil {
		c.host.drop(c.conn, true)
	}
	listener.Wait()
}

// connect connects to the host, or waits for a while.
func (o *original) connect(e env.Env) (ok bool) {
	o.connects++
	on := newConn(e, o.settings, Hello{o.number, uint64(o.connects)}, o.buffer)
	e.Wait(o.delay)
	if ok = o.host.accept(e, on); ok {
		_, ok, _ = receive(e, on.down, o.patience())
	}
	if !ok {
		o.host.drop(on, true)
		e.Sleep(pause)
		return false
	}
	for received := true; received; { // nothing is in flight on the new connection
		_, _, received = o.flying.TryRecv()
	}
	o.lock.Lock()
	o.conn = on
	o.lock.Unlock()
	o.online.Store(true)
	return true
}

// send sends a message. If the connection has ended, the message is lost.
func (o *original) send(e env.Env, number uint64) {
	if o.conn.ended.Load() == 1 {
		o.online.Store(false)
		return
	}
	o.transmissions++
	o.transmit(e, o.conn, Batch{o.client.number, o.conn.hello.Epoch, Span{number, number}})
}

// spin is the time of a read of the flag, for virtual time.
const spin = 20 * time.Nanosecond

// listen receives acknowledgements.
func (o *original) listen(e env.Env) {
	for o.stop.Load() == 0 {
		for !o.online.Load() && o.stop.Load() == 0 { // spins
			e.Charge(spin)
		}
		o.lock.Lock()
		on := o.conn
		o.lock.Unlock()
		if on == nil {
			return // it never connected
		}
		r, ok, _ := receive(e, on.down, o.patience())
		switch {
		case ok:
			e.Burn(o.overhead)
			o.lock.Lock()
			o.ledger.Add(o.client.number, r.Span, Acknowledged)
			o.lock.Unlock()
			o.host.progress(r.Len())
			for range r.Len() {
				o.flying.TryRecv()
			}
			o.news.TrySend(struct{}{})
		case on.reset:
			return
		default:
			o.online.Store(false)
		}
	}
}
