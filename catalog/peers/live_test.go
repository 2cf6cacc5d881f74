package peers

import (
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// paced issues about 8 identities for each start of a peer, until all starts have happened. So a run has all its
// faults, among its identities, however fast the clients are: the last fault of seed 1 is a crash, and ends in a start.
type paced struct {
	Protocol
	p      *peer
	starts *int // of peers so far, protected by the lock of the output
	all    int  // starts of the run
}

func (s paced) Issue(e env.Env, last uint64) (id uint64, ok bool) {
	s.p.out.lock.Lock()
	wait := *s.starts < s.all && len(s.p.out.issued) >= 8**s.starts
	s.p.out.lock.Unlock()
	if wait {
		return 0, false
	}
	return s.Protocol.Issue(e, last)
}

// TestLive runs both protocols through the same faults on the Go runtime, where the race detector sees them, and in
// virtual time. The check of the job finds identities that were issued twice, and those of a client that do not
// increase. The identities of a peer need not increase: a late reply may lease it an earlier block after a crash.
func TestLive(t *testing.T) {
	const seed, partitions, crashes = 1, 3, 5
	p := workloadtest.Point(t, Workload(), "identities=20 latency=100us loss=0.01 faults=9")
	for world, run := range map[string]func(string, func(env.Env)) error{
		"live": func(name string, f func(env.Env)) error {
			return live.New(live.Config{Seed: seed, BurnRate: 1}).Run(name, f)
		},
		"virtual": func(name string, f func(env.Env)) error {
			return virtual.New(virtual.Config{Seed: seed}).Run(name, f)
		},
	} {
		for design, of := range map[string]newProtocol{
			"interleaved": func(p *peer) Protocol {
				return &interleaved{p: p, n: 3, i: uint64(p.number), k: p.disk.value, bound: p.disk.value, reserve: 2}
			},
			"leased": func(p *peer) Protocol { return &leased{p: p, block: 2} },
		} {
			var j workload.Job
			starts := 0
			d := workload.Design{Name: design, Job: func(e env.Env, p plan.Point) (workload.Job, error) {
				j = job(e, p, func(p *peer) Protocol {
					p.out.lock.Lock()
					defer p.out.lock.Unlock()
					starts++
					return paced{of(p), p, &starts, 3 + crashes}
				})
				return j, nil
			}}
			answer, err := workloadtest.Answer(t, run, d, p)
			if err != nil || answer["received"] != 100 {
				t.Errorf("%s, %s: %v, %v", design, world, answer, err)
			}
			if m := j.Metrics(); m["faults"] != 9 || m["partitions"] != partitions || m["crashes"] != crashes {
				t.Errorf("%s, %s: %v; want 9 faults with %d partitions and %d crashes", design, world, m, partitions,
					crashes)
			}
		}
	}
}
