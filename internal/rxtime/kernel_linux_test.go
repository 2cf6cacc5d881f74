package rxtime

import (
	"encoding/binary"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// message returns a control message.
func message(level, kind int32, data []byte) []byte {
	b := make([]byte, unix.CmsgSpace(len(data)))
	binary.NativeEndian.PutUint64(b, uint64(unix.CmsgLen(len(data)))) // 64-bit systems
	binary.NativeEndian.PutUint32(b[8:], uint32(level))
	binary.NativeEndian.PutUint32(b[12:], uint32(kind))
	copy(b[unix.CmsgLen(0):], data)
	return b
}

// stamp returns a time as the kernel sends it.
func stamp(at time.Time) []byte {
	b := binary.NativeEndian.AppendUint64(nil, uint64(at.Unix()))
	return binary.NativeEndian.AppendUint64(b, uint64(at.Nanosecond()))
}

// TestControl finds the stamp among control messages.
func TestControl(t *testing.T) {
	now := time.Unix(1e9, 5)
	other := message(unix.SOL_SOCKET, unix.SCM_RIGHTS, []byte{1, 2, 3, 4})
	stamped := message(unix.SOL_SOCKET, unix.SCM_TIMESTAMPNS, stamp(now.Add(-1234567)))
	short := binary.NativeEndian.AppendUint32(nil, 1e9) // of a 32-bit system
	short = binary.NativeEndian.AppendUint32(short, 0)
	for _, c := range []struct {
		control []byte
		want    time.Duration
	}{
		{nil, 0}, {other, 0}, {stamped, 1234567}, {append(other, stamped...), 1234567}, {stamped[:20], 0},
		{message(unix.SOL_SOCKET, unix.SCM_TIMESTAMPNS, make([]byte, 9)), 0},
		{message(unix.SOL_SOCKET, unix.SCM_TIMESTAMPNS, short), 5},
	} {
		if got := age(c.control, now); got != c.want {
			t.Errorf("%x: %v, want %v", c.control, got, c.want)
		}
	}
}

// FuzzAge: no control messages crash a read.
func FuzzAge(f *testing.F) {
	f.Add(message(unix.SOL_SOCKET, unix.SCM_TIMESTAMPNS, stamp(time.Unix(1e9, 5))))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, control []byte) {
		if got := age(control, time.Unix(0, 0)); len(control) < 16 && got != 0 {
			t.Errorf("%x: %v", control, got)
		}
	})
}
