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
func hasRoom() bool { return roomIn(memory) }

func roomIn(memory func() (usage, bool)) bool {
	for range 2 {
		if u, known := memory(); !known || u.fits() {
			return true
		}
		runtime.GC()
	}
	return false
}

// fits reports whether enough is left: a tenth of what this process could have, which stays the same while it grows, and, as
// others like it may run beside, some of all that there is.
func (u usage) fits() bool {
	left := u.spare + u.free
	return left >= (u.held+left)/10 && left >= u.total/32
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
