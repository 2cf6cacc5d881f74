package messenger

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	trial.Main(Workload())
	seeded.Fix()
	os.Exit(m.Run())
}

// right are the designs without faults of their own.
func right() []string { return []string{"sync", "async", "in-order", "window", "batches"} }

func find(t workloadtest.T, name string) workload.Design {
	d, ok := Workload().Find(name)
	if !ok {
		t.Fatal("no design", name)
	}
	return d
}

// simulate runs a design in virtual time.
func simulate(t workloadtest.T, d workload.Design, seed uint64, costs sim.Costs, settings ...string) result.Trial {
	w := Workload()
	return workloadtest.Virtual(w, d, workloadtest.Point(t, w, settings...), seed, costs)
}

// TestMessenger checks random systems with crashes, resets and loss: the job compares the logs of both sides.
func TestMessenger(t *testing.T) {
	for _, design := range right() {
		rapid.Check(t, func(t *rapid.T) {
			n := func(name string, from, to int) string {
				return fmt.Sprintf("%s=%d", name, rapid.IntRange(from, to).Draw(t, name))
			}
			one := func(name string, levels ...string) string {
				return name + "=" + rapid.SampledFrom(levels).Draw(t, name)
			}
			delivery := one("delivery", "at-most-once", "at-least-once")
			clients, messages := rapid.IntRange(1, 4).Draw(t, "clients"), rapid.IntRange(1, 120).Draw(t, "messages")
			faults, loss := n("faults", 0, 12), one("loss", "0", "0", "0.05", "0.3")
			x := simulate(t, find(t, design), rapid.Uint64().Draw(t, "seed"), sim.Costs{Chan: sim.Ns(100)},
				fmt.Sprintf("clients=%d messages=%d", clients, messages), n("window", 1, 9), n("buffer", 1, 20), faults,
				n("cpus", 1, 4),
				one("work", "0s", "20us"), one("overhead", "0s", "1us", "5us"),
				one("delay", "0s", "100us"), loss, one("outage", "10us", "3ms"), one("bandwidth", "0", "1e6"), delivery)
			m := x.Metrics
			if !x.Good() {
				t.Fatalf("%s: %s %s", design, x.Status, x.Error)
			}
			if delivery == "delivery=at-least-once" && m.Get("acknowledged") != m.Get("stored") ||
				m.Get("acknowledged") > m.Get("stored") {
				t.Fatalf("%s, %s: %v", design, delivery, m)
			}
			whole := delivery == "delivery=at-least-once" || faults == "faults=0" && loss == "loss=0"
			if whole && m.Get("acknowledged") != result.Value(clients*messages) {
				t.Fatalf("%s, %s: %v of %d messages are acknowledged", design, delivery, m.Get("acknowledged"),
					clients*messages)
			}
		})
	}
}

// TestMessengerFaults checks each design through a hundred crashes of the server, and a hundred resets.
func TestMessengerFaults(t *testing.T) {
	for _, design := range right() {
		for _, delivery := range []string{"at-most-once", "at-least-once"} {
			x := simulate(t, find(t, design), 1, sim.Costs{Chan: sim.Ns(100)},
				"clients=3 messages=3000 buffer=16 delay=20us outage=100us faults=440 cpus=2 delivery="+delivery)
			m := x.Metrics
			faults := m.Get("crashes") + m.Get("resets")
			if !x.Good() || m.Get("crashes") < 100 || m.Get("resets") < 100 || faults < 400 {
				t.Errorf("%s, %s: %s %s %v", design, delivery, x.Status, x.Error, m)
			}
			lost := m.Get("unknown") + m.Get("not_sent")
			if (lost == 0) != (delivery == "at-least-once") || m.Get("not_sent") != 0 ||
				m.Get("acknowledged")+lost != 9000 {
				t.Errorf("%s, %s: %v", design, delivery, m)
			}
		}
	}
}

// TestLive runs all designs but the racy one on the Go runtime, where the race detector sees them.
func TestLive(t *testing.T) {
	for _, d := range Workload().Designs {
		if d.Name == "original" {
			continue
		}
		for _, settings := range []string{"", "clients=3 faults=6 delivery=at-least-once", "faults=6 loss=0.01"} {
			p := workloadtest.Point(t, Workload(), "messages=300 buffer=16 outage=1ms work=1us "+settings)

			_, err := workloadtest.Answer(t, live.New(live.Config{Seed: 1, BurnRate: 1}).Run, d,
				p.Only(Workload().FactorsOf(d)))
			if err != nil {
				t.Errorf("%s, %s: %v", d.Name, settings, err)
			}
		}
	}
}

// TestMessengerOriginal checks that the original is right while nothing fails, and loses messages if something does.
func TestMessengerOriginal(t *testing.T) {
	for _, c := range []struct{ settings, want string }{
		{"faults=0 clients=3", ""},
		{"faults=1", " has no state"},
		{"faults=9 clients=2", " has no state"},
	} {
		x := simulate(t, find(t, "original"), 1, sim.Costs{}, "messages=2000 cpus=4 "+c.settings)
		if x.Good() != (c.want == "") || !strings.Contains(x.Error, c.want) {
			t.Errorf("%s: %s %q, want %q", c.settings, x.Status, x.Error, c.want)
		}
	}
}

// TestFaultyHosts checks that the job finds servers whose faults need a crash, or messages of several goroutines.
func TestFaultyHosts(t *testing.T) {
	acksFirst := func(e env.Env, h *host, c *conn, s *Server) {
		for b, ok := c.up.Recv(); ok; b, ok = c.up.Recv() {
			c.down.Send(reply{Ack: Ack{b.Epoch, b.Span}}, ackBytes)
			e.Wait(200 * time.Microsecond) // stores, unless it crashes meanwhile
			h.lock.Lock()
			up := h.server == s
			h.lock.Unlock()
			if up {
				h.lock.Lock()
				_, _, _ = s.Receive(b)
				h.lock.Unlock()
			}
		}
	}
	unordered := func(e env.Env, h *host, c *conn, s *Server) {
		all := e.Group()
		for b, ok := c.up.Recv(); ok; b, ok = c.up.Recv() {
			all.Go(e, "handle", func(e env.Env) {
				e.Wait(time.Duration(b.From%3) * time.Microsecond)
				h.receive(e, c, s, b)
			})
		}
		all.Wait()
	}
	forgets := func(e env.Env, h *host, c *conn, s *Server) {
		handleInOrder(e, h, c, s)
		h.lock.Lock()
		h.log = Ledger{}
		h.lock.Unlock()
	}
	for _, c := range []struct {
		name, settings, want string
		design               design
	}{
		{"gives up", "faults=0", "the server has 0 of 200 messages, and there were no faults",
			design{one, one, func(c *client, _ env.Env) { c.sender.Add(c.messages) }, handleInOrder}},
		{"forgets", "faults=9 delivery=at-least-once buffer=4", "and resumes after message 0",
			design{level("buffer"), one, (*client).stream, forgets}},
		{"forgets, waits", "faults=9 delivery=at-least-once buffer=4", "and resumes after message 0",
			design{one, one, (*client).wait, forgets}},
		{"acks first", "faults=9 delay=50us outage=1us buffer=4", "is acknowledged, and not in the log",
			design{level("buffer"), one, (*client).stream, acksFirst}},
		{"unordered", "faults=0 window=4 buffer=8", "", design{level("buffer"), one, (*client).stream, unordered}},
	} {
		d := find(t, "in-order")
		d.Job = c.design.job
		x := simulate(t, d, 1, sim.Costs{}, "messages=200 cpus=2 overhead=1us "+c.settings)
		if x.Good() || !strings.Contains(x.Error, c.want) {
			t.Errorf("%s: %s %q, want %q: %v", c.name, x.Status, x.Error, c.want, x.Metrics)
		}
	}
}

// TestMessengerShape checks the ratios of the designs where CPU time for a transmission decides, and the formulas.
func TestMessengerShape(t *testing.T) {
	w := Workload()
	for _, settings := range []string{
		"cpus=8", "cpus=8 work=20us clients=2", "cpus=2 work=20us", "cpus=8 delay=1ms window=16",
		"cpus=8 bandwidth=1e6 size=1000",
	} {
		trials := map[string]result.Trial{}
		p := workloadtest.Point(t, w, "messages=4000 "+settings)
		for _, d := range w.Designs {
			trials[d.Name] = workloadtest.Virtual(w, d, p, 1, sim.Costs{Chan: sim.Ns(60), Lock: sim.Ns(15)})
			if x := trials[d.Name]; !x.Good() {
				t.Fatalf("%s, %s: %s %s", d.Name, settings, x.Status, x.Error)
			}
		}
		wall := func(design string) float64 { return trials[design].WallSeconds }
		measured := func(design, metric string, _ plan.Point) (float64, bool) {
			if metric == "wall_seconds" {
				return wall(design), true
			}
			x := trials[design].Metrics.Get(metric)
			return float64(x), x.Known()
		}
		for _, d := range w.Designs {
			if d.Formula == nil {
				continue
			}
			ratio := wall(d.Name) / d.Formula.Seconds(p, measured)
			if limits := []float64{0.97, 1.12}; d.Name == "batches" && !strings.Contains(settings, "work") {
				t.Logf("%s, %s: measured / formula = %.3f", d.Name, settings, ratio)
			} else if !(ratio > limits[0] && ratio < limits[1]) {
				t.Errorf("%s, %s: measured / formula = %.3f", d.Name, settings, ratio)
			}
		}
		if settings == "cpus=8" && (wall("sync") < 1.9*wall("async") || wall("async") < 8*wall("batches")) {
			t.Errorf("sync, async and batches take %v, %v and %v s", wall("sync"), wall("async"), wall("batches"))
		}
	}
}

// TestMessengerWindow checks that batches delays a message that comes alone no longer than async does.
func TestMessengerWindow(t *testing.T) {
	run := func(design string) result.Metrics {
		return simulate(t, find(t, design), 1, sim.Costs{Chan: sim.Ns(60)}, "buffer=1 messages=16500").Metrics
	}
	async, batches := run("async"), run("batches")
	for _, name := range []string{"ack_mean_ns", "ack_p99_ns"} {
		if a, b := async.Get(name), batches.Get(name); !(a > 0 && b <= 1.2*a) {
			t.Errorf("%s: async %v, batches %v", name, a, b)
		}
	}
}

// TestRepeats checks that equal seeds give equal trials, and other seeds other faults.
func TestRepeats(t *testing.T) {
	of := func(seed uint64) []float64 {
		x := simulate(t, find(t, "window"), seed, sim.Costs{}, "messages=500 clients=2 faults=5 loss=0.01")
		return []float64{x.WallSeconds, float64(x.Metrics.Get("unknown")), float64(x.Metrics.Get("connects"))}
	}
	if a, b, c := of(1), of(1), of(2); !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Errorf("%v, %v and %v", a, b, c)
	}
}
