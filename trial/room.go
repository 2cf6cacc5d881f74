package trial

import (
	"runtime"
	"runtime/metrics"

	"github.com/brewput/brewput/internal/host"
)

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

// fits reports whether enough is left: a tenth of what this process could have, which stays the same while it grows, and, as
// others like it may run beside, a thirty-second of all that there is, up to 1 GiB.
func (u usage) fits() bool {
	left := u.spare + u.free
	return left >= (u.held+left)/10 && left >= min(u.total/32, 1<<30)
}

// memory is what there is; false where the system does not tell.
func memory() (u usage, known bool) {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(s)
	u.free, u.total, known = host.Memory()
	u.spare = s[2].Value.Uint64()
	u.held = s[0].Value.Uint64() - s[1].Value.Uint64() - u.spare
	return u, known
}
