package endpoint

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/plan"
)

// alive reports whether a process runs and is no zombie.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	s, ok := proc.ParseStat(string(text))
	return !ok || s.State != 'Z' && s.State != 'X'
}

// newPort returns a free port and the readiness of a server there, which must be killed within the test's own time.
func newPort(t *testing.T) (int, readiness) {
	t.Helper()
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	return port, readiness{address: fmt.Sprintf("127.0.0.1:%d", port), limit: time.Hour, grace: time.Hour}
}

// TestServer checks servers of different behaviour: all end, with what they started.
func TestServer(t *testing.T) {
	for name, x := range map[string]struct {
		as, more string
		grace    time.Duration
		poses    []string
	}{
		"obedient":          {"obedient", "", time.Hour, []string{"obedient"}},
		"ignores SIGTERM":   {"stubborn", "", time.Millisecond, []string{"stubborn"}},
		"in other sessions": {"forking", "bare", time.Millisecond, []string{"forking", "stubborn"}},
		"prints endlessly":  {"noisy", "", time.Hour, []string{"noisy"}},
	} {
		t.Run(name, func(t *testing.T) {
			stage := newStage(t)
			port, ready := newPort(t)
			ready.grace, ready.url = x.grace, "http://"+ready.address
			s, err := startServer(t.Context(), stage.words(x.as, port, x.more), ready)
			if err != nil {
				t.Fatal(err)
			}
			actors := stage.enter(x.poses...)
			if cpu, ok := s.cpu(); !ok || cpu <= 0 {
				t.Errorf("CPU time %v, %t", cpu, ok)
			}
			select {
			case <-s.exited():
				t.Error("it has ended")
			default:
			}

			for range 2 {
				if err := s.stop(); err != nil {
					t.Error(err)
				}
			}
			<-s.exited()
			for _, a := range actors {
				if alive(a.pid) {
					t.Errorf("%s is alive", a.pose)
				}
			}
			if n := len(s.out.String()); n > 600<<10 || x.as == "noisy" && n == 0 {
				t.Errorf("%d bytes of output are kept", n)
			}
			if err := s.cause(); !strings.Contains(err.Error(), "signal: ") {
				t.Error(err)
			}
		})
	}
}

// TestServerEnds checks a server that ends by itself, before it is stopped and meanwhile: its helper ends too, and its
// status is known.
func TestServerEnds(t *testing.T) {
	for name, stop := range map[string]func(*server) error{
		"before":    func(s *server) error { <-s.exited(); return s.stop() },
		"meanwhile": (*server).stop,
	} {
		t.Run(name, func(t *testing.T) {
			stage := newStage(t)
			ready := readiness{url: "http://" + httpServer(t), limit: time.Hour, grace: time.Millisecond}
			s, err := startServer(t.Context(), stage.words("leaving"), ready)
			if err != nil {
				t.Fatal(err)
			}
			actors := stage.enter("leaving", "stubborn")
			actors["leaving"].kill(t)
			if err := stop(s); err != nil || alive(actors["stubborn"].pid) {
				t.Errorf("%v; its helper is alive: %t", err, alive(actors["stubborn"].pid))
			}
			<-s.exited()
			if err := s.cause(); !strings.HasSuffix(err.Error(), " ended: signal: killed; it printed nothing") {
				t.Error(err)
			}
		})
	}
}

// TestDaemon checks a server that moves to the background.
func TestDaemon(t *testing.T) {
	stage := newStage(t)
	port, ready := newPort(t)
	s, err := startServer(t.Context(), stage.words("daemon", port), ready)
	if err != nil {
		t.Fatal(err)
	}
	actors := stage.enter("daemon", "obedient")
	// Its first process ends; the other one serves.
	actors["daemon"].conn.Write([]byte("\n"))
	actors["daemon"].left()
	select {
	case <-s.exited():
		t.Error("it has ended")
	default:
	}
	if err := s.stop(); err != nil || alive(actors["obedient"].pid) {
		t.Error(err)
	}
}

// TestServerFails checks the errors of servers that do not start.
func TestServerFails(t *testing.T) {
	_, ready := newPort(t)
	ready.limit = time.Hour
	fail, crash := newStage(t).words("fail"), newStage(t).words("crash")
	for want, words := range map[string][]string{
		"before it was ready, the server " + os.Args[0]:                                         fail,
		" fail ended: exit status 3; its output ends: reading | line 3: no such\\x1b[2J option": fail,
		" crash ended: exit status 2; it printed: panic: sour milk":                             crash,
		"cannot start the server './no such': ":                                                 {"./no such"},
		"cannot start the server /: ":                                                           {"/"},
		"the command of the server is empty":                                                    nil,
		"not found in $PATH; to set a variable, begin the command with env":                     {"A=1", "server"},
	} {
		if s, err := startServer(t.Context(), words, ready); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v; want %q", s, err, want)
		}
	}
}

// rounds sends requests, and calls enough after the second one that counts.
type rounds struct {
	entered <-chan struct{} // none counts before this is closed
	replies bool            // only those count that got a reply
	refused error           // of each, if not nil
	enough  func()
	counted int
}

func (r *rounds) RoundTrip(request *http.Request) (*http.Response, error) {
	<-r.entered
	reply, err := (*http.Response)(nil), r.refused
	if err == nil {
		reply, err = http.DefaultTransport.RoundTrip(request)
	}
	if err == nil || !r.replies {
		if r.counted++; r.counted == 3 {
			r.enough()
		}
	}
	return reply, err
}

// TestNeverReady checks the errors of servers that run and never become ready.
func TestNeverReady(t *testing.T) {
	untrusted := &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	for name, want := range map[string][]string{
		"busy": {" was not ready within 1h0m0s: GET http://", " was answered by 503 (Service Unavailable)",
			"warming up"},
		"idle": {" was not ready within 1h0m0s: Get \"http://", "connection refused; its output ends: no port; " +
			"correct its port or its address, or give it longer (option ready-within)"},
		"idle untrusted": {"signed by unknown authority; its output ends: no port; give the certificate of its " +
			"authority (option ca-file)"},
	} {
		t.Run(name, func(t *testing.T) {
			as, refuses, _ := strings.Cut(name, " ")
			stage := newStage(t)
			port, ready := newPort(t)
			s, err := launch(t.Context(), stage.words(as, port), ready)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			entered := make(chan struct{})
			ready.url, ready.options.known = "http://"+ready.address, true
			transport := &rounds{entered: entered, replies: as == "busy", enough: cancel}
			if refuses != "" {
				transport.refused = untrusted
			}
			ready.client = &http.Client{Transport: transport}
			done := make(chan error, 1)
			go func() { done <- s.await(ctx, ready) }()
			a := stage.enter(as)[as]
			close(entered)
			err = <-done
			for _, w := range want {
				if err == nil || !strings.Contains(err.Error(), w) {
					t.Errorf("%v\nhas no %q", err, w)
				}
			}
			if alive(a.pid) {
				t.Error("it is alive")
			}
		})
	}
}

// TestServerCancelled checks that nothing is left if the start is interrupted.
func TestServerCancelled(t *testing.T) {
	stage := newStage(t)
	port, ready := newPort(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := startServer(ctx, stage.words("idle", port), ready)
		done <- err
	}()
	a := stage.enter("idle")["idle"]
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || alive(a.pid) {
		t.Error(err)
	}
}

// TestPortInUse checks that a port in use is refused before the start, with the name of who uses it.
func TestPortInUse(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", ":0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		port := l.Addr().(*net.TCPAddr).Port
		_, err = startServer(t.Context(), []string{"true"}, readiness{address: fmt.Sprintf("localhost:%d", port)})
		want := fmt.Sprintf("port %d is already in use by %%s (process %d)", port, os.Getpid())
		before, after, _ := strings.Cut(want, "%s")
		if err == nil || !strings.Contains(err.Error(), before) || !strings.Contains(err.Error(), after) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestSocketInUse checks that a unix socket in use is refused before the start, and that a left file is not.
func TestSocketInUse(t *testing.T) {
	ready := readiness{unix: t.TempDir() + "/s", address: "127.0.0.1:1"}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: ready.unix})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_, err = startServer(t.Context(), []string{"true"}, ready)
	if err == nil || !strings.Contains(err.Error(), ready.unix+" is already in use") {
		t.Error(err)
	}
	l.Close()
	if err := ready.free(); err != nil {
		t.Error(err)
	}
}

// TestLocalPort checks which addresses are those of this machine.
func TestLocalPort(t *testing.T) {
	for address, want := range map[string]bool{"localhost:80": true, "LocalHost.:80": true, "127.0.0.2:80": true,
		"[::1]:80": true, "[::ffff:127.0.0.1]:80": true, "0.0.0.0:80": true, ":80": true, "192.0.2.1:80": false,
		"localhost.example.org:80": false} {
		if port, local := (readiness{address: address}).port(); local != want || port != 80 {
			t.Errorf("%s: %d, %t", address, port, local)
		}
	}
}

// TestUsable checks a port that this process must not use, and that a server may.
func TestUsable(t *testing.T) {
	denied := &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EACCES)}
	port, _ := newPort(t)
	if err := usable(port, denied); err != nil {
		t.Error(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := usable(l.Addr().(*net.TCPAddr).Port, denied); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Error(err)
	}
}

// TestHeld checks processes that begin to listen while they are read, and one that does not appear.
func TestHeld(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ready := readiness{address: l.Addr().String()}
	reads := 0
	late := func() []int {
		if reads++; reads < 3 {
			return nil
		}
		return []int{os.Getpid()}
	}
	if err := ready.held(nil, late); err != nil || reads != 3 {
		t.Errorf("%v after %d reads", err, reads)
	}
	over := make(chan struct{})
	close(over)
	if err := ready.held(over, func() []int { return nil }); err == nil {
		t.Error("the port of another process is accepted")
	}

	_, ready = newPort(t)
	beginning := func() []int {
		l, err := net.Listen("tcp", ready.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return nil
	}
	if err := ready.owned(beginning); err != nil {
		t.Error(err)
	}
}

// TestEndedServer checks that the cause of the end of a server is in the errors of its load, also if another server
// answers at its address.
func TestEndedServer(t *testing.T) {
	stage := newStage(t)
	url := "http://" + httpServer(t)
	ready := readiness{url: url, limit: time.Hour, grace: time.Millisecond}
	s, err := startServer(t.Context(), stage.words("leaving"), ready)
	if err != nil {
		t.Fatal(err)
	}
	stage.enter("leaving", "stubborn")["leaving"].kill(t)
	<-s.exited()
	service := &Service{Requests: []Request{{URL: url}}}
	c, err := newClient(t.Context(), service, "", plan.Point{})
	if err != nil {
		t.Fatal(err)
	}
	l := &load{service: service, client: c, counters: c.counters, server: s, used: -1}

	for k := range kind(kindCount) {
		for range 20 {
			if err := l.explain(errors.New("x"), k); !strings.HasPrefix(err.Error(), "x; the server ") {
				t.Fatalf("%v: %v", k, err)
			}
		}
	}
	l.close()
	if err := l.check(); err == nil || !strings.Contains(err.Error(), "before the load was over, the server ") ||
		!strings.Contains(err.Error(), "signal: killed") {
		t.Error(err)
	}
}

// TestPortTaken checks that the port of another process is refused, even if that process takes it after the start.
func TestPortTaken(t *testing.T) {
	stage := newStage(t)
	port, ready := newPort(t)
	done := make(chan error, 1)
	go func() {
		_, err := startServer(t.Context(), stage.words("idle"), ready)
		done <- err
	}()
	a := stage.enter("idle")["idle"]
	l, err := net.Listen("tcp", ready.address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	want := fmt.Sprintf("does not serve there: port %d belongs to another process by ", port)
	if err := <-done; err == nil || !strings.Contains(err.Error(), want) || alive(a.pid) {
		t.Errorf("%v; want %q", err, want)
	}
}

// TestKilled kills the processes between a user and a server. Its helper has a session of its own and ignores SIGTERM;
// a bare one has no environment either, so only the keeper finds it.
func TestKilled(t *testing.T) {
	for name, x := range map[string]struct {
		victims []string
		dress   string
	}{
		"brewput":           {[]string{"lab"}, "bare"},
		"trial":             {[]string{"child"}, "bare"},
		"brewput and trial": {[]string{"lab", "child"}, "bare"},
		"keeper":            {[]string{"keeper"}, "marked"},
		"all":               {[]string{"lab", "child", "keeper"}, "marked"},
	} {
		t.Run(name, func(t *testing.T) {
			stage := newStage(t)
			port, _ := newPort(t)
			words := stage.words("lab", stage.l.Addr(), "forking", port, x.dress)
			cmd := exec.Command(words[0], words[1:]...)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer cmd.Process.Kill()

			actors := stage.enter("lab", "forking", "stubborn", "child")
			actors["keeper"] = &actor{pose: "keeper", pid: actors["forking"].parent}
			for _, v := range x.victims { // stopped ones cannot act in between
				syscall.Kill(actors[v].pid, syscall.SIGSTOP)
			}
			for _, v := range x.victims {
				actors[v].kill(t)
			}
			if name == "trial" {
				line, err := actors["lab"].lines.ReadString('\n')
				if !strings.Contains(line, "signal: killed") {
					t.Errorf("%q, %v", line, err)
				}
				for _, a := range actors {
					if alive(a.pid) && a.pose != "lab" {
						t.Errorf("the trial has returned, and %s is alive", a.pose)
					}
				}
			}
			actors["forking"].left()
			if name == "all" { // what the next start of a server does
				for alive(actors["keeper"].pid) {
					runtime.Gosched()
				}
				proc.EndAbandoned()
			}
			actors["stubborn"].left()
			for alive(actors["keeper"].pid) {
				runtime.Gosched() // until it has ended, or the test times out
			}
		})
	}
}

// native returns four bytes as a number of this machine.
func native(b []byte) uint32 { return binary.NativeEndian.Uint32(b) }

// httpServer returns the address of a server of this process.
func httpServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// TestParseListeners checks addresses as the kernel writes them on this machine.
func TestParseListeners(t *testing.T) {
	for host, want := range map[string]bool{"127.0.0.1": true, "127.1.2.3": true, "0.0.0.0": true, "::1": true,
		"::": true, "::ffff:127.0.0.1": true, "10.0.0.127": false, "fe80::1": false, "::7f": false} {
		text := ""
		ip := net.ParseIP(host)
		if v4 := ip.To4(); v4 != nil && !strings.Contains(host, ":") {
			ip = v4
		}
		for i := 0; i+4 <= len(ip); i += 4 {
			text += fmt.Sprintf("%08X", native(ip[i:i+4]))
		}
		if got := reachable(text); got != want {
			t.Errorf("%s: %t", host, got)
		}
	}
	line := "0: 0100007F:1F90 00000000:0000 %s 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100\n"
	text := "sl local_address\n" + fmt.Sprintf(line, "01") + fmt.Sprintf(line, "0A")
	if native([]byte{127, 0, 0, 1}) == 0x0100007F {
		if got := parseListeners(text, 8080); len(got) != 1 || got[0] != "4711" {
			t.Errorf("%v", got)
		}
	}
	if got := parseListeners(text, 8081); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
