//go:build amd64 || arm64

package self

import (
	"encoding/binary"
	"iter"
	"sync/atomic"
	"unsafe"
)

// Inspector reads the states of goroutines from the runtime's records. That takes a few nanoseconds and stops no
// goroutine, whereas a stack dump stops the world. The zero Inspector sees nothing.
type Inspector struct {
	number    uintptr // offset of the goroutine's number in its record; 0 if unknown
	coroutine uint8   // wait reason of a goroutine that has resumed a coroutine
}

// Layout of a record around the goroutine's number: the status comes before it and the wait reason after it. See type
// g in runtime/runtime2.go of Go's source.
const (
	statusBefore = 8
	reasonAfter  = 24
	recordBytes  = 256 // bytes of a record in which the number is searched; a record is longer
)

// Statuses of a goroutine, from the same file.
const (
	statusRunnable = 1
	statusRunning  = 2
	statusSyscall  = 3
	statusWaiting  = 4
	statusCopying  = 8
	statusStopped  = 9      // by a preemption
	statusScanned  = 0x1000 // added to another status: its stack is being scanned
)

// Wait reasons, if the runtime's list is that of Go 1.26, which the last one tells. A program's own waits are those
// from the first to the last, and that for the network. In another list all reasons count.
const (
	reasonIO        = 2
	firstReason     = 13
	lastReason      = 25
	reasonCoroutine = 38
)

// NewInspector finds out where this build of Go keeps the state of a goroutine. It checks two goroutines whose state
// it knows: the calling one, which runs, and a coroutine that is not resumed. If they do not agree, it returns the
// zero Inspector.
func NewInspector() Inspector {
	var id int64
	var mark Mark
	next, stop := iter.Pull(func(yield func(bool) bool) {
		id, mark = ID(), Current()
		yield(true)
	})
	defer stop()
	next()
	me := Current()
	at := me.find(ID())
	if at == 0 || at != mark.find(id) {
		return Inspector{}
	}
	e := Inspector{number: at}
	status, _ := e.read(me)
	parked, reason := e.read(mark)
	if status != statusRunning || parked != statusWaiting || reason == 0 {
		return Inspector{}
	}
	e.coroutine = reason
	return e
}

// find returns the offset of a number in the record of m; 0 if it is not there.
func (m Mark) find(id int64) uintptr {
	record := unsafe.Slice((*byte)(unsafe.Pointer(m.g)), recordBytes)
	for at := uintptr(unsafe.Sizeof(g{})); at+8 <= recordBytes; at += 8 {
		if at >= statusBefore && at+reasonAfter < recordBytes && int64(binary.NativeEndian.Uint64(record[at:])) == id {
			return at
		}
	}
	return 0
}

// read returns the status and the wait reason in the record of m. The runtime never frees a record.
func (e Inspector) read(m Mark) (status uint32, reason uint8) {
	record := unsafe.Pointer(m.g)
	status = atomic.LoadUint32((*uint32)(unsafe.Add(record, e.number-statusBefore)))
	return status &^ statusScanned, *(*uint8)(unsafe.Add(record, e.number+reasonAfter))
}

// State returns what the goroutine of m does at this instant. It may be another goroutine that reuses the record of
// one that ended.
func (e Inspector) State(m Mark) State {
	if e.number == 0 || m.g == nil {
		return Unknown
	}
	switch status, reason := e.read(m); status {
	case statusRunnable, statusRunning, statusCopying, statusStopped:
		return Runnable
	case statusSyscall:
		return InSyscall
	case statusWaiting:
		switch {
		case reason == e.coroutine:
			return Switched
		case e.coroutine == reasonCoroutine && reason != reasonIO && (reason < firstReason || reason > lastReason):
			return Runnable // such as one that assists the garbage collector
		}
		return Waiting
	}
	return Unknown
}
