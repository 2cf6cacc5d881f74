//go:build amd64 || arm64

package self

import (
	"bytes"
	"encoding/binary"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"unsafe"
)

// threadOf is the offset, in the record of a goroutine, of the pointer to the thread that runs it: see type g in
// runtime/runtime2.go of Go's source, "offset known to arm liblink".
const threadOf = 6 * unsafe.Sizeof(uintptr(0))

// numberAt returns the offset of a thread's number in its record; 0 if it is unknown. A goroutine that locks its
// thread gets a second pointer to that record. If it does, the first pointer is what threadOf takes it for.
var numberAt = sync.OnceValue(func() uintptr {
	found := make(chan uintptr)
	go func() { // its thread is not locked
		record := unsafe.Slice((*uintptr)(unsafe.Pointer(current())), recordBytes/unsafe.Sizeof(uintptr(0)))
		before := slices.Clone(record)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		thread, at := threadRecord(Current()), uintptr(0)
		for i, word := range record {
			if before[i] == 0 && word == uintptr(thread) && word != 0 {
				at = find(thread, uint64(syscall.Gettid()))
			}
		}
		found <- at
	}()
	return <-found
})

// find returns the offset of a number in the record of a thread; 0 if it is not there.
func find(thread unsafe.Pointer, number uint64) uintptr {
	record := unsafe.Slice((*byte)(thread), recordBytes)
	for at := 8; at+8 <= recordBytes; at += 8 {
		if binary.NativeEndian.Uint64(record[at:]) == number {
			return uintptr(at)
		}
	}
	return 0
}

// threadRecord returns the record of the thread that runs the goroutine of m. The memory of a former record stays
// readable.
func threadRecord(m Mark) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(m.g), threadOf))
}

// Asleep reports whether the goroutine of m is in a system call in which its thread sleeps. The kernel then reports
// that the thread neither runs nor waits for a CPU. It takes some microseconds.
func (e Inspector) Asleep(m Mark) bool {
	if e.State(m) != InSyscall || numberAt() == 0 {
		return false
	}
	thread := threadRecord(m)
	if thread == nil {
		return false
	}
	number := *(*uint64)(unsafe.Add(thread, numberAt()))
	stat, err := os.ReadFile("/proc/self/task/" + strconv.FormatUint(number, 10) + "/stat")
	_, after, ok := bytes.Cut(stat[max(0, bytes.LastIndexByte(stat, ')')):], []byte(") "))
	if err != nil || !ok || len(after) == 0 {
		return false
	}
	return (after[0] == 'S' || after[0] == 'D') && e.State(m) == InSyscall && threadRecord(m) == thread
}
