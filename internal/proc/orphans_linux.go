package proc

import (
	"errors"
	"os"
	"slices"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// adoption is the state of a process that adopts others: commands may run concurrently.
type adoption struct {
	mu     sync.Mutex
	users  int
	before int32 // what the process was without them
}

// adopted is the state of this process.
var adopted = sync.OnceValue(func() *adoption { return &adoption{} })

// adopt makes this process the parent of processes whose parent ends, until release is called.
func adopt() (release func()) {
	a := adopted()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.users++; a.users == 1 {
		unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&a.before)), 0, 0, 0)
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.users--; a.users == 0 {
			unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, uintptr(a.before), 0, 0, 0)
		}
	}
}

// endOrphans ends what is left of the group of a child that has been waited for, and waits for it.
func endOrphans(child *os.Process) (o Orphans) {
	if o.reap(child.Pid) {
		o.Names = groupNames(child.Pid)
	}
	EndGroup(child)
	for range endRounds { // a process may be of another user, who alone can end it
		if !o.reap(child.Pid) {
			break
		}
		time.Sleep(endWait)
	}
	return o
}

// reap waits for the adopted processes of a group that have ended. It reports whether others are alive.
func (o *Orphans) reap(group int) (alive bool) {
	for {
		var usage unix.Rusage
		switch pid, err := unix.Wait4(-group, nil, unix.WNOHANG, &usage); {
		case errors.Is(err, unix.EINTR):
		case err != nil: // none is left, or none was adopted
			return false
		case pid == 0:
			return true
		default:
			o.User += time.Duration(usage.Utime.Nano())
			o.System += time.Duration(usage.Stime.Nano())
			o.MaxRSS = max(o.MaxRSS, int64(usage.Maxrss)*1024)
		}
	}
}

// groupNames returns the names of the living processes of a group, each once.
func groupNames(group int) (names []string) {
	for _, p := range living() {
		if p.group == group {
			names = append(names, p.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
