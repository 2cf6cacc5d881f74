package messenger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/catalog/messenger"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// run runs a trial of a design in this process, and returns its metrics.
func run(t *testing.T, design, settings string) (metrics map[string]float64, err error) {
	t.Helper()
	w := Workload()
	d, ok := w.Find(design)
	if !ok {
		t.Fatal("there is no design", design)
	}
	p := workloadtest.Point(t, w, settings).Only(w.FactorsOf(d))
	left := live.New(live.Config{Seed: 1, BurnRate: 1, Poller: true}).Run("test", func(e env.Env) {
		j, failed := d.Job(e, p)
		if err = failed; err != nil {
			return
		}
		if err = j.Run(e); err == nil {
			_, err = j.Check()
			metrics = j.Metrics()
		}
	})
	if left != nil {
		t.Error(left)
	}
	return metrics, err
}

// TestDesigns runs each design at several points. Their check compares both logs. Nothing is left behind.
func TestDesigns(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Setenv("TMPDIR", t.TempDir())
	for _, d := range Workload().Designs {
		for _, settings := range []string{
			"messages=1", "messages=300 clients=3 network=unix", "messages=200 tls=on delivery=at-least-once size=3",
			"messages=50 clients=2 work=30us size=0 buffer=4 window=2", "messages=20 delay=200us tls=on network=unix",
			"messages=12 size=100000 buffer=1 window=1",
		} {
			t.Run(d.Name+" "+settings, func(t *testing.T) {
				m, err := run(t, d.Name, settings)
				if err != nil {
					t.Fatal(err)
				}
				all := m["acknowledged"]
				if all == 0 || m["stored"] != all || m["transmissions"] > all || m["unknown"]+m["not_sent"] != 0 ||
					m["server_cpu_seconds"] <= 0 || m["ack_mean_ns"] <= 0 {
					t.Error(m)
				}
				if delayed := strings.Contains(settings, "delay"); delayed && m["ack_mean_ns"] < 400e3 {
					t.Errorf("acknowledgements took %v ns, less than two delays", m["ack_mean_ns"])
				}
			})
		}
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// fake is a dialer, and its only connection. It acknowledges all messages, or none.
type fake struct {
	acks    bool
	dials   int
	replies chan []byte
	closed  bool // used by the sender only
}

func (f *fake) dial() (conn, error) {
	f.dials++
	f.replies, f.closed = make(chan []byte, 100), false
	return f, nil
}

func (f *fake) buffer(n int) []byte { return make([]byte, 0, n) }

func (f *fake) send(b []byte) error {
	x, err := decode(b)
	switch {
	case x.kind == kindHello:
		f.replies <- appendWelcome(nil, messenger.Welcome{Epoch: x.hello.Epoch})
	case f.acks:
		f.replies <- appendAck(nil, messenger.Ack{Epoch: x.batch.Epoch, Span: x.batch.Span})
	default:
		f.replies <- []byte{kindNothing}
	}
	return err
}

func (f *fake) receive() ([]byte, error) {
	if b, ok := <-f.replies; ok {
		return b, nil
	}
	return nil, io.EOF
}

func (f *fake) close() error {
	if !f.closed {
		close(f.replies)
		f.closed = true
	}
	return nil
}

// TestBatches checks that queued messages share transmissions, and that a message does not wait for others.
func TestBatches(t *testing.T) {
	for most, want := range map[int]int{1: 10, 4: 3, 64: 1} {
		c := newClient(1, 10, 10, messenger.AtMostOnce, func(messenger.Span, messenger.State) {})
		c.dialer, c.buffer, c.most = &fake{acks: true}, 10, most
		err := live.New(live.Config{Seed: 1}).Run("test", func(e env.Env) {
			c.produce(e)
			if err := c.run(c.pipeline, e); err != nil || c.transmissions != want {
				t.Errorf("at most %d: %d transmissions, want %d: %v", most, c.transmissions, want, err)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	if m, err := run(t, "grpc-batches", "messages=50 buffer=1"); err != nil || m["transmissions"] != 50 {
		t.Errorf("%v transmissions, %v", m["transmissions"], err)
	}
}

// TestIdle checks that a client gives up a server that accepts connections and acknowledges nothing.
func TestIdle(t *testing.T) {
	unknown := 0
	c := newClient(1, 10, 1, messenger.AtLeastOnce, func(s messenger.Span, state messenger.State) {
		if state == messenger.Unknown {
			unknown += s.Len()
		}
	})
	f := &fake{}
	c.dialer = f
	err := live.New(live.Config{Seed: 1}).Run("test", func(e env.Env) {
		err := c.run(c.exchange, e)
		if err == nil || !strings.Contains(err.Error(), "the message was not acknowledged") || f.dials != idleLimit ||
			unknown != 1 {
			t.Errorf("%d connections, %d messages are unknown: %v", f.dials, unknown, err)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// TestServerEnds checks that clients give up a server that has ended, and that the error names its end. After the run,
// the trial has failed: its answer is not wrong.
func TestServerEnds(t *testing.T) {
	w := Workload()
	d, _ := w.Find("grpc-async")
	p := workloadtest.Point(t, w, "clients=2 messages=10 delivery=at-least-once").Only(w.FactorsOf(d))
	for _, early := range []bool{true, false} {
		x := &trial{mode: mode{transport: "grpc", limit: "buffer"}}
		if err := x.open(p); err != nil {
			t.Fatal(errors.Join(err, x.close()))
		}
		server, err := os.FindProcess(x.process.PID())
		if err != nil {
			t.Fatal(errors.Join(err, x.close()))
		}
		left := live.New(live.Config{Seed: 1}).Run("test", func(e env.Env) {
			j := x.job(p)
			if early {
				server.Kill()
			}
			if err = j.Run(e); err == nil {
				server.Kill()
				_, err = j.Check()
			}
		})
		if left != nil || err == nil ||
			!strings.HasPrefix(err.Error(), "the server messenger failed: signal: killed") ||
			strings.Contains(err.Error(), "client 1 cannot connect: ") != early ||
			errors.As(err, &workload.FailedError{}) == early || strings.Contains(err.Error(), "client 2") {
			t.Error(early, left, err)
		}
	}
}

// TestDue checks that each part of the messages makes a fault due, however many have their state at once.
func TestDue(t *testing.T) {
	x := &trial{faults: 4, disturbs: make(chan struct{}, 4)}
	for _, c := range []struct {
		n    int64
		want int
	}{{9, 0}, {1, 1}, {25, 3}, {100, 4}} {
		if x.advance(c.n, 10); len(x.disturbs) != c.want {
			t.Errorf("%d faults are due after %d messages, want %d", len(x.disturbs), x.progress, c.want)
		}
	}
}

// TestLarge checks that all transports send messages of 5 MB.
func TestLarge(t *testing.T) {
	for _, d := range Workload().Designs {
		if m, err := run(t, d.Name, "messages=2 size=5000000"); err != nil || m["acknowledged"] != 2 {
			t.Errorf("%s: %v, %v", d.Name, m, err)
		}
	}
}

// TestKills kills the server while clients send, and resets their connections. Each message must be in one state, and
// none twice in the log of the server, which the check of the trial verifies. At-least-once delivery must acknowledge
// all. make messages has hundreds of kills.
func TestKills(t *testing.T) {
	const kills = 2 // of the server for each design and delivery
	for _, d := range Workload().Designs {
		for delivery, network := range map[string]string{"at-most-once": "tcp", "at-least-once": "unix"} {
			t.Run(d.Name+" "+delivery, func(t *testing.T) {
				each := 50 // messages of a client between two faults
				if slices.Contains(d.Uses, "buffer") {
					each = 200 // the others are in flight
				}
				n := each * (2*kills + 1)
				m, err := run(t, d.Name, fmt.Sprintf("clients=3 messages=%d buffer=8 window=8 faults=%d delivery=%s "+
					"network=%s", n, 2*kills, delivery, network))
				if err != nil {
					t.Fatal(err)
				}
				// The last ones may be late for the clients.
				if n := int(m["crashes"]); n < 1 || n < kills-1 || n > kills || m["connects"] <= 3 {
					t.Errorf("%v crashes and %v resets, %v connections", m["crashes"], m["resets"], m["connects"])
				}
				if delivery == "at-least-once" && (m["unknown"]+m["not_sent"] != 0 || int(m["stored"]) != 3*n) {
					t.Error("not all messages are acknowledged:", m)
				}
				// A connection that breaks leaves at most 8 messages unknown.
				if m["acknowledged"] == 0 || m["not_sent"] != 0 || m["unknown"] > 8*m["connects"] {
					t.Error("too few messages are acknowledged:", m)
				}
			})
		}
	}
}

// TestRefused checks that a size that no transmission can have is refused.
func TestRefused(t *testing.T) {
	var refused *plan.Refusal
	if _, err := run(t, "grpc-sync", "size=100000000"); !errors.As(err, &refused) || refused.Field != "size" {
		t.Error(err)
	}
}

// TestOutage checks that outages last half to one and a half of their mean.
func TestOutage(t *testing.T) {
	trial := trial{outage: 2 * time.Millisecond}
	for u, want := range map[float64]time.Duration{0: time.Millisecond, 0.5: 2 * time.Millisecond,
		1: 3 * time.Millisecond} {
		if got := trial.down(u); got != want {
			t.Errorf("%v: %v, want %v", u, got, want)
		}
	}
}
