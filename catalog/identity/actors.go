package identity

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// message is a call of an actor: the channel for its reply.
type message struct{ reply *env.Chan[uint64] }

// newActor is a goroutine that owns the counter. A call sends a message to its mailbox, with a new channel for the
// reply, and waits for the reply. Both goroutines may park, and each call allocates a channel.
func newActor(e env.Env, p plan.Point) (workload.Job, error) {
	reply, size, rejects := p.Duration("reply"), p.Int("mailbox"), p.Text("when-full") == "reject"
	return Job(e, p, func(e env.Env) Service {
		mailbox, gone := env.NewChan[message](e, "mailbox", size), e.Group()
		gone.Go(e, "actor", func(e env.Env) {
			last := uint64(0)
			for m, ok := mailbox.Recv(); ok; m, ok = mailbox.Recv() {
				last++
				work(e, reply)
				m.reply.Send(last)
			}
		})
		return Service{
			Caller: func(e env.Env) func() (uint64, bool) {
				return func() (uint64, bool) {
					m := message{env.NewChan[uint64](e, "", 1)}
					if !rejects {
						mailbox.Send(m)
					} else if !mailbox.TrySend(m) {
						return 0, false
					}
					return m.reply.Recv()
				}
			},
			Stop: func() {
				mailbox.Close()
				gone.Wait()
			},
		}
	}), nil
}

// newLocker has the interface of the actor, messages with a channel for the reply, but handles each message at once,
// under a lock. So no goroutine parks unless the lock is taken. Compared with actor, it shows what the goroutine costs.
func newLocker(e env.Env, p plan.Point) (workload.Job, error) {
	reply := p.Duration("reply")
	return Job(e, p, func(e env.Env) Service {
		lock, last := e.Mutex("locker"), uint64(0)
		handle := func(e env.Env, m message) {
			lock.Lock()
			last++
			work(e, reply)
			m.reply.Send(last)
			lock.Unlock()
		}
		return Service{Caller: func(e env.Env) func() (uint64, bool) {
			return func() (uint64, bool) {
				m := message{env.NewChan[uint64](e, "", 1)}
				handle(e, m)
				return m.reply.Recv()
			}
		}}
	}), nil
}

// newStream has a goroutine for each caller, as a server of gRPC streams has. They share a locked counter. Each call
// passes two channels, and parks at both.
func newStream(e env.Env, p plan.Point) (workload.Job, error) {
	reply := p.Duration("reply")
	return Job(e, p, func(e env.Env) Service {
		s, gone, streams := newSequenceOf(e), e.Group(), e.Mutex("streams")
		var open []*env.Chan[struct{}]
		return Service{
			Caller: func(e env.Env) func() (uint64, bool) {
				requests, replies := env.NewChan[struct{}](e, "requests", 0), env.NewChan[uint64](e, "replies", 0)
				streams.Lock()
				open = append(open, requests)
				streams.Unlock()
				gone.Go(e, "stream", func(e env.Env) {
					for _, ok := requests.Recv(); ok; _, ok = requests.Recv() {
						id := s.next()
						work(e, reply)
						replies.Send(id)
					}
				})
				return func() (uint64, bool) {
					requests.Send(struct{}{})
					return replies.Recv()
				}
			},
			Stop: func() {
				for _, requests := range open {
					requests.Close()
				}
				gone.Wait()
			},
		}
	}), nil
}
