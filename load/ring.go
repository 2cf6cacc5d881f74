package load

// ring is a queue in a circular buffer.
type ring struct {
	items   []arrival
	head, n int
}

func (q *ring) front() arrival { return q.items[q.head] }

func (q *ring) push(c arrival) {
	if q.n == len(q.items) {
		grown := make([]arrival, max(8, 2*q.n))
		for i := range q.n {
			grown[i] = q.items[(q.head+i)%len(q.items)]
		}
		q.items, q.head = grown, 0
	}
	q.items[(q.head+q.n)%len(q.items)] = c
	q.n++
}

func (q *ring) pop() arrival {
	c := q.items[q.head]
	q.head = (q.head + 1) % len(q.items)
	q.n--
	return c
}
