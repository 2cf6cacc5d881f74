package main

// Merge replaces runs of equal events by calls with the event and its count: (a,4) and (b,3) for aaaabbb. A run ends
// when the event changes, or when no event is waiting, so Merge never waits for more events of a run. But a run has no
// limit: while equal events are always waiting, Merge makes no call and does not return, even if done is closed.
//
// Merge returns when events is closed, or when done is closed and no event is waiting. It has then passed on every
// event that it received. A nil done never ends it. The goroutine of Merge makes the calls, one after the other. A
// float that is NaN equals no event.
func Merge[T comparable](done <-chan struct{}, events <-chan T, call func(event T, count int)) {
	event, ok := receive(done, events)
	for ok {
		count := 1
		var next T
		waiting := true
		for waiting {
			if next, ok, waiting = poll(events); !ok || next != event {
				break
			}
			count++
		}
		call(event, count)

		switch {
		case waiting: // next begins a run, or the channel is closed
			event = next
		default:
			event, ok = receive(done, events)
		}
	}
}

// receive waits for an event. ok is false at the end.
func receive[T any](done <-chan struct{}, events <-chan T) (event T, ok bool) {
	select {
	case event, ok = <-events:
	case <-done:
		event, ok, _ = poll(events) // select chooses at random if both are ready
	}
	return event, ok
}

// poll receives an event if one is waiting. On a closed channel, waiting is true and ok false.
func poll[T any](events <-chan T) (event T, ok, waiting bool) {
	select {
	case event, ok = <-events:
		return event, ok, true
	default:
		return event, false, false
	}
}
