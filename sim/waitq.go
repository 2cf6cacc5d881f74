package sim

// sudog is a goroutine in the wait queue of a channel.
type sudog struct {
	g          *G
	c          *Chan
	prev, next *sudog
	token      int64
	send       bool
	index      int32 // case of a select; -1 without one
}

// waitq is the FIFO of the goroutines that wait at one end of a channel.
type waitq struct{ head, tail *sudog }

func (q *waitq) push(s *sudog) {
	s.prev, s.next = q.tail, nil
	if q.tail == nil {
		q.head = s
	} else {
		q.tail.next = s
	}
	q.tail = s
}

func (q *waitq) remove(s *sudog) {
	if s.prev == nil {
		q.head = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		q.tail = s.prev
	} else {
		s.next.prev = s.prev
	}
	s.prev, s.next = nil, nil
}

// take removes the first waiting goroutine. If it waits in a select, it leaves the queues of all cases.
func (q *waitq) take() *sudog {
	s := q.head
	if s == nil {
		return nil
	}
	if s.index < 0 {
		q.remove(s)
		return s
	}
	for i := range s.g.cases {
		if o := &s.g.cases[i]; o.c != nil {
			o.queue().remove(o)
		}
	}
	return s
}

// queue returns the wait queue of s.
func (s *sudog) queue() *waitq {
	if s.send {
		return &s.c.sendq
	}
	return &s.c.recvq
}

// wake stores the result of the operation in the goroutine.
func (s *sudog) wake(token int64, ok bool) *G {
	g := s.g
	g.token, g.ok, g.choice = token, ok, s.index
	return g
}
