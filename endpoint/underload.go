package endpoint

import (
	"context"
	"sync"

	"github.com/brewput/brewput/plan"
)

// Load starts the server if the service says so, waits until it is ready, and sends requests by a number of workers,
// which do not pause, until stop is called or ctx ends. It returns the scheme, host and port of the first request. stop
// ends the load and the server that was started; its error says why the load was no load: the server did not answer,
// or replies were wrong or failed. stop must be called once. The program must call trial.Main first; see package trial.
func (s *Service) Load(ctx context.Context, workers int) (address string, stop func() error, err error) {
	if err := s.Check(); err != nil {
		return "", nil, err
	}
	port, err := s.port()
	if err != nil {
		return "", nil, err
	}
	c, err := newClient(s, port, plan.Point{})
	if err != nil {
		return "", nil, err
	}
	l := &load{service: s, client: c, counters: c.counters, used: -1}
	first := c.requests[0].URL
	if err := l.start(port, first); err != nil {
		return "", nil, err
	}
	if err := l.first(); err != nil {
		return "", nil, both(err, l.stop())
	}

	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := uint64(w); ctx.Err() == nil; i += uint64(workers) {
				l.try(i)
			}
		})
	}
	stop = func() error {
		cancel()
		group.Wait()
		l.close()
		return l.check()
	}
	return first.Scheme + "://" + first.Host, stop, nil
}
