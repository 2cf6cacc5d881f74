// Package peers has designs of the workload peers whose servers are real processes that talk over gRPC. The servers run
// the protocols of package catalog/peers. Faults are real too: servers are killed by kill -9 and started again, and
// proxies between the processes hold or reset connections.
package peers

import (
	"context"
	"time"

	"github.com/brewput/brewput/catalog/peers"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload peers with these designs.
func Workload() *workload.Workload {
	w := peers.Workload()
	uses := []string{"peers", "clients", "identities", "latency", "faults", "lease"}
	w.Designs = []workload.Design{
		{Name: "grpc-leased", Doc: "as leased, by processes over gRPC, which are killed; all faults happen", Uses: uses,
			Job: newLeased, Worlds: workload.LiveOnly},
		{Name: "grpc-interleaved", Doc: "as interleaved, by processes over gRPC, which are killed; all faults happen",
			Uses: uses, Job: newInterleaved, Worlds: workload.LiveOnly},
	}
	return w
}

// newLeased leases blocks of identities of the first server to the others.
func newLeased(e env.Env, p plan.Point) (workload.Job, error) { return job(e, p, "leased") }

// newInterleaved issues every n-th identity by each of n servers.
func newInterleaved(e env.Env, p plan.Point) (workload.Job, error) { return job(e, p, "interleaved") }

// job starts a system, and returns its job. Without faults each client gets the identities that it asks for; otherwise
// nobody knows before how many more, so there is no rate.
func job(e env.Env, p plan.Point, protocol string) (workload.Job, error) {
	d := e.Rand().At(0, 0)
	s, err := open(context.Background(), Config{Protocol: protocol, Peers: p.Int("peers"), Clients: p.Int("clients"),
		Identities: p.Int("identities"), Faults: p.Int("faults"), Latency: p.Duration("latency"),
		Lease: uint64(p.Int("lease")), Seed: d.Uint64()})
	if err != nil {
		return workload.Job{}, err
	}
	items := int64(0)
	if s.Faults == 0 {
		items = int64(s.Clients) * int64(s.Identities)
	}
	return workload.Job{
		Items: items,
		Run: func(env.Env) error {
			run := func() error { return s.run(context.Background()) }
			for _, p := range s.processes {
				rest := run
				run = func() error { return p.Measure(rest) }
			}
			err := run()
			if err != nil {
				err = remote.Join(s.stop(), err)
			}
			return err
		},
		Check: func() (workload.Answer, error) {
			wrong, err := s.finish()
			if wrong == nil && err != nil {
				wrong = workload.FailedError{Err: err}
			}
			return workload.Answer{"received": s.counts.Asked}, wrong
		},
		Metrics: func() map[string]float64 {
			n := s.counts
			m := map[string]float64{"received": float64(n.Received), "issued": float64(n.Issued),
				"faults": float64(n.Faults), "partitions": float64(n.Partitions), "crashes": float64(n.Kills)}
			used, known := time.Duration(0), true
			for _, p := range s.processes {
				d, ok := p.CPU()
				used, known = used+d, known && ok
			}
			if known {
				m["server_cpu_seconds"] = used.Seconds()
			}
			return m
		},
	}, nil
}
