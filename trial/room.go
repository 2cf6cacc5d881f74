package trial

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/host"
)

// guardEvery is the interval at which the memory guard checks. A simulation also checks when it has many new
// goroutines.
const guardEvery = 50 * time.Millisecond

// usage is the state of memory, in bytes.
type usage struct {
	held  uint64 // held by this process
	spare uint64 // reserved by this process and not used
	free  uint64 // free for any process
	total uint64 // of the machine
}

// hasRoom reports whether memory has room for more goroutines of a simulation, in addition to everything else in this
// process.
func hasRoom() bool { return hasRoomAfterGC(memory, runtime.GC) }

// hasRoomAfterGC is hasRoom; it collects garbage only if there is no room otherwise.
func hasRoomAfterGC(memory func() (usage, bool), collect func()) bool {
	fits := func() bool {
		u, known := memory()
		return !known || u.fits()
	}
	if fits() {
		return true
	}
	collect()
	return fits()
}

// fits reports whether enough memory is left. Enough is a tenth of what this process could have, which does not
// change while it grows. Because similar processes may run at the same time, it is also at least 1/32 of the machine's
// memory, up to 1 GiB.
func (u usage) fits() bool { return u.spare+u.free >= u.reserve() }

// reserve returns the memory that the guard keeps free: see fits.
func (u usage) reserve() uint64 {
	left := u.spare + u.free
	return max((u.held+left)/10, min(u.total/32, 1<<30))
}

func (u usage) String() string {
	return fmt.Sprintf("the process holds %s, %s of %s are free, and the guard keeps %s free", formatGiB(u.held),
		formatGiB(u.spare+u.free), formatGiB(u.total), formatGiB(u.reserve()))
}

func formatGiB(bytes uint64) string { return fmt.Sprintf("%.2f GiB", float64(bytes)/(1<<30)) }

// withUsage adds the usage of memory to the error of the memory guard. A table shows the first line.
func withUsage(err error, memory func() (usage, bool)) error {
	u, known := memory()
	if err == nil || !known {
		return err
	}
	first, rest, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%s (%v)\n%s", first, u, rest)
}

// minWorkerBytes is the least memory of a worker, in bytes: its stack and the counters of the load.
const minWorkerBytes = 2<<10 + 1<<8

// checkWorkers returns an error if memory cannot hold the workers of a trial. Otherwise the machine would stall
// before they all exist.
func checkWorkers(spec Spec, memory func() (usage, bool)) error {
	if !spec.Point.Has("workers") {
		return nil
	}
	n := uint64(max(0, spec.Point.Int("workers")))
	u, known := memory()
	if !known || n <= (u.held+u.spare+u.free)/minWorkerBytes {
		return nil
	}
	return fmt.Errorf("the memory guard refused the trial: its %d workers are goroutines that need at least %s; use "+
		"fewer workers, or end other programs (%v)",
		n, formatGiB(n*minWorkerBytes), u)
}

// memory reads the usage of memory; known is false if the system does not report it.
func memory() (u usage, known bool) {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(s)
	u.free, u.total, known = host.Memory()
	u.spare = s[2].Value.Uint64()
	u.held = s[0].Value.Uint64() - s[1].Value.Uint64() - u.spare
	return u, known
}
