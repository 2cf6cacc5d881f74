package merge

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newOriginal is the published consumer. For each event it selects between the event and the order to stop, and then
// receives from the channel for as long as it is not empty. Each receive takes the lock of the channel.
func newOriginal(e env.Env, p plan.Point) (workload.Job, error) {
	return overChannel(e, p, consumeOriginal), nil
}

func consumeOriginal(e env.Env, events *env.Chan[string], stop *env.Chan[struct{}], call func(env.Env, string, int)) {
	for {
		var event string
		if env.Select(stop.OnRecv(nil), events.OnRecv(&event)) == 0 {
			return // although events may be waiting
		}
		count, last := 1, ""
		for {
			next, _, received := events.TryRecv() // "" forever, if the channel is closed
			if !received {
				break
			}
			if next != event {
				last = next
				break
			}
			count++
		}
		call(e, event, count)
		if last != "" { // an event may be empty
			call(e, last, 1)
		}
	}
}

// newCarried is original without its faults: the event that ends a run begins the next. It ends when the channel is
// closed.
func newCarried(e env.Env, p plan.Point) (workload.Job, error) {
	return overChannel(e, p, consumeCarried), nil
}

func consumeCarried(e env.Env, events *env.Chan[string], stop *env.Chan[struct{}], call func(env.Env, string, int)) {
	event, open := next(events, stop)
	for open {
		count := 1
		for {
			following, ok, received := events.TryRecv()
			if received && ok && following == event {
				count++
				continue
			}
			call(e, event, count)
			event, open = following, ok
			if !received {
				event, open = next(events, stop)
			}
			break
		}
	}
}

// next waits for an event. ok is false if there is none left and the channel is closed, or the consumer is to stop.
func next(events *env.Chan[string], stop *env.Chan[struct{}]) (event string, ok bool) {
	if env.Select(stop.OnRecv(nil), events.OnRecvOK(&event, &ok)) == 0 {
		event, ok, _ = events.TryRecv() // what is waiting comes first
	}
	return event, ok
}

// newFlush merges also events that arrive later: it makes a call when the event changes, or when it has as many as
// batch, or when none is waiting delay after it received the first. That saves calls if events are rare, and delays
// each of them.
func newFlush(e env.Env, p plan.Point) (workload.Job, error) {
	return overChannel(e, p, consumeFlush(p.Int("batch"), p.Duration("delay"))), nil
}

func consumeFlush(batch int, delay time.Duration) consumeFunc {
	return func(e env.Env, events *env.Chan[string], stop *env.Chan[struct{}], call func(env.Env, string, int)) {
		event, open := next(events, stop)
		for open {
			first, count := e.Now(), 1
			var following string
			var late *env.Chan[time.Duration]
			received := false
			for count < batch {
				following, open, received = events.TryRecv()
				if !received {
					if late == nil {
						late = e.After(first + delay - e.Now())
					}
					received = env.Select(late.OnRecv(nil), stop.OnRecv(nil), events.OnRecvOK(&following, &open)) == 2
				}
				if !received || !open || following != event {
					break
				}
				count, received = count+1, false
			}
			call(e, event, count)
			event = following
			if !received {
				event, open = next(events, stop)
			}
		}
	}
}

// consumeFunc receives events and merges them by calls, until it is told to stop.
type consumeFunc func(e env.Env, events *env.Chan[string], stop *env.Chan[struct{}], call func(env.Env, string, int))

// overChannel returns the job of a consumer that receives the events from a channel. It is told to stop after the last
// call.
func overChannel(e env.Env, p plan.Point, consume consumeFunc) workload.Job {
	buffer := p.Int("buffer")
	return job(e, p, func(e env.Env, o *output) {
		events, stop, done := env.NewChan[string](e, "events", buffer), env.NewChan[struct{}](e, "", 0), e.Group()
		done.Go(e, "consumer", func(e env.Env) { consume(e, events, stop, o.call) })
		o.send(e, events.Send)
		o.all.Recv()
		stop.Close()
		done.Wait()
	})
}
