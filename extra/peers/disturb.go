package peers

import (
	"context"
	"errors"
	"time"

	"github.com/brewput/brewput/extra/remote"
)

// disturb makes the faults: partitions, their ends, and kills. At the end all servers run and reach each other.
func (s *system) disturb(ctx context.Context) error {
	wait := func() { s.pause(ctx, time.Millisecond+time.Duration(s.rand.ExpFloat64()*float64(20*time.Millisecond))) }
	for ctx.Err() == nil && s.Faults > s.counts.Faults {
		wait()
		s.counts.Faults++
		sides := s.rand.Uint64()
		switch s.rand.IntN(3) {
		case 0:
			s.divide(func(int) bool { return false })
		case 1:
			s.divide(func(peer int) bool { return sides>>(peer%64)&1 == 1 })
		default:
			i := s.rand.IntN(s.Peers)
			s.counts.Kills++
			if err := s.processes[i].Kill(); err != nil {
				return err
			}
			wait()
			if err := errors.Join(s.processes[i].Restart(), s.join(ctx, i)); err != nil {
				return err
			}
		}
	}
	s.divide(func(int) bool { return false })
	s.lock.Lock()
	defer s.lock.Unlock()
	s.over = true
	return ctx.Err()
}

// divide makes a partition: servers of different sides do not reach each other, and a client only the servers of its
// side, which is that of server c mod n for client c. What was on its way arrives after the partition, or is lost: the
// seed decides. If all are on one side, the partition ends.
func (s *system) divide(side func(peer int) bool) {
	lose, cut := s.rand.IntN(2) == 0, false
	set := func(p *remote.Proxy, apart bool) {
		if !apart {
			p.Release()
			return
		}
		p.Hold()
		if lose {
			p.Reset()
		}
	}
	for i := range s.Peers {
		for k, p := range s.between[i] {
			if p != nil {
				set(p, side(i) != side(k))
				cut = cut || side(i) != side(k) && s.sides[i] == s.sides[k]
			}
		}
		for c, p := range s.from[i] {
			set(p, side(i) != side(c%s.Peers))
		}
	}
	for i := range s.Peers {
		s.sides[i] = side(i)
	}
	if cut {
		s.counts.Partitions++
	}
}
