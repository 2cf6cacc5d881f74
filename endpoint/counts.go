package endpoint

import (
	"fmt"
	"sync/atomic"
)

// shards is the number of parts of the counters. Requests in parallel rarely share a part, so that counting is not
// contended.
const shards = 64

// maxStatus is the largest status that is counted separately.
const maxStatus = 599

// shard is a part of the counters.
type shard struct {
	requests    atomic.Int64
	failed      [kindCount]atomic.Int64
	wrong       atomic.Int64
	statuses    [maxStatus + 1]atomic.Int64
	resent      atomic.Int64
	connections atomic.Int64
	sent        atomic.Int64 // bytes
	received    atomic.Int64
	_           [64]byte // keeps parts from sharing cache lines
}

// counters count what became of the requests of a load. Connections and bytes include the first and the last request of
// a trial, which are not part of the load. All methods are safe for concurrent use.
type counters struct {
	parts [shards]shard
	// first is the first error of each kind, which messages quote.
	first [kindCount]atomic.Pointer[failure]
	// named is the name of a code in metrics; nil: those of HTTP.
	named func(code int) string
	// wrong is the first wrong reply.
	wrong atomic.Pointer[error]
}

// of returns the part for a number.
func (c *counters) of(number uint64) *shard { return &c.parts[number%shards] }

// fail counts a failed request.
func (c *counters) fail(s *shard, f *failure) {
	s.failed[f.kind].Add(1)
	if c.first[f.kind].Load() == nil {
		c.first[f.kind].CompareAndSwap(nil, f)
	}
}

// mistake counts a wrong reply.
func (c *counters) mistake(s *shard, err error) {
	s.wrong.Add(1)
	if c.wrong.Load() == nil {
		c.wrong.CompareAndSwap(nil, &err)
	}
}

// answered counts the status of a complete reply.
func (s *shard) answered(status int) {
	if 0 <= status && status <= maxStatus {
		s.statuses[status].Add(1)
	}
}

// sum adds up one counter of all parts.
func (c *counters) sum(of func(*shard) *atomic.Int64) (total int64) {
	for i := range c.parts {
		total += of(&c.parts[i]).Load()
	}
	return total
}

// failures returns the number of failed requests of a kind.
func (c *counters) failures(k kind) int64 {
	return c.sum(func(s *shard) *atomic.Int64 { return &s.failed[k] })
}

// allFailures returns the number of failed requests, and the most frequent kind.
func (c *counters) allFailures() (total int64, most kind) {
	largest := int64(0)
	for k := range kind(kindCount) {
		n := c.failures(k)
		if total += n; n > largest {
			largest, most = n, k
		}
	}
	return total, most
}

// requests returns the number of requests.
func (c *counters) requests() int64 {
	return c.sum(func(s *shard) *atomic.Int64 { return &s.requests })
}

// metrics returns the counters as metrics of a trial. Kinds and statuses that did not occur are left out.
func (c *counters) metrics() map[string]float64 {
	m := map[string]float64{
		"connections":    float64(c.sum(func(s *shard) *atomic.Int64 { return &s.connections })),
		"resent":         float64(c.sum(func(s *shard) *atomic.Int64 { return &s.resent })),
		"sent_bytes":     float64(c.sum(func(s *shard) *atomic.Int64 { return &s.sent })),
		"received_bytes": float64(c.sum(func(s *shard) *atomic.Int64 { return &s.received })),
	}
	for k := range kind(kindCount) {
		if n := c.failures(k); n > 0 {
			m["errors_"+k.String()] = float64(n)
		}
	}
	for code := range maxStatus + 1 {
		if n := c.sum(func(s *shard) *atomic.Int64 { return &s.statuses[code] }); n > 0 {
			name := fmt.Sprintf("status_%03d", code)
			if c.named != nil {
				name = c.named(code)
			}
			m[name] = float64(n)
		}
	}
	return m
}
