//go:build unix

package endpoint

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// posing is the first argument of a process that poses as a server: posing, control, pose and further arguments. The
// process connects to the control address and keeps the connection until it ends.
const posing = "pose-as"

// pose acts as a server of a certain behaviour and does not return.
func pose(args []string) {
	control, as, more := args[0], args[1], append(args[2:], "")
	switch as {
	case "fail":
		fmt.Println("reading")
		fmt.Fprintln(os.Stderr, "\nline 3: no such\x1b[2J option")
		os.Exit(3)
	case "crash":
		panic("sour milk")
	case "busy": // it never becomes ready
		fmt.Println("warming up")
	case "idle": // it listens nowhere
		fmt.Println("no port")
	}

	conn := must(net.Dial("tcp", control))
	if as == "stubborn" {
		signal.Ignore(syscall.SIGTERM)
	}
	fmt.Fprintln(conn, as, os.Getpid(), os.Getppid())
	switch as {
	case "obedient", "stubborn":
		answer(more[0], http.StatusOK)
	case "busy":
		answer(more[0], http.StatusServiceUnavailable)
	case "noisy":
		go func() {
			for {
				fmt.Println(strings.Repeat("milk ", 200))
			}
		}()
		answer(more[0], http.StatusOK)
	case "daemon": // it leaves a server behind in another session
		start(control, "obedient", more[0], "bare")
		bufio.NewReader(conn).ReadString('\n')
		os.Exit(0)
	case "forking": // it has a helper in another session, which ignores SIGTERM
		start(control, "stubborn", "", more[1])
		answer(more[0], http.StatusOK)
	case "lab":
		lab(conn, more)
	case "leaving": // its helper would stay
		start(control, "stubborn", "", "bare")
		bufio.NewReader(conn).ReadString('\n')
		os.Exit(4)
	}
	conn.Read(make([]byte, 1)) // until the end of the test, if nothing ends this process before
	os.Exit(5)
}

// start starts another pose in a session of its own. A bare one has no environment.
func start(control, as, port, dress string) {
	cmd := exec.Command(os.Args[0], posing, control, as, port)
	if dress == "bare" {
		cmd.Env = []string{"BARE=1"}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// answer answers every request at a port, if there is one.
func answer(port string, status int) {
	if port == "" {
		return
	}
	panic(http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
	})))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// keptControl and keptWords are the environment of a trial's process that starts a server and waits for ever.
const (
	keptControl = "BREWPUT_TEST_CONTROL"
	keptWords   = "BREWPUT_TEST_WORDS"
)

// keptWorkload has a design that starts a server.
func keptWorkload() *workload.Workload {
	return &workload.Workload{Name: "kept", Doc: "starts a server", Factors: workload.Common(),
		Designs: []workload.Design{{Name: "waits", Doc: "waits", Worlds: workload.LiveOnly,
			Stream: func(env.Env, plan.Point) (workload.Stream, error) {
				conn := must(net.Dial("tcp", os.Getenv(keptControl)))
				words := strings.Fields(os.Getenv(keptWords))
				if _, err := startServer(context.Background(), words, readiness{
					address: "127.0.0.1:" + words[4], grace: time.Hour}); err != nil {
					panic(err)
				}
				fmt.Fprintln(conn, "child", os.Getpid(), os.Getppid())
				select {}
			}}}}
}

// lab runs a trial that starts a server, and says when that has returned.
func lab(conn net.Conn, words []string) {
	os.Setenv(keptWords, strings.Join(append([]string{os.Args[0], posing}, words...), " "))
	os.Setenv(keptControl, words[0])
	p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(1)})
	o, err := trial.Runner{}.Run(context.Background(), trial.Spec{Workload: "kept", Design: "waits", Point: p,
		Operations: 1, BurnRate: 1})
	fmt.Fprintln(conn, "returned:", o.Trial.Error, err)
}

// actor is a process that connected to the control address of a test.
type actor struct {
	pose        string
	pid, parent int
	conn        net.Conn
	lines       *bufio.Reader
}

// stage is the control address of a test.
type stage struct {
	t *testing.T
	l net.Listener
}

func newStage(t *testing.T) *stage {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &stage{t, l}
}

// words is the command line of a server.
func (s *stage) words(as string, more ...any) []string {
	words := []string{os.Args[0], posing, s.l.Addr().String(), as}
	for _, m := range more {
		words = append(words, fmt.Sprint(m))
	}
	return words
}

// enter waits for processes of these poses.
func (s *stage) enter(poses ...string) map[string]*actor {
	s.t.Helper()
	found := map[string]*actor{}
	for range poses {
		conn, err := s.l.Accept()
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { conn.Close() })
		a := &actor{conn: conn, lines: bufio.NewReader(conn)}
		if _, err := fmt.Fscan(a.lines, &a.pose, &a.pid, &a.parent); err != nil {
			s.t.Fatal(err)
		}
		a.lines.ReadString('\n')
		found[a.pose] = a
	}
	for _, p := range poses {
		if found[p] == nil {
			s.t.Fatalf("no process poses as %s: %v", p, found)
		}
	}
	return found
}

// left waits for the end of a process, which closes its connection.
func (a *actor) left() { a.lines.ReadString(0) }

// kill kills a process.
func (a *actor) kill(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(a.pid, syscall.SIGKILL); err != nil {
		t.Error(a.pose, err)
	}
}
