//go:build amd64 || arm64

package self

import (
	"encoding/binary"
	"iter"
	"sync/atomic"
	"unsafe"
)

// Eye sees the states of goroutines. It looks at the runtime's records of them and stops nobody: that takes a few
// nanoseconds, where a dump of stacks stops the world. The zero Eye sees nothing.
type Eye struct {
	number    uintptr // where the goroutine's number stands in its record; 0: nobody knows
	coroutine uint8   // the reason for which one waits that has resumed a coroutine
}

// How the fields of a record lie around the goroutine's number, its status before and the reason of its waiting after
// it: see type g in runtime/runtime2.go of Go's source.
const (
	statusBefore = 8
	reasonAfter  = 24
	recordLooked = 256 // bytes of a record in which the number is looked for; a record is longer
)

// Statuses of a goroutine, from the same file.
const (
	statusRunnable = 1
	statusRunning  = 2
	statusSyscall  = 3
	statusWaiting  = 4
	statusCopying  = 8
	statusStopped  = 9      // by a preemption
	statusScanned  = 0x1000 // beside another: its stack is looked through
)

// Reasons of waiting where the list of them is that of Go 1.26, which the last tells: a program's own are those from
// the first to the last, and that for the network. In another list all count.
const (
	reasonIO        = 2
	firstReason     = 13
	lastReason      = 25
	reasonCoroutine = 38
)

// NewEye finds out where this build of Go keeps the state of a goroutine, by two whose state it knows: the calling one,
// which runs, and a coroutine that waits to be resumed. If they do not agree, it sees nothing.
func NewEye() Eye {
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
		return Eye{}
	}
	e := Eye{number: at}
	status, _ := e.look(me)
	parked, reason := e.look(mark)
	if status != statusRunning || parked != statusWaiting || reason == 0 {
		return Eye{}
	}
	e.coroutine = reason
	return e
}

// find is where a number stands in the record of m; 0 if it does not.
func (m Mark) find(id int64) uintptr {
	record := unsafe.Slice((*byte)(unsafe.Pointer(m.g)), recordLooked)
	for at := uintptr(unsafe.Sizeof(g{})); at+8 <= recordLooked; at += 8 {
		if at >= statusBefore && at+reasonAfter < recordLooked && int64(binary.NativeEndian.Uint64(record[at:])) == id {
			return at
		}
	}
	return 0
}

// look is what stands in the record of m. The runtime never frees a record.
func (e Eye) look(m Mark) (status uint32, reason uint8) {
	record := unsafe.Pointer(m.g)
	status = atomic.LoadUint32((*uint32)(unsafe.Add(record, e.number-statusBefore)))
	return status &^ statusScanned, *(*uint8)(unsafe.Add(record, e.number+reasonAfter))
}

// State is what the goroutine of m does at this instant. It may be another that has the record of one that ended.
func (e Eye) State(m Mark) State {
	if e.number == 0 || m.g == nil {
		return Unknown
	}
	switch status, reason := e.look(m); status {
	case statusRunnable, statusRunning, statusCopying, statusStopped:
		return Busy
	case statusSyscall:
		return InSyscall
	case statusWaiting:
		switch {
		case reason == e.coroutine:
			return Switched
		case e.coroutine == reasonCoroutine && reason != reasonIO && (reason < firstReason || reason > lastReason):
			return Busy // helping the collector of garbage, for instance
		}
		return Waiting
	}
	return Unknown
}
