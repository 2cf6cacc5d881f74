package envtest

import (
	"fmt"

	"github.com/brewput/brewput/env"
)

func chanLaws() []law {
	return []law{
		simple("a Chan keeps the order", chanFIFO),
		simple("a Chan keeps the order of each sender", senderFIFO),
		simple("a Chan delivers every value once", chanConserves),
		simple("a closed Chan drains", closedDrains),
		simple("a Chan never holds more than its capacity", capacityHolds),
		simple("an unbuffered Send meets its Recv", unbufferedMeets),
		simple("a Send on a closed Chan panics", closedPanics),
	}
}

func chanFIFO(b *bench, e env.Env) {
	for _, capacity := range []int{0, 1, 7} {
		c, g := env.NewChan[int](e, "c", capacity), e.Group()
		g.Go(e, "sender", func(env.Env) {
			for i := range 200 {
				c.Send(i)
			}
			c.Close()
		})
		next := 0
		for v, ok := c.Recv(); ok; v, ok = c.Recv() {
			want(b, fmt.Sprintf("the value received at capacity %d", capacity), v, next)
			next++
		}
		g.Wait()
		want(b, "the number of values received", next, 200)
	}
}

// parcel is a value that tells where it comes from.
type parcel struct{ sender, number int }

func senderFIFO(b *bench, e env.Env) {
	const senders, values = 4, 100
	c, g := env.NewChan[parcel](e, "c", 2), e.Group()
	for s := range senders {
		g.Go(e, "sender", func(env.Env) {
			for i := range values {
				c.Send(parcel{s, i})
			}
		})
	}
	var next [senders]int
	for range senders * values {
		p, _ := c.Recv()
		want(b, "the next value of a sender", p.number, next[p.sender])
		next[p.sender]++
	}
	g.Wait()
}

// tally counts parcels by sender and number.
type tally map[parcel]int

// settle reports the parcels that did not come exactly once.
func (n tally) settle(b *bench, senders, values int) {
	for s := range senders {
		for i := range values {
			if c := n[parcel{s, i}]; c != 1 {
				b.Errorf("value %d of sender %d was received %d times", i, s, c)
			}
		}
	}
	want(b, "the number of different values", len(n), senders*values)
}

func chanConserves(b *bench, e env.Env) {
	const senders, receivers, values = 4, 3, 150
	for _, capacity := range []int{0, 4} {
		c := env.NewChan[parcel](e, "c", capacity)
		sending, receiving, m := e.Group(), e.Group(), e.Mutex("m")
		got := tally{}
		for s := range senders {
			sending.Go(e, "sender", func(env.Env) {
				for i := range values {
					c.Send(parcel{s, i})
				}
			})
		}
		for range receivers {
			receiving.Go(e, "receiver", func(env.Env) {
				for p, ok := c.Recv(); ok; p, ok = c.Recv() {
					m.Lock()
					got[p]++
					m.Unlock()
				}
			})
		}
		sending.Wait()
		c.Close()
		receiving.Wait()
		got.settle(b, senders, values)
	}
}

func closedDrains(b *bench, e env.Env) {
	c := env.NewChan[int](e, "c", 3)
	for i := range 3 {
		c.Send(i + 1)
	}
	c.Close()
	for i := range 3 {
		v, ok := c.Recv()
		want(b, "a value of a closed Chan", v, i+1)
		want(b, "ok while values are left", ok, true)
	}
	for range 2 {
		v, ok := c.Recv()
		want(b, "the value of a drained Chan", v, 0)
		want(b, "ok of a drained Chan", ok, false)
		_, ok, received := c.TryRecv()
		want(b, "ok of TryRecv on a drained Chan", ok, false)
		want(b, "received of TryRecv on a drained Chan", received, true)
	}
}

func capacityHolds(b *bench, e env.Env) {
	const capacity, senders, values = 3, 4, 100
	c, g := env.NewChan[int](e, "c", capacity), e.Group()
	want(b, "Cap", c.Cap(), capacity)
	for i := range capacity {
		want(b, "TrySend with room", c.TrySend(i), true)
		want(b, "Len", c.Len(), i+1)
	}
	want(b, "TrySend without room", c.TrySend(9), false)
	for range capacity {
		c.Recv()
	}
	// Sends that are over exceed receives that have begun by no more than the capacity.
	sent, begun := env.NewAtomic[int](e, "sent"), env.NewAtomic[int](e, "begun")
	for range senders {
		g.Go(e, "sender", func(env.Env) {
			for i := range values {
				c.Send(i)
				if over := sent.Add(1) - begun.Load(); over > capacity {
					b.Errorf("a Chan of capacity %d holds %d values", capacity, over)
				}
			}
		})
	}
	for range senders * values {
		begun.Add(1)
		c.Recv()
	}
	g.Wait()
}

func unbufferedMeets(b *bench, e env.Env) {
	c, g := env.NewChan[int](e, "c", 0), e.Group()
	want(b, "TrySend without a receiver", c.TrySend(1), false)
	_, _, received := c.TryRecv()
	want(b, "TryRecv without a sender", received, false)
	begun := env.NewAtomic[int](e, "begun")
	g.Go(e, "receiver", func(env.Env) {
		for range 100 {
			begun.Add(1)
			c.Recv()
		}
	})
	for i := range 100 {
		c.Send(i)
		if n := begun.Load(); n < i+1 {
			b.Errorf("Send %d is over and only %d Recv have begun", i+1, n)
		}
	}
	g.Wait()
}

func closedPanics(b *bench, e env.Env) {
	for _, capacity := range []int{0, 2} {
		c := env.NewChan[int](e, "c", capacity)
		c.Close()
		want(b, "a panic of Send on a closed Chan", panics(func() { c.Send(1) }), true)
		want(b, "a panic of TrySend on a closed Chan", panics(func() { c.TrySend(1) }), true)
		want(b, "a panic of OnSend on a closed Chan", panics(func() { env.Select(c.OnSend(1)) }), true)
		want(b, "a panic of closing twice", panics(c.Close), true)
	}
}
