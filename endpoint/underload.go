package endpoint

import (
	"context"
	"sync"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Load starts the server if the service says so, waits until it is ready, and sends requests by a number of workers,
// which do not pause, until stop is called or ctx ends. It reads the factors of [Factors] that p has. It returns the
// scheme, host and port of the first request, which must not be those of a socket. stop ends the load and the server
// that was started. Unless ctx has ended, its error says why the load was no load: the server did not answer, or
// replies were wrong or failed. stop must be called once. The program must call trial.Main first; see package trial.
func (s *Service) Load(ctx context.Context, p plan.Point, workers int) (address string, stop func() error, err error) {
	switch {
	case workload.OpenLoop(p):
		return "", nil, plan.Refuse(workload.LoadFactors(p)[0], nil, "has no effect: the server gets a load without "+
			"pauses, so that its profiles show what limits it").Suggest("give {workers}, and no {rate} or {load}")
	case s.Unix != "":
		return "", nil, plan.Refuse("unix", quoted(s.Unix), "has no address at which profiles can be read").
			Suggest("let the server listen at a port, and leave out {unix}")
	}
	l, first, err := s.begin(ctx, p)
	if err != nil {
		return "", nil, err
	}
	if err := l.first(); err != nil {
		return "", nil, both(err, l.stop())
	}

	loading, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := uint64(w); loading.Err() == nil; i += uint64(workers) {
				l.try(i)
			}
		})
	}
	stop = func() error {
		cancel()
		group.Wait()
		if ctx.Err() != nil {
			return l.stop()
		}
		l.close()
		if wrong := l.wrongReplies(); wrong != nil { // then nothing can be said of the server's profiles
			return both(wrong, l.ended)
		}
		return l.check()
	}
	return first.Scheme + "://" + first.Host, stop, nil
}
