package trial

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/host"
)

// guardEvery is how often the memory guard looks, beside each time that a simulation has many new goroutines.
const guardEvery = 50 * time.Millisecond

// usage is what there is of memory, in bytes.
type usage struct {
	held  uint64 // by this process
	spare uint64 // that it has beside that and does not use
	free  uint64 // for any process
	total uint64 // in all
}

// hasRoom tells a simulation whether memory has room for more goroutines, beside all else that this process does.
func hasRoom() bool { return roomAfter(memory, runtime.GC) }

// roomAfter collects garbage only if there is no room without.
func roomAfter(memory func() (usage, bool), collect func()) bool {
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

// fits reports whether enough is left: a tenth of what this process could have, which stays the same while it grows,
// and, as others like it may run beside, a thirty-second of all that there is, up to 1 GiB.
func (u usage) fits() bool { return u.spare+u.free >= u.reserve() }

// kept is what the guard keeps free: see fits.
func (u usage) reserve() uint64 {
	left := u.spare + u.free
	return max((u.held+left)/10, min(u.total/32, 1<<30))
}

func (u usage) String() string {
	return fmt.Sprintf("the process holds %s, %s of %s are free, and the guard keeps %s free", gib(u.held),
		gib(u.spare+u.free), gib(u.total), gib(u.reserve()))
}

func gib(bytes uint64) string { return fmt.Sprintf("%.2f GiB", float64(bytes)/(1<<30)) }

// guarded adds to the error of the memory guard what memory there was. The first line is what a table shows.
func withUsage(err error, memory func() (usage, bool)) error {
	u, known := memory()
	if err == nil || !known {
		return err
	}
	first, rest, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%s (%v)\n%s", first, u, rest)
}

// leastWorker is what a worker takes at least, in bytes: its stack, and what the load counts of it.
const minWorkerBytes = 2<<10 + 1<<8

// needed is an error if the workers of a trial cannot have room: the machine would stand still before they are there.
func checkWorkers(spec Spec, memory func() (usage, bool)) error {
	if !spec.Point.Has("workers") {
		return nil
	}
	n := uint64(max(0, spec.Point.Int("workers")))
	u, known := memory()
	if !known || n <= (u.held+u.spare+u.free)/minWorkerBytes {
		return nil
	}
	return fmt.Errorf("the memory guard has refused the trial: its %d workers are as many goroutines, which take %s "+
		"at least; use fewer workers, or end other programs (%v)",
		n, gib(n*minWorkerBytes), u)
}

// memory is what there is; false where the system does not tell.
func memory() (u usage, known bool) {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(s)
	u.free, u.total, known = host.Memory()
	u.spare = s[2].Value.Uint64()
	u.held = s[0].Value.Uint64() - s[1].Value.Uint64() - u.spare
	return u, known
}
