package identity

import (
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	remote.Main(Server())
	os.Exit(m.Run())
}

// TestServerEnds kills the server while callers call it, by each way of calling. The error names its end, and no
// process is left.
func TestServerEnds(t *testing.T) {
	p := workloadtest.Point(t, Workload(), "calls=1000000 callers=3")
	for name, open := range map[string]open{"unary": unaryCalls, "stream": streamCalls,
		"batches": (&batcher{}).open} {
		c, err := start(settings{Counter: "sequence"}, 3)
		if err != nil {
			t.Fatal(err)
		}
		server, err := os.FindProcess(c.process.PID())
		if err != nil {
			t.Fatal(err)
		}
		var once sync.Once
		kill := func(c *client, conn *grpc.ClientConn) (func() (uint64, error), error) {
			call, err := open(c, conn)
			n := 0
			return func() (uint64, error) {
				if n++; n == 100 {
					once.Do(func() { server.Kill() })
				}
				return call()
			}, err
		}
		left := live.New(live.Config{Seed: 1, BurnRate: 1}).Run("test", func(e env.Env) {
			if err = c.job(e, p, kill).Run(e); err == nil {
				err = c.stop()
			}
		})
		if left != nil {
			t.Error(name, left)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "the server identity failed: signal: killed") ||
			!strings.Contains(err.Error(), "; a call failed: ") || strings.Contains(err.Error(), "rpc error") {
			t.Errorf("%s: %v", name, err)
		}
		if server.Signal(syscall.Signal(0)) == nil {
			t.Errorf("%s: the server is left", name)
		}
	}
}

// TestServerEndsLate kills the server after the calls: the trial has failed, and its answer is not wrong.
func TestServerEndsLate(t *testing.T) {
	p := workloadtest.Point(t, Workload(), "calls=10 callers=1")
	c, err := start(settings{Counter: "sequence"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	left := live.New(live.Config{Seed: 1, BurnRate: 1}).Run("test", func(e env.Env) {
		j := c.job(e, p, unaryCalls)
		if err = j.Run(e); err != nil {
			return
		}
		server, failed := os.FindProcess(c.process.PID())
		if failed != nil {
			t.Error(failed)
			return
		}
		server.Kill()
		_, err = j.Check()
	})
	if left != nil || !errors.As(err, &workload.FailedError{}) ||
		!strings.HasPrefix(err.Error(), "the server identity failed: signal: killed") {
		t.Error(left, err)
	}
}

// TestWaited checks the time in a counter where it is known: replies take 3 ms instead of their nominal time, because
// CPUs are busy. An actor makes the second of four calls wait for 3 ms, the third for 6 and the last for 9. No other
// call waits.
func TestWaited(t *testing.T) {
	for _, c := range []struct {
		counter string
		calls   int
		want    time.Duration // of all calls
	}{
		{"simple", 1, 0}, {"locker", 1, 0}, {"sequence", 4, 0}, {"actor", 4, 18 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			reply := func() time.Duration {
				time.Sleep(3 * time.Millisecond)
				return 3 * time.Millisecond
			}
			x := &server{counter: newCounter(settings{Counter: c.counter, Mailbox: c.calls}, reply)}
			var all sync.WaitGroup
			for range c.calls {
				all.Go(func() { x.next() })
			}
			all.Wait()
			x.counter.stop()
			if got := time.Duration(x.waited.Load()); got != c.want {
				t.Errorf("%s: %v, want %v", c.counter, got, c.want)
			}
		})
	}
}
