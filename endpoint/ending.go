package endpoint

import (
	"fmt"
	"sync/atomic"

	"github.com/brewput/brewput/workload"
)

// close sends a last request and stops the server.
func (l *load) close() {
	if l.server != nil {
		if now, known := l.server.cpu(); known {
			l.used = now - l.before
		}
	}
	_, f, wrong := l.ask()
	if wrong != nil {
		l.wrong = l.client.describe(0, wrong)
	}
	if f != nil {
		err := fmt.Errorf("the request after the load failed: %w", l.client.describe(0, f))
		l.ended = l.explain(err, f.kind)
	}
	if l.server != nil {
		select {
		case <-l.server.exited():
			if l.gone = true; l.ended == nil { // so another server answered
				l.ended = fmt.Errorf("before the load was over, %w", l.server.cause())
			}
		default:
		}
	}
	left := l.stop()
	l.gone = l.gone || left != nil || l.server == nil && f != nil && f.kind == refused
	l.ended = both(l.ended, left)
}

// stop closes the connections and stops the server.
func (l *load) stop() error {
	l.client.close()
	if l.server == nil {
		return nil
	}
	return l.server.stop()
}

// check returns the error of the trial. A server that ended, or could not be ended, is a failed trial whatever it
// answered before.
func (l *load) check() error {
	wrong := l.wrongReplies()
	if l.gone {
		return workload.FailedError{Err: both(l.ended, wrong)}
	}
	if wrong != nil {
		return both(wrong, l.ended)
	}
	c := l.counters
	n, most := c.allFailures()
	switch share := float64(n) / float64(max(1, c.requests())); {
	case l.ended != nil:
		return workload.FailedError{Err: l.ended}
	case share > l.service.MaxErrors:
		return workload.FailedError{Requests: true, Err: fmt.Errorf("%d of %d requests failed, a larger share "+
			"than %v%s; most by %s, as in: %w", n, c.requests(), l.service.MaxErrors,
			l.service.options.hint("max-errors"), most, c.first[most].Load())}
	}
	return nil
}

// wrongReplies returns an error if some replies were wrong.
func (l *load) wrongReplies() error {
	c := l.counters
	if wrong := c.wrong.Load(); wrong != nil {
		n := c.sum(func(s *shard) *atomic.Int64 { return &s.wrong })
		return fmt.Errorf("%d of %d replies were wrong; the first: %w", n, max(n, c.requests()), *wrong)
	}
	if l.wrong != nil {
		return fmt.Errorf("the reply after the load was wrong: %w", l.wrong)
	}
	return nil
}

// metrics returns the metrics of the trial.
func (l *load) metrics() map[string]float64 {
	m := l.counters.metrics()
	if l.used >= 0 {
		m["server_cpu_seconds"] = l.used.Seconds()
	}
	return m
}
