package rxtime

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// pair returns both ends of a connection.
func pair(t testing.TB, network, address string) (a, b net.Conn) {
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err = net.Dial(network, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// stamps reports whether this system stamps what it receives.
const stamps = runtime.GOOS == "linux"

// TestAge: bytes that were read late have the time at which they came. The kernel turns stamps on a moment after the
// first connection asks for them.
func TestAge(t *testing.T) {
	a, b := pair(t, "tcp", "127.0.0.1:0")
	c := New(b)
	var message [8]byte
	for range 100_000 {
		if _, err := a.Write(message[:]); err != nil {
			t.Fatal(err)
		}
		written := time.Now() // on loopback, it has been received before Write returns
		for time.Since(written) < 50*time.Microsecond {
		}
		n, err := c.Read(message[:])
		age, most := time.Since(c.Last()), time.Since(written)+time.Second
		if n != len(message) || err != nil || age < 0 || age > most {
			t.Fatalf("%d bytes, %v; they came %v ago, at most %v", n, err, age, most)
		}
		if late := time.Since(written); !stamps || age >= 50*time.Microsecond && age <= late+time.Millisecond {
			return
		}
	}
	t.Error("the kernel never stamped a message")
}

// TestRead: the connection is one of package net in all else.
func TestRead(t *testing.T) {
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": t.TempDir() + "/s"} {
		a, b := pair(t, network, address)
		c := New(b)
		if got := c.kernel != nil; got != (stamps && network == "tcp") {
			t.Errorf("%s is stamped: %t", network, got)
		}
		if n, err := c.Read(nil); n != 0 || err != nil {
			t.Errorf("%s: a read of nothing: %d, %v", network, n, err)
		}
		c.SetReadDeadline(time.Now().Add(-time.Second))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: beyond the deadline: %v", network, err)
		}
		c.SetReadDeadline(time.Time{})
		a.Write([]byte("abc"))
		text := make([]byte, 3)
		if n, err := io.ReadFull(c, text); n != 3 || err != nil || string(text) != "abc" {
			t.Errorf("%s: %q, %v", network, text, err)
		}
		a.Close()
		before := c.last.Load()
		if n, err := c.Read(text); n != 0 || err != io.EOF || c.last.Load() != before {
			t.Errorf("%s: after the end: %d, %v", network, n, err)
		}
		c.Close()
		if _, err := c.Read(text); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: closed: %v", network, err)
		}
	}
}

// TestReset: a reset connection has the error of package net.
func TestReset(t *testing.T) {
	a, b := pair(t, "tcp", "127.0.0.1:0")
	c := New(b)
	a.(*net.TCPConn).SetLinger(0)
	a.Close()
	_, err := c.Read(make([]byte, 1))
	var op *net.OpError
	if !errors.Is(err, syscall.ECONNRESET) || !errors.As(err, &op) || op.Op != "read" {
		t.Errorf("%v", err)
	}
}

// TestClock: a clock that is set while a read is in progress moves no message before the one that came earlier, nor
// into the future.
func TestClock(t *testing.T) {
	c := New(nil)
	c.note(0)
	first := c.last.Load()
	for _, ago := range []time.Duration{time.Hour, -time.Hour, 0} {
		c.note(ago)
		if at := c.last.Load(); at < first || c.Last().After(time.Now()) {
			t.Errorf("%v ago: %d, after %d", ago, at, first)
		}
	}
}

// BenchmarkRead compares a read with one of package net.
func BenchmarkRead(b *testing.B) {
	for name, wrap := range map[string]func(net.Conn) net.Conn{
		"net": func(c net.Conn) net.Conn { return c }, "stamped": func(c net.Conn) net.Conn { return New(c) },
	} {
		b.Run(name, func(b *testing.B) {
			x, y := pair(b, "tcp", "127.0.0.1:0")
			y = wrap(y)
			var message [8]byte
			binary.NativeEndian.PutUint64(message[:], 1)
			for b.Loop() {
				x.Write(message[:])
				y.Read(message[:])
			}
		})
	}
}
