package peers

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/internal/workloadtest"
)

// forgetful is a server that stores nothing.
const forgetful = "forgetful"

func TestMain(m *testing.M) {
	remote.Main(Server(), newServer(forgetful, func(string, uint64) error { return nil }))
	os.Exit(m.Run())
}

// run runs a system. wrong is what its check says.
func run(ctx context.Context, c Config) (n Counts, wrong, err error) {
	s, err := open(ctx, c)
	if err != nil {
		return n, nil, err
	}
	if err := s.run(ctx); err != nil {
		return n, nil, errors.Join(err, s.stop())
	}
	wrong, err = s.finish()
	return s.counts, wrong, err
}

// TestFaults runs three servers of each protocol through kills and partitions: make peers-live has hundreds of them.
func TestFaults(t *testing.T) {
	const faults = 12 // kills, partitions and their ends
	for _, protocol := range []string{"leased", "interleaved"} {
		n, wrong, err := run(t.Context(), Config{Protocol: protocol, Peers: 3, Clients: 4, Identities: 50,
			Faults: faults, Latency: 100 * time.Microsecond, Lease: 20, Seed: 5})
		if wrong != nil || err != nil || n.Asked != 200 || n.Faults != faults || n.Kills < faults/5 ||
			n.Partitions < faults/6 || n.Received < 200 || n.Issued < n.Received {
			t.Errorf("%s: %+v, %v, %v", protocol, n, wrong, err)
		}
	}
}

// TestForgetful checks that a server which stores nothing is found wrong after a kill.
func TestForgetful(t *testing.T) {
	for _, protocol := range []string{"leased", "interleaved"} {
		s, err := open(t.Context(), Config{Protocol: protocol, Peers: 1, Lease: 20, server: forgetful})
		if err != nil {
			t.Fatal(err)
		}
		issue(t, s)
		if err := errors.Join(s.processes[0].Kill(), s.processes[0].Restart(), s.join(t.Context(), 0)); err != nil {
			t.Fatal(errors.Join(err, s.stop()))
		}
		issue(t, s)
		wrong, err := s.finish()
		if wrong == nil || !strings.Contains(wrong.Error(), "was issued twice, by servers 0 and 0") || err != nil {
			t.Errorf("%s: %v, %v", protocol, wrong, err)
		}
	}
}

// issue lets the first server issue an identity.
func issue(t *testing.T, s *system) {
	t.Helper()
	conn, err := s.processes[0].Endpoint().GRPC(grpc.WithDefaultCallOptions(grpc.ForceCodecV2(remote.Raw())))
	if err == nil {
		defer conn.Close()
		var reply []byte
		err = conn.Invoke(t.Context(), "/"+serviceName+"/Issue", number(0), &reply)
	}
	if err != nil {
		t.Fatal(errors.Join(err, s.stop()))
	}
}

// TestJob checks the answer, and that the servers start before the run and end after it.
func TestJob(t *testing.T) {
	w := Workload()
	for _, d := range w.Designs {
		p := workloadtest.Point(t, w, "identities=20 clients=2 faults=0 peers=2").Only(w.FactorsOf(d))
		err := live.New(live.Config{Seed: 1}).Run("test", func(e env.Env) {
			j, err := d.Job(e, p)
			if err != nil {
				t.Fatal(err)
			}
			if err := j.Run(e); err != nil {
				t.Fatal(err)
			}
			a, err := j.Check()
			if err != nil || a["received"] != 40 || j.Items != 40 || j.Metrics()["received"] != 40 ||
				runtime.GOOS == "linux" && j.Metrics()["server_cpu_seconds"] <= 0 {
				t.Errorf("%s: %v, %d items, %v, %v", d.Name, a, j.Items, j.Metrics(), err)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestServersEnd checks that clients give up servers that have ended.
func TestServersEnd(t *testing.T) {
	s, err := open(t.Context(), Config{Protocol: "leased", Peers: 2, Clients: 2, Identities: 1, Lease: 1, limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.processes {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	}
	if err := s.run(t.Context()); err == nil || !strings.Contains(err.Error(), "got no identity for 1ns: ") ||
		strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}

// TestStopped checks that a system ends when it is told to.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := run(ctx, Config{Protocol: "leased", Peers: 1, Clients: 1, Identities: 1, Lease: 1}); err == nil {
		t.Error("no error")
	}
}
