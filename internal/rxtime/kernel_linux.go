package rxtime

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// kernel reads a TCP connection with the time stamps of its packets.
type kernel struct {
	tcp     *net.TCPConn
	raw     syscall.RawConn
	receive func(fd uintptr) (done bool) // made once, because it would escape

	// Of the read in progress.
	to      []byte
	control [128]byte
	n, used int
	err     error
}

// newKernel returns nil if the kernel does not stamp what the connection receives.
func newKernel(c net.Conn) *kernel {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	var set error
	if err := raw.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	}); err != nil || set != nil {
		return nil
	}
	k := &kernel{tcp: tcp, raw: raw}
	k.receive = func(fd uintptr) bool {
		for {
			k.n, k.used, _, _, k.err = unix.Recvmsg(int(fd), k.to, k.control[:], 0)
			if k.err != unix.EINTR {
				return k.err != unix.EAGAIN
			}
		}
	}
	return k
}

// read reads at least one byte, as the connection does. ago is the time since the last of them reached this host; 0 if
// that is unknown.
func (k *kernel) read(b []byte) (n int, ago time.Duration, err error) {
	k.to = b
	err = k.raw.Read(k.receive)
	k.to = nil
	switch {
	case err != nil: // closed, or beyond the deadline
		return 0, 0, err
	case k.err != nil:
		return 0, 0, &net.OpError{Op: "read", Net: "tcp", Source: k.tcp.LocalAddr(), Addr: k.tcp.RemoteAddr(),
			Err: os.NewSyscallError("recvmsg", k.err)}
	case k.n == 0:
		return 0, 0, io.EOF
	}
	return k.n, age(k.control[:k.used], time.Now()), nil
}

// age returns the time from the stamp among the control messages of a read until now; 0 if there is none.
func age(control []byte, now time.Time) time.Duration {
	for len(control) >= unix.CmsgSpace(0) {
		header, data, rest, err := unix.ParseOneSocketControlMessage(control)
		if err != nil {
			break
		}
		if header.Level == unix.SOL_SOCKET && header.Type == unix.SCM_TIMESTAMPNS {
			var seconds, ns int64
			switch len(data) {
			case 16:
				seconds, ns = int64(binary.NativeEndian.Uint64(data)), int64(binary.NativeEndian.Uint64(data[8:]))
			case 8: // a 32-bit system
				seconds, ns = int64(binary.NativeEndian.Uint32(data)), int64(binary.NativeEndian.Uint32(data[4:]))
			default:
				return 0
			}
			return time.Duration(now.UnixNano() - time.Unix(seconds, ns).UnixNano())
		}
		control = rest
	}
	return 0
}
