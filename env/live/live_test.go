package live

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/envtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestLaws tries the laws of env on the runtime as it is, and in a bubble of testing/synctest, whose
// clock moves only when every goroutine sleeps. Waiting for a sync.Mutex does not count as asleep
// there, so no time passes meanwhile.
func TestLaws(t *testing.T) {
	t.Run("runtime", func(t *testing.T) {
		envtest.Run(t, func(_ testing.TB, cfg envtest.Config) envtest.World {
			var w *World
			return adapt(&w, false, func(body func(env.Env)) error {
				w = New(Config{Seed: cfg.Seed, BurnRate: 1, Instrument: cfg.Instrument})
				return try(w, body)
			})
		})
	})
	t.Run("poller", func(t *testing.T) {
		envtest.Run(t, func(_ testing.TB, cfg envtest.Config) envtest.World {
			var w *World
			return adapt(&w, false, func(body func(env.Env)) error {
				w = New(Config{Seed: cfg.Seed, BurnRate: 1, Instrument: cfg.Instrument, Poller: true})
				return try(w, body)
			})
		})
	})
	t.Run("bubble", func(t *testing.T) {
		envtest.Run(t, func(t testing.TB, cfg envtest.Config) envtest.World {
			var w *World
			return adapt(&w, true, func(body func(env.Env)) (err error) {
				synctest.Test(t.(*testing.T), func(*testing.T) {
					w = New(Config{Seed: cfg.Seed, BurnRate: 1, Instrument: cfg.Instrument}) // inside the bubble
					err = try(w, body)
					time.Sleep(24 * time.Hour) // the bubble's: goroutines left behind end meanwhile
				})
				return err
			})
		})
	})
}

func adapt(w **World, exact bool, run func(body func(env.Env)) error) envtest.World {
	return envtest.World{
		Run:        run,
		Meters:     func() []*env.Meter { return (*w).Meters() },
		Violations: func() int64 { return (*w).Violations() },
		ExactTime:  exact,
	}
}

// try runs body and turns its panic, which Run passes on, into an error.
func try(w *World, body func(env.Env)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return w.Run("body", body)
}

func TestRunNamesLeftovers(t *testing.T) {
	var stop *env.Chan[int]
	ended := make(chan int, 3)
	err := New(Config{Grace: 1}).Run("body", func(e env.Env) {
		stop = env.NewChan[int](e, "stop", 0)
		for _, name := range []string{"b", "a", "b"} {
			e.Go(name, func(env.Env) {
				stop.Recv()
				ended <- 1
			})
		}
	})
	if err == nil || !strings.Contains(err.Error(), "a (1), b (2)") {
		t.Errorf("Run = %v, want the names a (1), b (2)", err)
	}
	stop.Close()
	for range 3 {
		<-ended
	}
}

// running lists, in order, the names of goroutines that have not ended, with their numbers.
func (t *names) running() []string {
	all, others := t.left()
	return format(all, others)
}

// TestNames fills the table with more names than it has buckets.
func TestNames(t *testing.T) {
	var n names
	for round := range 2 {
		for i := range 2000 {
			name := fmt.Sprintf("%d-worker-%d", i%7, i)
			if got := n.find(name[:len(name)/2] + name[len(name)/2:]).started.Add(1); got != int64(round+1) {
				t.Fatalf("round %d: %s was started %d times", round, name, got)
			}
		}
	}
	for _, name := range []string{"", "x", "yz", "abc"} {
		n.find(name).started.Add(1)
		n.find(name).ended.Add(1)
	}
	if got := len(n.running()); got != 2000 {
		t.Errorf("%d names have goroutines, want 2000", got)
	}
}

// TestNamesOfTasks: what a task keeps of its name counts only for the same name in the same world, as tasks
// are used again for others.
func TestNamesOfTasks(t *testing.T) {
	first, second := New(Config{}), New(Config{})
	task := env.NewTask(first, "a", nil) // its goroutine is started, by the count
	for _, w := range []*World{first, second} {
		for range 2 {
			if got := w.names.holdersOf(task); got != w.names.find("a") {
				t.Errorf("the task counts as one of %q of another world", got.name)
			}
		}
	}
	other := env.NewTask(second, "b", nil)
	other.Keep(second.names.find("a"))
	if got := second.names.holdersOf(other); got.name != "b" {
		t.Errorf("a task b counts as one of %q", got.name)
	}
	if left := strings.Join(append(first.names.running(), second.names.running()...), " "); left != "a (1) b (1)" {
		t.Errorf("running: %q", left)
	}
}

// TestManyNames: names that differ in one place, wherever it is, and more of them than are told apart: no list
// grows long, and no goroutine is lost.
func TestManyNames(t *testing.T) {
	const many = 3 * mostNames
	for _, format := range []string{"%d", "%05d-brewer", "brewer-%d", "b-%d-r",
		"a brewer of a very long name, number %d", "%d is the number of one"} {
		var n names
		for i := range many {
			n.find(fmt.Sprintf(format, i)).started.Add(1)
		}
		longest, known := 0, 0
		for i := range n.buckets {
			length := 0
			for h := n.buckets[i].Load(); h != nil; h = h.next {
				length++
			}
			longest, known = max(longest, length), known+length
		}
		if longest > 20 || known != mostNames { // 4 on average
			t.Errorf("%s: the longest list has %d of %d names", format, longest, known)
		}
		if left := n.running(); len(left) != mostNames+1 ||
			left[mostNames] != fmt.Sprintf("other names (%d)", many-mostNames) {
			t.Errorf("%s: %d names, the last %q", format, len(left), left[len(left)-1])
		}
		if n.ended() {
			t.Errorf("%s: %d goroutines are left, and all have ended", format, many)
		}
		for i := range many {
			n.find(fmt.Sprintf(format, i)).ended.Add(1)
		}
		if left := n.running(); !n.ended() || len(left) != 0 {
			t.Errorf("%s: all have ended but %q", format, left)
		}
	}
}

// fault is a panic value that takes its time to be printed: whoever takes the panicking goroutine
// for ended can meanwhile end the process.
type fault struct{}

func (fault) Error() string {
	for range 10000 {
		runtime.Gosched()
	}
	return "boiling over"
}

// TestChildPanics runs itself in a process of its own, which a goroutine's panic must end, and not
// the exit of those who wait for that goroutine.
func TestChildPanics(t *testing.T) {
	const key = "BREWPUT_TEST_PANIC"
	switch os.Getenv(key) {
	case "group":
		New(Config{}).Run("body", func(e env.Env) {
			g := e.Group()
			g.Go(e, "child", func(env.Env) { panic(fault{}) })
			g.Wait()
			os.Exit(0)
		})
	case "run":
		New(Config{}).Run("body", func(e env.Env) {
			e.Go("child", func(env.Env) { panic(fault{}) })
		})
		os.Exit(0)
	}
	for _, waiter := range []string{"group", "run"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestChildPanics$")
		cmd.Env = append(os.Environ(), key+"="+waiter)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "boiling over") ||
			!strings.Contains(string(out), "TestChildPanics.") {
			t.Errorf("%s: the panic of a goroutine must end the process with its stack: %v\n%s", waiter, err, out)
		}
	}
}

func TestViolationsByStation(t *testing.T) {
	w := New(Config{})
	w.Run("body", func(e env.Env) {
		for name, users := range map[string]int{"grinder": 3, "press": 2, "steamer": 1} {
			s := e.Station(name)
			for range users {
				s.Enter()
			}
		}
	})
	want := map[string]int64{"grinder": 2, "press": 1}
	if got := w.ViolationsByStation(); !maps.Equal(got, want) || w.Violations() != 3 {
		t.Errorf("%d violations, %v, want 3, %v", w.Violations(), got, want)
	}
}

func TestUseful(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		for _, observe := range []bool{false, true} {
			w := New(Config{BurnRate: 1, Instrument: observe})
			w.Run("body", func(e env.Env) {
				e.Burn(5)
				e.Burn(-3)                    // is none
				e.Work(func() { e.Sleep(7) }) // the bubble's clock moves only in a sleep
			})
			want := 12
			if !observe {
				want = 0
			}
			if got := w.Useful(); int(got) != want {
				t.Errorf("instrumented %v: useful work is %v, want %d", observe, got, want)
			}
		}
	})
}
