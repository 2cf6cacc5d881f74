package env

import "time"

// flight is a message on its way.
type flight[T any] struct {
	at      time.Duration // of its arrival
	number  uint64
	message T
	settled bool // it has arrived, and lost is decided
	lost    bool
}

// settle decides whether the message is lost if it has arrived, once only. cut is the state of the link until now.
func (f *flight[T]) settle(now time.Duration, cut bool) {
	if f.at <= now && !f.settled {
		f.settled, f.lost = true, cut
	}
}

// flights is a heap of messages, the first to arrive at 0. Package container/heap would allocate for each message.
type flights[T any] []flight[T]

// before reports whether message i arrives before message k.
func (f flights[T]) before(i, k int) bool {
	return f[i].at < f[k].at || f[i].at == f[k].at && f[i].number < f[k].number
}

func (f *flights[T]) push(x flight[T]) {
	*f = append(*f, x)
	h := *f
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.before(i, parent) {
			break
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

// pop removes and returns the first message. There must be one.
func (f *flights[T]) pop() flight[T] {
	h := *f
	first, n := h[0], len(h)-1
	h[0], h[n] = h[n], flight[T]{}
	h = h[:n]
	for i := 0; 2*i+1 < n; {
		child := 2*i + 1
		if child+1 < n && h.before(child+1, child) {
			child++
		}
		if !h.before(child, i) {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	*f = h
	return first
}
