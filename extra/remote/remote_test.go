package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"

	"github.com/brewput/brewput/internal/proc"
)

// parent makes this test binary a process that starts a server and waits.
const parent = "BREWPUT_REMOTE_TEST_PARENT"

func TestMain(m *testing.M) {
	Main(Server{Name: "echo", Serve: echo}, Server{Name: "grpc", Serve: serveGRPC},
		Server{Name: "broken", Serve: func(context.Context, net.Listener, json.RawMessage) error {
			return errors.New("out of beans")
		}})
	if network := os.Getenv(parent); network != "" {
		p, err := Start(Config{Server: "echo", Network: network, Args: "hello"})
		fmt.Println(p.Endpoint().Address, err)
		select {}
	}
	os.Exit(m.Run())
}

// echo first sends its process ID and its arguments, and then each line that it receives.
func echo(ctx context.Context, l net.Listener, args json.RawMessage) error {
	context.AfterFunc(ctx, func() { l.Close() })
	for {
		c, err := l.Accept()
		if err != nil {
			return nil
		}
		go func() {
			defer c.Close()
			fmt.Fprintf(c, "%d %s\n", os.Getpid(), args)
			io.Copy(c, c)
		}()
	}
}

// line is a connection that sends and receives lines.
type line struct {
	net.Conn
	*bufio.Reader
}

func dial(t *testing.T, p Endpoint) line {
	t.Helper()
	c, err := p.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return line{c, bufio.NewReader(c)}
}

func (l line) Read(b []byte) (int, error) { return l.Reader.Read(b) }

// receive returns the next line.
func (l line) receive(t *testing.T) string {
	t.Helper()
	text, err := l.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(text, "\n")
}

// exchange sends a line and receives the answer.
func (l line) exchange(t *testing.T, text string) {
	t.Helper()
	if _, err := fmt.Fprintln(l.Conn, text); err != nil {
		t.Fatal(err)
	}
	if got := l.receive(t); got != text {
		t.Errorf("%q came back as %q", text, got)
	}
}

// lost fails the test unless the connection has ended or was reset.
func (l line) lost(t *testing.T) {
	t.Helper()
	if text, err := l.ReadString('\n'); err == nil {
		t.Errorf("the connection still sends %q", text)
	}
}

func start(t *testing.T, server, network string, secure bool) *Process {
	t.Helper()
	c := Config{Server: server, Network: network, Args: map[string]int{"answer": 42}}
	if secure {
		var err error
		if c.Keys, err = NewKeys(); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestProcess starts a server on each network, with and without TLS, kills it, and starts it again at its address.
func TestProcess(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprint(network, " ", secure), func(t *testing.T) {
				p := start(t, "echo", network, secure)
				address, last := p.Endpoint().Address, ""
				for range 3 {
					c := dial(t, p.Endpoint())
					hello := c.receive(t)
					if pid, args, _ := strings.Cut(hello, " "); pid == last || args != `{"answer":42}` {
						t.Errorf("%q, after process %s", hello, last)
					} else {
						last = pid
					}
					c.exchange(t, "one")
					if err := p.Kill(); err != nil {
						t.Fatal(err)
					}
					c.lost(t)
					if c, err := p.Endpoint().Dial(t.Context()); err == nil {
						c.Close()
						t.Error("the server still listens after it was killed")
					}
					if err := p.Restart(); err != nil || p.Endpoint().Address != address {
						t.Fatal(p.Endpoint().Address, err)
					}
				}
				if err := p.Restart(); err == nil {
					t.Error("a server that runs was started again")
				}
			})
		}
	}
}

// TestStop checks that a server ends when it is asked to, and that its socket is removed.
func TestStop(t *testing.T) {
	p := start(t, "echo", "unix", false)
	c := dial(t, p.Endpoint())
	c.receive(t)
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	c.lost(t)
	if _, err := os.Stat(p.Endpoint().Address); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestMeasure checks that the CPU time of a server counts while it is measured, and not what it used before, and that a
// kill does not hide it.
func TestMeasure(t *testing.T) {
	p := start(t, "echo", "tcp", false)
	before, knows := proc.CPUTime(p.PID()) // only Linux does
	if d, ok := p.CPU(); ok || knows && before <= 0 {
		t.Errorf("%v before it was measured, and the server has used %v", d, before)
	}
	restart := func() error { return errors.Join(p.Kill(), p.Restart()) }
	if err := p.Measure(restart); err != nil {
		t.Fatal(err)
	}
	own, _ := proc.CPUTime(p.PID())
	if d, known := p.CPU(); known != knows || knows && (d <= 0 || d > p.ended+own-before) {
		t.Errorf("%v during a restart; the servers have used %v and %v, %v of it before", d, p.ended, own, before)
	}
	want := errors.New("no beans")
	if err := p.Measure(func() error { return want }); err != want {
		t.Error(err)
	}
}

// TestOrphan kills the process that started a server. The server ends too, and with it the connection.
func TestOrphan(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, network := range []string{"tcp", "unix"} {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), parent+"="+network)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		var address, failed string
		if _, err := fmt.Fscanln(out, &address, &failed); err != nil || failed != "<nil>" {
			t.Fatal(address, failed, err)
		}
		c := dial(t, Endpoint{Network: network, Address: address})
		if got := c.receive(t); !strings.HasSuffix(got, `"hello"`) {
			t.Errorf("%q", got)
		}
		c.exchange(t, "one")
		cmd.Process.Kill()
		cmd.Wait()
		c.lost(t)
	}
}

// TestWrongServer checks the errors of servers that cannot be started, and of a server that ends.
func TestWrongServer(t *testing.T) {
	for name, want := range map[string]string{
		"tea": `this program has no server "tea"; unset BREWPUT_REMOTE`, "pigeon": `tcp or unix, not "pigeon"`,
	} {
		network := "tcp"
		if name == "pigeon" {
			network = name
		}
		_, err := Start(Config{Server: name, Network: network})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	for name, end := range map[string]func(*Process) error{"failed": (*Process).Stop, "had ended": (*Process).Kill} {
		p, err := Start(Config{Server: "broken", Network: "tcp"})
		if err != nil {
			t.Fatal(err)
		}
		p.done <- <-p.done // it has ended
		want := "the server broken " + name + ": exit status 1: server broken: out of beans"
		if err := end(p); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestKeys checks that a client refuses the certificate of another server, and a client without TLS gets no answer.
func TestKeys(t *testing.T) {
	p := start(t, "echo", "tcp", true)
	other, err := NewKeys()
	if err != nil {
		t.Fatal(err)
	}
	wrong := p.Endpoint()
	wrong.Keys = other
	if c, err := wrong.Dial(t.Context()); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Error(c, err)
	}
	wrong.Keys = nil
	c := dial(t, wrong)
	fmt.Fprintln(c.Conn, "more bytes than the header of TLS")
	if text, err := c.ReadString('\n'); err == nil && strings.Contains(text, "answer") {
		t.Errorf("a client without TLS received %q", text)
	}
}

// TestProxy delays, holds and resets connections.
func TestProxy(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		t.Run(network, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			p, err := Start(Config{Server: "echo", Network: network})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop()
			const delay = 3 * time.Millisecond
			x, err := NewProxy(p.Endpoint(), delay)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()

			c := dial(t, x.Endpoint())
			c.receive(t)
			began := time.Now()
			c.exchange(t, "one")
			if took := time.Since(began); took < 2*delay {
				t.Errorf("a round trip took %v, less than two delays", took)
			}

			x.Hold()
			fmt.Fprintln(c.Conn, "two")
			c.SetReadDeadline(time.Now().Add(10 * delay))
			if _, err := c.Reader.Peek(1); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("bytes crossed a partition:", err)
			}
			c.SetReadDeadline(time.Time{})
			x.Release()
			if got := c.receive(t); got != "two" {
				t.Errorf("%q after the partition", got)
			}

			if n := x.Reset(); n != 1 || x.Resets() != 1 {
				t.Errorf("%d connections were reset, %d in all", n, x.Resets())
			}
			if _, err := c.ReadString('\n'); network == "tcp" && !errors.Is(err, syscall.ECONNRESET) || err == nil {
				t.Error("after a reset:", err)
			}
			c = dial(t, x.Endpoint())
			c.receive(t)
			c.exchange(t, "three")

			p.Kill()
			c.lost(t)
			if late, err := x.Endpoint().Dial(t.Context()); err == nil { // the proxy listens, but the server does not
				line{late, bufio.NewReader(late)}.lost(t)
				late.Close()
			}
			c.Close()
		})
	}
}

// TestProxyEnd checks that the end of a stream passes the proxy behind its bytes, while the other direction continues.
func TestProxyEnd(t *testing.T) {
	p := start(t, "echo", "tcp", false)
	x, err := NewProxy(p.Endpoint(), time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	c := dial(t, x.Endpoint())
	c.receive(t)
	sent := strings.Repeat("x", 3<<20)
	go func() {
		io.WriteString(c.Conn, sent)
		c.Conn.(*net.TCPConn).CloseWrite()
	}()
	if got, err := io.ReadAll(c); err != nil || string(got) != sent {
		t.Errorf("%d bytes of %d, %v", len(got), len(sent), err)
	}
}

// TestDelayLine checks that a full line waits for the reader, and that stop ends both sides.
func TestDelayLine(t *testing.T) {
	l := &delayLine{most: 4}
	l.changed.L = &l.lock
	go func() {
		for i := range 100 {
			l.put([]byte{byte(i), 0, 0}, time.Time{})
		}
		l.end(true)
	}()
	for i := range 100 {
		p, ok := l.take()
		l.lock.Lock()
		waiting := l.bytes
		l.lock.Unlock()
		if !ok || p.bytes[0] != byte(i) || waiting > 6 {
			t.Fatalf("%d: %v, %t, %d bytes wait", i, p.bytes, ok, waiting)
		}
	}
	if _, ok := l.take(); ok || !l.complete() {
		t.Error("the line did not end")
	}
	l.stop()
	if l.put(nil, time.Time{}) {
		t.Error("a stopped line takes bytes")
	}
}

// serveGRPC answers each message of a stream, and each unary call, with its bytes reversed.
func serveGRPC(ctx context.Context, l net.Listener, _ json.RawMessage) error {
	s := grpc.NewServer(grpc.ForceServerCodecV2(Raw()))
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "test", HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{{
		StreamName: "Echo", ServerStreams: true, ClientStreams: true,
		Handler: func(_ any, stream grpc.ServerStream) error {
			var b []byte
			for {
				if err := stream.RecvMsg(&b); err != nil {
					return nil
				}
				if err := stream.SendMsg([]byte(strings.ToUpper(string(b)))); err != nil {
					return err
				}
			}
		}}}}, nil)
	context.AfterFunc(ctx, s.Stop)
	return s.Serve(l)
}

// TestGRPC sends bytes over a stream of gRPC on each network, with and without TLS.
func TestGRPC(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		for _, secure := range []bool{false, true} {
			p := start(t, "grpc", network, secure)
			c, err := p.Endpoint().GRPC(grpc.WithDefaultCallOptions(grpc.ForceCodecV2(Raw())))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			s, err := c.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/test/Echo")
			if err != nil {
				t.Fatal(err)
			}
			var b []byte
			for _, text := range []string{"", "bean", strings.Repeat("milk", 20000), "x"} {
				if err := s.SendMsg([]byte(text)); err != nil {
					t.Fatal(err)
				}
				if err := s.RecvMsg(&b); err != nil || string(b) != strings.ToUpper(text) {
					t.Errorf("%s %t: %d bytes, %v", network, secure, len(b), err)
				}
			}
			if err := s.SendMsg("text"); err == nil {
				t.Error("the codec sent a string")
			}
		}
	}
}
