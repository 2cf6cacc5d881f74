//go:build unix

package messenger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/brewput/brewput/catalog/messenger"
)

// log is the log of a server: a file that is mapped into memory. What is stored survives the process, because the
// kernel holds it, but not a power loss. A record costs no system call. It is not safe for concurrent use.
type log struct {
	memory []byte
	at     int
}

// openLog opens the log, which has room for a number of records, and returns what it has.
func openLog(path string, records int) (l *log, stored *messenger.Ledger, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size := records * recordBytes
	if err := f.Truncate(int64(size)); err != nil {
		return nil, nil, err
	}
	l = &log{}
	l.memory, err = syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	if stored, l.at, err = parseLog(bytes.NewReader(l.memory)); err != nil {
		return nil, nil, errors.Join(err, l.close())
	}
	return l, stored, nil
}

// store appends a span.
func (l *log) store(client uint64, s messenger.Span) error {
	if l.at+recordBytes > len(l.memory) {
		return errFull(len(l.memory) / recordBytes)
	}
	b := l.memory[l.at : l.at+recordBytes]
	binary.LittleEndian.PutUint64(b, client)
	binary.LittleEndian.PutUint64(b[8:], s.From)
	// The processor may not move it before the others. All platforms with this file are little-endian.
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&b[16])), s.To)
	l.at += recordBytes
	return nil
}

// close releases the memory.
func (l *log) close() error { return syscall.Munmap(l.memory) }
